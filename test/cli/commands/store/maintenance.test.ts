/** Tests of `coffer store check`, `stats`, `compact` and `migrate`, with and without a running node. */
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { FAMILIES } from '../../../../src/store/check/families.js'
import { each, openDatabase, type Database } from '../../../../src/store/engine/database.js'
import { keyFamilyLabels } from '../../../../src/store/engine/keyFamilyLabels.js'
import { accountKeys, nodeKeys, under } from '../../../../src/store/engine/keys.js'
import { placesOf, request, startTestNode, type TestNode } from '../../../support/nodes/node.js'
import { testHome, type TestHome } from '../../support/closedHome.js'

let home: TestHome

async function filledHome(): Promise<TestHome> {
  const filled = await testHome('ana-lovelace', 'bob-builder')
  await filled.json('streams create Diary --id diary --user ana-lovelace')
  for (const content of ['one', 'two', 'three']) {
    await filled.json(['events', 'create', '--user', 'ana-lovelace', '--stream', 'diary', '--type', 'note/txt', '--content', content])
  }
  return filled
}

describe.each(['without a node', 'with a running node'])('coffer store, %s', (where) => {
  let node: TestNode | undefined
  beforeAll(async () => {
    home = await filledHome()
    if (where !== 'without a node') node = await startTestNode({}, { home: home.home })
  })
  afterAll(async () => {
    await node?.stop()
    await home.remove()
  })

  it('checks an intact store, and counts the checked records', async () => {
    const answer = await home.json('store check')
    expect(answer).toMatchObject({ ok: true, problems: [], found: 0, checked: { accounts: 2, streams: 1 } })
    expect((answer['checked'] as Record<string, number>)['events']).toBeGreaterThanOrEqual(3)
    expect((answer['checked'] as Record<string, number>)['tokens']).toBeGreaterThanOrEqual(0)
    const shown = await home.run('store check')
    expect([shown.code, shown.err]).toEqual([0, expect.stringContaining('✔ No problems found')])
    expect(shown.out.split('\n')).toEqual([
      `Checked the store of ${home.home}`,
      expect.stringMatching(/^\d+ commits, 2 accounts, 1 stream, \d+ events(, \d+ access(es)?)?(, \d+ attachments?)?; \d+ other entries$/),
      '',
    ])
    const detailed = await home.run('store check --verbose')
    expect(detailed.out).toMatch(/\n {2}stream places +\d+\n/)
    expect((await home.run('store check --user bob-builder')).out).toContain(`Checked the account bob-builder and the commit chain of ${home.home}\n`)
    expect((await home.run('store check --sample 3')).out).toContain('Checked a sample of 3 records of the store of ')
  })

  it('checks one account, or a sample', async () => {
    expect(await home.json('store check --user bob-builder')).toMatchObject({ ok: true, checked: { accounts: 1 } })
    expect(await home.json('store check --sample 3')).toMatchObject({ ok: true, checked: { 'sampled records': 3 } })
    expect(await home.json('store check --sample 9000')).toMatchObject({ ok: true, checked: { streams: 1 } })
  })

  it.each([
    ['store check --user nobody-here', 5, 'Unknown user "nobody-here"'],
    ['store stats --user nobody-here', 5, 'Unknown user "nobody-here"'],
    ['store check --sample 0', 2, '--sample'],
  ])('refuses %s', async (line, exit, says) => {
    const { code, out, err } = await home.run(line)
    expect([code, out]).toEqual([exit, ''])
    expect(err).toContain(says)
  })

  it('counts records by account and key family', async () => {
    const { accounts, format, newestFormat, own } = await home.json('store stats')
    expect([format, newestFormat]).toEqual([2, 2])
    expect(own).toMatchObject({ node: expect.arrayContaining([expect.objectContaining({ family: 'commits' })]) as unknown })
    const [ana] = accounts as Record<string, unknown>[]
    expect(ana).toMatchObject({ username: 'ana-lovelace', files: { count: 0, bytes: 0 } })
    const families = ana?.['families'] as { family: string; entries: number }[]
    expect(families.find(({ family }) => family === 'streams')?.entries).toBe(1)
    expect(families.find(({ family }) => family === 'events')?.entries).toBe(ana?.['events'])
    expect((await home.json('store stats --user bob-builder'))['accounts']).toHaveLength(1)
    expect((await home.run('store stats')).out).toContain('ana-lovelace')
  })

  it('compacts, and reports the format', async () => {
    const { before, after } = await home.json('store compact')
    expect([before, after].every((size) => Number(size) > 0)).toBe(true)
    expect(await home.json('store migrate --dry-run')).toEqual({ format: 2, newestFormat: 2, steps: [], dryRun: true })
    expect(await home.json('store check')).toMatchObject({ ok: true })
  })

  it('checks a consistent snapshot during concurrent writes', async () => {
    if (node === undefined) return
    const { url } = node
    const { apiEndpoint } = (await home.json(['accesses', 'create', '--user', 'ana-lovelace', '--name', 'w', '--permission', 'diary:manage']))[
      'access'
    ] as { apiEndpoint: string }
    const token = new URL(apiEndpoint).username
    let isDone = false
    const writing = (async () => {
      for (let n = 0; !isDone || n < 20; n++) {
        const body = { streamIds: ['diary'], type: 'note/txt', content: String(n) }
        const { status } = await request(`${url}ana-lovelace/events`, { method: 'POST', token, body })
        expect(status).toBe(201)
      }
    })()
    for (let n = 0; n < 5; n++) expect(await home.json('store check')).toMatchObject({ ok: true, problems: [] })
    isDone = true
    await writing
  })

  it('keeps reporting damage until a full check finds none', async () => {
    if (node === undefined) return
    const { db } = node.node.store
    const damage = async (): Promise<unknown> => (await home.json('api node.attention'))['damage']
    const put = async (key: string, text: string): Promise<void> => {
      const batch = db.batch()
      batch.put(key, text)
      await batch.write({ sync: true })
    }
    expect(await damage()).toBeNull()
    const records: [string, string][] = []
    for await (const entry of each(db.entries(under(accountKeys.events('1'))))) records.push(entry)
    const [key, text] = records.find((record) => record[1].includes('"two"')) ?? ['', '']
    await put(key, text.replace('"two"', '"zwo"'))
    expect((await home.run('store check --user ana-lovelace')).code).toBe(13)
    expect(await damage()).toMatchObject({ found: 2, at: expect.any(Number) })
    await put(key, text)
    expect((await home.run('store check --user ana-lovelace')).code).toBe(0)
    expect(await damage()).toMatchObject({ found: 2 })
    expect((await home.run('store check')).code).toBe(0)
    expect(await damage()).toBeNull()
  })
})

