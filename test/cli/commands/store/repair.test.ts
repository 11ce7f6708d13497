/** Tests of `coffer store repair`: confirmations, reports and exit codes. */
import { cpSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { each, openDatabase } from '../../../../src/store/engine/database.js'
import { accountKeys, under } from '../../../../src/store/engine/keys.js'
import { homes } from '../../../support/nodes/home.js'
import { placesOf, startTestNode } from '../../../support/nodes/node.js'
import { testHome, type TestHome } from '../../support/closedHome.js'

type Json = Record<string, unknown>
const { folder } = homes()
let home: TestHome
let original: string
/** Folder with two backups; a sealed backup and its passphrase are in the next variables. */
let backups: string
let sealed: string
let passphrase: string

const create = (content: string): Promise<Json> =>
  home.json(['events', 'create', '--user', 'ana-lovelace', '--stream', 'diary', '--type', 'note/txt', '--content', content])
const notes = async (): Promise<string[]> =>
  ((await home.json('events list --user ana-lovelace --stream diary'))['events'] as { content: string }[]).map(({ content }) => content).sort()

beforeAll(async () => {
  home = await testHome('ana-lovelace')
  await home.json('streams create Diary --id diary --user ana-lovelace')
  await create('one')
  backups = await folder()
  await home.json(['backup', 'create', '--to', backups])
  await create('two')
  await home.json(['backup', 'create', '--to', backups])
  passphrase = join(await folder(), 'passphrase')
  writeFileSync(passphrase, 'several words that nobody guesses\n')
  sealed = String((await home.json(['backup', 'create', '--to', await folder(), '--passphrase-file', passphrase]))['path'])
  await create('three')
  original = join(await folder(), 'home')
  cpSync(home.home, original, { recursive: true })
})
afterAll(() => home.remove())
beforeEach(() => {
  rmSync(home.home, { recursive: true })
  cpSync(original, home.home, { recursive: true })
})

const store = (): string => placesOf(home.home).store
const repair = (...words: string[]): ReturnType<TestHome['run']> => home.run(['store', 'repair', ...words])
const loseLog = (): void => {
  const db = join(store(), 'db')
  for (const name of readdirSync(db)) if (name.endsWith('.log')) truncateSync(join(db, name), 0)
}
const loseDatabase = (): void => rmSync(join(store(), 'db'), { recursive: true })

describe('coffer store repair', () => {
  it('reports nothing to repair in an intact store', async () => {
    const { code, err } = await repair()
    expect([code, err]).toEqual([0, expect.stringContaining('nothing to repair')])
  })

  it('repairs from the latest backup of a folder, and reports the source of each repair', async () => {
    loseDatabase()
    expect((await home.run('store check')).code).toBe(13)
    const opening = await home.run('streams tree --user ana-lovelace')
    expect([opening.code, opening.err]).toEqual([13, expect.stringContaining('store repair')])

    const before = readdirSync(home.home).sort()
    const dry = await repair('--from', backups, '--dry-run', '--json')
    expect(dry.code).toBe(3)
    expect(JSON.parse(dry.out)).toMatchObject({ dryRun: true, kept: null, lost: [{ where: 'the store' }, { where: 'the store' }] })
    expect(readdirSync(home.home).sort()).toEqual(before)

    const { code, out } = await repair('--from', backups, '--accept-risk=lose-data', '--json')
    const report = JSON.parse(out) as Json
    expect(code, out).toBe(3)
    expect(report['from']).toBe(readdirSync(backups).sort().at(-1))
    expect(report['repaired']).toContainEqual({ where: 'account 1', user: 'ana-lovelace', what: 'events', count: expect.any(Number) as number, from: 'backup' })
    expect(existsSync(String(report['kept']))).toBe(true)
    expect(await notes()).toEqual(['one', 'two'])
    expect(await home.json('store check')).toMatchObject({ ok: true })
    // The repaired store accepts writes.
    await create('four')
    expect(await notes()).toEqual(['four', 'one', 'two'])
  })

  it('requires a confirmation of data loss, and changes nothing without it', async () => {
    loseLog()
    const before = readdirSync(join(store(), 'db')).sort()
    const { code, out, err } = await repair('--from', backups)
    expect([code, out]).toEqual([2, ''])
    expect(err).toContain('--accept-risk=lose-data')
    expect(err).toMatch(/lacks \d+ commits? after/)
    expect(readdirSync(join(store(), 'db')).sort()).toEqual(before)
    expect(readdirSync(home.home)).not.toContain('store.mended')
  })

  it('opens a sealed backup only with its passphrase', async () => {
    loseDatabase()
    const wrong = join(await folder(), 'wrong')
    writeFileSync(wrong, 'others\n')
    expect((await repair('--from', sealed, '--passphrase-file', wrong, '--accept-risk=lose-data')).code).toBe(12)
    expect((await repair('--from', sealed, '--passphrase-file', passphrase, '--accept-risk=lose-data')).code).toBe(3)
    expect(await notes()).toEqual(['one', 'two'])
  })

  it('restores a missing node key', async () => {
    renameSync(placesOf(home.home).key, join(home.home, 'away'))
    const { code, out } = await repair('--from', backups, '--json')
    expect(code, out).toBe(0)
    expect((JSON.parse(out) as Json)['repaired']).toContainEqual({ where: 'the node', what: 'node key', from: 'backup' })
    expect(readFileSync(placesOf(home.home).key, 'utf8')).toBe(readFileSync(join(home.home, 'away'), 'utf8'))
    expect(await notes()).toEqual(['one', 'three', 'two'])
  })

  it('rebuilds an event whose record was altered, without a backup', async () => {
    const db = await openDatabase(join(store(), 'db'))
    for await (const [key, text] of each(db.entries(under(accountKeys.events('1'))))) {
      const batch = db.batch()
      if (text.includes('"two"')) batch.put(key, text.replace('"two"', '"zwo"'))
      if (batch.length > 0) await batch.write({ sync: true })
    }
    await db.close()
    const found = JSON.parse((await home.run('store check --json')).out) as { problems: Json[] }
    expect(found.problems[0]?.['next']).toMatch(/^coffer store repair /)
    const { code, out } = await repair()
    expect([code, out]).toEqual([0, expect.stringContaining('rebuilt from its changes') as string])
    expect(await notes()).toEqual(['one', 'three', 'two'])
  })

  it('finishes a repair that was interrupted before the repaired store was moved into place', async () => {
    const mended = join(home.home, 'store.mended')
    renameSync(store(), mended)
    writeFileSync(join(mended, 'ready'), JSON.stringify({ kept: 'x', begun: 1_000_000, report: { repaired: [], from: 'b1', lost: [], waiting: [], damage: ['db is missing'], mended: 'store', kept: 'x', finished: null } }))
    const expected = { from: 'b1', damage: ['db is missing'], kept: 'x', finished: 1_000_000 }
    const dry = await repair('--dry-run', '--json')
    expect([dry.code, JSON.parse(dry.out)], dry.err).toMatchObject([0, { ...expected, mended: null, dryRun: true }])
    expect(existsSync(store())).toBe(false)
    const { code, err } = await home.run('streams tree --user ana-lovelace')
    expect([code, err]).toEqual([13, expect.stringContaining('store repair') as string])
    const interrupted = join(await folder(), 'home')
    cpSync(home.home, interrupted, { recursive: true })
    const finished = await repair()
    expect([finished.code, finished.out]).toEqual([0, expect.stringContaining('started at 1970-01-1') as string])
    expect(finished.err).toMatch(/The repair started at 1970-01-1\d \S+ is complete/)
    expect(readdirSync(home.home)).not.toContain('store.mended')
    expect(await notes()).toEqual(['one', 'three', 'two'])
    // The completion is reported once; the next repair checks the store.
    expect(JSON.parse((await repair('--json')).out)).toMatchObject({ kept: null, damage: [], finished: null })
    rmSync(home.home, { recursive: true })
    cpSync(interrupted, home.home, { recursive: true })
    // An unknown peer is refused here too, after the store was moved into place.
    expect((await repair('--from-peer', 'nobody')).code).toBe(5)
    expect(existsSync(store())).toBe(true)
    rmSync(home.home, { recursive: true })
    cpSync(interrupted, home.home, { recursive: true })
    const { code: again, out } = await repair('--json')
    expect([again, JSON.parse(out)]).toMatchObject([0, { ...expected, mended: 'store' }])
  })

  it.each([
    [['--user', 'ana-lovelace'], 2, '--user requires --from-peer'],
    [['--accept-risk=everything'], 2, '--accept-risk <risk> takes lose-data, not "everything"'],
    [['--from', '/nowhere-at-all'], 5, 'There is no backup in /nowhere-at-all'],
    [['--from-peer', 'nobody'], 5, 'has a paired node "nobody"'],
    [['--home', '/nowhere-at-all'], 10, 'There is no store'],
  ])('refuses %j', async (words, exit, says) => {
    const { code, out, err } = await repair(...words)
    expect([code, out]).toEqual([exit, ''])
    expect(err).toContain(says)
  })

  it('refuses the backup of another node', async () => {
    const other = await testHome('ana-lovelace')
    try {
      const to = await folder()
      for (let n = 0; n < 20; n++) await other.json(['streams', 'create', `S${n}`, '--user', 'ana-lovelace'])
      await other.json(['backup', 'create', '--to', to])
      loseLog()
      const { code, err } = await repair('--from', to, '--accept-risk=lose-data')
      expect([code, err]).toEqual([6, expect.stringContaining('belongs to another store') as string])
    } finally {
      await other.remove()
    }
  })

  it('refuses while the node runs', async () => {
    const node = await startTestNode({}, { home: home.home })
    try {
      const { code, err } = await repair()
      expect([code, err]).toEqual([11, expect.stringContaining('The node is running') as string])
    } finally {
      await node.stop()
    }
  })


  it('exits 13 and changes nothing without readable data', async () => {
    loseDatabase()
    const before = readdirSync(home.home).sort()
    const { code, err } = await repair('--accept-risk=lose-data')
    expect([code, err]).toEqual([13, expect.stringContaining('has no readable data') as string])
    expect(readdirSync(home.home).sort()).toEqual(before)
  })
})
