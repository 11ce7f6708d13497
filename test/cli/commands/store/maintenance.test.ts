/** Work on the store as a whole, with a running node and without. */
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
  const made = await testHome('ana-lovelace', 'bob-builder')
  await made.json('streams create Diary --id diary --user ana-lovelace')
  for (const content of ['one', 'two', 'three']) {
    await made.json(['events', 'create', '--user', 'ana-lovelace', '--stream', 'diary', '--type', 'note/txt', '--content', content])
  }
  return made
}

describe.each(['without a node', 'beside a running node'])('%s', (where) => {
  let node: TestNode | undefined
  beforeAll(async () => {
    home = await filledHome()
    if (where !== 'without a node') node = await startTestNode({}, { home: home.home })
  })
  afterAll(async () => {
    await node?.stop()
    await home.remove()
  })

  it('finds a sound store whole, and says what it looked at', async () => {
    const answer = await home.json('store check')
    expect(answer).toMatchObject({ ok: true, problems: [], found: 0, checked: { accounts: 2, streams: 1 } })
    expect((answer['checked'] as Record<string, number>)['events']).toBeGreaterThanOrEqual(3)
    expect((answer['checked'] as Record<string, number>)['tokens']).toBeGreaterThanOrEqual(0)
    const shown = await home.run('store check')
    expect([shown.code, shown.err]).toEqual([0, expect.stringContaining('✔ No problems found')])
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

  it('counts what there is', async () => {
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

  it('compacts, and tells the format', async () => {
    const { before, after } = await home.json('store compact')
    expect([before, after].every((size) => Number(size) > 0)).toBe(true)
    expect(await home.json('store migrate --dry-run')).toEqual({ format: 2, newestFormat: 2, steps: [], dryRun: true })
    expect(await home.json('store check')).toMatchObject({ ok: true })
  })

  it('looks at one moment while others write', async () => {
    if (node === undefined) return
    const { url } = node
    const { apiEndpoint } = (await home.json(['accesses', 'create', '--user', 'ana-lovelace', '--name', 'w', '--permission', 'diary:manage']))[
      'access'
    ] as { apiEndpoint: string }
    const token = new URL(apiEndpoint).username
    let isOver = false
    const writing = (async () => {
      for (let n = 0; !isOver || n < 20; n++) {
        const body = { streamIds: ['diary'], type: 'note/txt', content: String(n) }
        const { status } = await request(`${url}ana-lovelace/events`, { method: 'POST', token, body })
        expect(status).toBe(201)
      }
    })()
    for (let n = 0; n < 5; n++) expect(await home.json('store check')).toMatchObject({ ok: true, problems: [] })
    isOver = true
    await writing
  })

  it('remembers the damage that was found, until a check of everything finds none', async () => {
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

describe('what is damaged', () => {
  let kept: string
  beforeAll(async () => {
    home = await filledHome()
    kept = `${home.home}-kept`
    cpSync(home.home, kept, { recursive: true })
  })
  beforeEach(() => {
    rmSync(home.home, { recursive: true })
    cpSync(kept, home.home, { recursive: true })
  })
  afterAll(async () => {
    rmSync(kept, { recursive: true })
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

  it('is told with its place, its account and the next command; exit 13', async () => {
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

  it('is told by the comparison of names, where it is one of them; exit 13', async () => {
    expect(await home.run('platform check')).toMatchObject({ code: 0, out: '' })
    await withDatabase((db) => write(db, { [nodeKeys.username('bob-builder')]: '7' }))
    const { code, out, err } = await home.run('platform check')
    expect([code, out]).toEqual([13, expect.stringContaining('bob-builder') as string])
    expect(err).toContain('coffer store repair --dry-run')
  })

  it('is found when a node would not even open for it', async () => {
    await withDatabase((db) => write(db, { [accountKeys.stream('1', 'diary')]: '{not json' }))
    const { code, out } = await home.run('store check --json')
    expect(code).toBe(13)
    expect(out).toContain('account 1, stream diary')
  })

  it('is told of files that the store does not open with', async () => {
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

  it('a format that is older is brought to the newest one, and told before', async () => {
    await withDatabase(async (db) => {
      const record = JSON.parse(db.get(nodeKeys.format) ?? '') as Record<string, unknown>
      await write(db, { [nodeKeys.format]: JSON.stringify({ ...record, format: 1 }) })
    })
    const steps = [expect.stringContaining('Profile sets')]
    expect(await home.json('store migrate --dry-run')).toEqual({ format: 1, newestFormat: 2, steps, dryRun: true })
    expect(await home.json('store migrate')).toEqual({ format: 2, newestFormat: 2, steps, dryRun: false })
    expect(await home.json('store migrate')).toEqual({ format: 2, newestFormat: 2, steps: [], dryRun: false })
  })

  it('a format that is newer, or none, is refused in words', async () => {
    await withDatabase(async (db) => {
      const record = JSON.parse(db.get(nodeKeys.format) ?? '') as Record<string, unknown>
      await write(db, { [nodeKeys.format]: JSON.stringify({ ...record, format: 9 }) })
    })
    const newer = await home.run('store migrate --dry-run')
    expect([newer.code, newer.err]).toEqual([1, expect.stringContaining('has format 9; this coffer knows formats up to 2')])
    await withDatabase((db) => write(db, { [nodeKeys.format]: '{"format":"x"}' }))
    const none = await home.run('store check --json')
    expect([none.code, none.out]).toEqual([13, expect.stringContaining('format record that cannot be read')])
  })

  it('without the node key the rest is checked', async () => {
    writeFileSync(placesOf(home.home).key, `${'0'.repeat(64)}\n`)
    const { code, err } = await home.run('store check')
    expect([code, err]).toEqual([0, expect.stringContaining('does not match the store')])
  })
})

it('refuses a home without a store', async () => {
  const { code } = await home.run(['store', 'check', '--home', join(home.home, 'nothing')])
  expect(code).toBe(10)
})

it('has a name for each family of keys', () => {
  expect(Object.keys(FAMILIES).filter((family) => keyFamilyLabels[family] === undefined)).toEqual([])
})