describe('a damaged store', () => {
  let copy: string
  beforeAll(async () => {
    home = await filledHome()
    copy = `${home.home}-copy`
    cpSync(home.home, copy, { recursive: true })
  })
  beforeEach(() => {
    rmSync(home.home, { recursive: true })
    cpSync(copy, home.home, { recursive: true })
  })
  afterAll(async () => {
    rmSync(copy, { recursive: true })
    await home.remove()
  })

  async function withDatabase(change: (db: Database) => Promise<void>): Promise<void> {
    const db = await openDatabase(join(placesOf(home.home).store, 'db'))
    await change(db)
    await db.close()
  }
  async function write(db: Database, values: Record<string, string>): Promise<void> {
    const batch = db.batch()
    for (const [key, value] of Object.entries(values)) batch.put(key, value)
    await batch.write({ sync: true })
  }

  it('is reported with the key, the account and the next command, with exit code 13', async () => {
    let id = ''
    await withDatabase(async (db) => {
      for await (const [key, text] of each(db.entries(under(accountKeys.events('1'))))) {
        if (!text.includes('"two"')) continue
        id = (JSON.parse(text) as { id: string }).id
        await write(db, { [key]: text.replace('"two"', '"zwo"') })
      }
    })
    for (const line of ['store check', 'store check --sample 500', 'store check --user ana-lovelace']) {
      const { code, out } = await home.run(`${line} --json`)
      expect(code, line).toBe(13)
      const { ok, problems } = JSON.parse(out) as { ok: boolean; problems: Record<string, string>[] }
      expect(ok).toBe(false)
      expect(problems[0]).toMatchObject({ where: `account 1, event ${id}`, user: 'ana-lovelace' })
      expect(problems[0]?.['next']).toMatch(/^coffer /)
    }
    const { out } = await home.run('store check')
    expect(out).toContain(`account ana-lovelace, event ${id}`)
    expect((await home.run('store check --user bob-builder')).code).toBe(0)
  })

  it('is reported by platform check when usernames are damaged, with exit code 13', async () => {
    expect(await home.run('platform check')).toMatchObject({ code: 0, out: '' })
    await withDatabase((db) => write(db, { [nodeKeys.username('bob-builder')]: '7' }))
    const { code, out, err } = await home.run('platform check')
    expect([code, out]).toEqual([13, expect.stringContaining('bob-builder') as string])
    expect(err).toContain('coffer store repair --dry-run')
  })

  it('is checked also when a node could not start', async () => {
    await withDatabase((db) => write(db, { [accountKeys.stream('1', 'diary')]: '{not json' }))
    const { code, out } = await home.run('store check --json')
    expect(code).toBe(13)
    expect(out).toContain('account 1, stream diary')
  })

  it('is checked also when a file of the database prevents opening', async () => {
    await home.json('store compact')
    const db = join(placesOf(home.home).store, 'db')
    const table = readdirSync(db).find((name) => name.endsWith('.ldb')) ?? ''
    const bytes = readFileSync(join(db, table))
    bytes[10] = (bytes[10] ?? 0) ^ 0xff
    writeFileSync(join(db, table), bytes)
    const { code, out } = await home.run('store check --json')
    expect(code).toBe(13)
    expect(JSON.parse(out)).toMatchObject({ ok: false, problems: [{ where: expect.stringContaining(table) as unknown }] })
  })

  it('of an older format is migrated, and --dry-run lists the steps', async () => {
    await withDatabase(async (db) => {
      const record = JSON.parse(db.get(nodeKeys.format) ?? '') as Record<string, unknown>
      await write(db, { [nodeKeys.format]: JSON.stringify({ ...record, format: 1 }) })
    })
    const steps = [expect.stringContaining('Profile sets')]
    expect(await home.json('store migrate --dry-run')).toEqual({ format: 1, newestFormat: 2, steps, dryRun: true })
    expect(await home.json('store migrate')).toEqual({ format: 2, newestFormat: 2, steps, dryRun: false })
    expect(await home.json('store migrate')).toEqual({ format: 2, newestFormat: 2, steps: [], dryRun: false })
  })

  it('of a newer or unreadable format is refused', async () => {
    await withDatabase(async (db) => {
      const record = JSON.parse(db.get(nodeKeys.format) ?? '') as Record<string, unknown>
      await write(db, { [nodeKeys.format]: JSON.stringify({ ...record, format: 9 }) })
    })
    const newer = await home.run('store migrate --dry-run')
    expect([newer.code, newer.err]).toEqual([6, expect.stringMatching(/has format 9; this is coffer \S+, which knows formats up to 2/)])
    await withDatabase((db) => write(db, { [nodeKeys.format]: '{"format":"x"}' }))
    const none = await home.run('store check --json')
    expect([none.code, none.out]).toEqual([13, expect.stringContaining('format record that cannot be read')])
  })

  it('without the correct node key is checked except for sealed data', async () => {
    writeFileSync(placesOf(home.home).key, `${'0'.repeat(64)}\n`)
    const { code, err } = await home.run('store check')
    expect([code, err]).toEqual([0, expect.stringContaining('does not match the store')])
  })
})

it('store check refuses a home without a store', async () => {
  const { code } = await home.run(['store', 'check', '--home', join(home.home, 'nothing')])
  expect(code).toBe(10)
})

it('store stats has a label for each key family', () => {
  expect(Object.keys(FAMILIES).filter((family) => keyFamilyLabels[family] === undefined)).toEqual([])
})
