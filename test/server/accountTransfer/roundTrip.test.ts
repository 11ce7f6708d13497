/** Export and import of an account: every method answers the same afterwards. `SEED` repeats a run. */
import { existsSync } from 'node:fs'
import { readdir, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { coffer } from '../../cli/support/testTerminal.js'
import { expectSound } from '../../support/store/check.js'
import { homes } from '../../support/nodes/home.js'
import { openTotpSecret, putEnrolment, readEnrolment, sealTotpSecret } from '../../../src/store/accounts/credentials.js'
import type { LoadedAccount } from '../../../src/server/call/accountCache.js'
import { placesOf, startTestNode, type TestNode } from '../../support/nodes/node.js'
import { callAt, pairSides, sidesInSync, startSide, type Side } from '../../support/sync/pairedNodes.js'
import { newStage, type Stage } from '../../support/http/methodTable.js'
import { seeded } from '../../store/leveldb/fixtures.js'
import { answersOf, fillAll } from './sampleAccount.js'

const SEED = Number(process.env['SEED'] ?? 1 + (Date.now() % 1_000_000))
const { folder, home } = homes()
const RENAMED = 'ana-renamed'
const SECRET = 'JBSWY3DPEHPK3PXP'
const settings = { 'versioning.forceKeepHistory': true }

type Json = Record<string, unknown>
let from: TestNode
let s: Stage
let app: string
let exports: string
let former: string

async function run(homePath: string, line: string[], stdin = ''): Promise<{ code: number; lines: Json[]; err: string }> {
  const { code, out, err } = await coffer([...line, '--json'], { env: { COFFER_HOME: homePath, NO_COLOR: '1' }, stdin })
  return { code, err, lines: out.split('\n').filter((each) => each !== '').map((each) => JSON.parse(each) as Json) }
}

beforeAll(async () => {
  exports = await folder()
  from = await startTestNode(settings, { home: (await home()).home })
  s = await newStage(from)
  const draw = seeded(SEED)
  app = (await fillAll(s, () => draw(1 << 30) / 2 ** 30)).app
  expect(await run(from.places.home, ['users', 'rename', s.username, RENAMED])).toMatchObject({ code: 0 })
  former = s.username
  s = { ...s, username: RENAMED }
  s.arrange = (id, params) => arrangeOn(s, id, params)
  const { account } = (await from.node.accounts.find(RENAMED)) as LoadedAccount
  const totp = { secret: sealTotpSecret(from.node.store.seal, account.prefix, SECRET), algorithm: 'sha1', digits: 6, periodSeconds: 30, confirmedAt: 1, lastUsedStep: 2 } as const
  await account.write((t) => putEnrolment(t, { id: 'factor', method: 'totp', content: {}, recoveryCodes: ['0'.repeat(64)], totp }))
})
afterAll(() => from.stop())

describe(`export and import of an account (seed ${SEED})`, () => {
  it('exports from a running node to files that only their owner can read', async () => {
    const path = join(exports, 'plain')
    const { code, lines, err } = await run(from.places.home, ['users', 'export', s.username, '--to', path])
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(lines.at(-1)).toMatchObject({ event: 'done', path, sealed: false, problems: [], counts: { streams: 5, eventDeletions: 2, attachments: 3, files: 2, series: 1, points: 50, webhooks: 1, followedSlices: 1, accessDeletions: 1 } })
    expect((await readdir(path)).filter((name) => name.endsWith('.ndjson'))).toHaveLength(10)
    expect((await stat(join(path, 'accesses.ndjson'))).mode & 0o777).toBe(0o600)
    expect((await stat(path)).mode & 0o077).toBe(0)
    expect(await readFile(join(path, 'accesses.ndjson'), 'utf8')).toContain(app)
    expect(await readdir(join(from.places.home, 'checkpoints')).catch(() => [])).toEqual([])
  })

  it('imports the same contents on another node under another name', async () => {
    const to = await startTestNode(settings, { home: (await home()).home })
    const before = await answersOf(s, app)
    const trial = await run(to.places.home, ['users', 'import', join(exports, 'plain'), '--as', 'ana-elsewhere', '--dry-run'])
    expect({ code: trial.code, err: trial.err, last: trial.lines.at(-1) }).toMatchObject({ code: 0, err: '', last: { event: 'done', dryRun: true, refused: 0, differences: 0 } })
    expect(await to.node.accounts.find('ana-elsewhere')).toBeUndefined()
    const done = await run(to.places.home, ['users', 'import', join(exports, 'plain'), '--as', 'ana-elsewhere'])
    expect({ lines: done.lines, code: done.code, err: done.err }).toMatchObject({ code: 0, err: '', lines: [{ event: 'done', username: 'ana-elsewhere', refused: 0, differences: 0 }] })
    const target: Stage = { ...(await newStage(to)), username: 'ana-elsewhere', owner: s.owner }
    const arranged: Stage = { ...target, arrange: (id, params) => arrangeOn(target, id, params) }
    expect(await answersOf(arranged, app)).toEqual(before)
    const { account } = (await to.node.accounts.find('ana-elsewhere')) as LoadedAccount
    const factor = readEnrolment(to.node.store.db, account.prefix)
    expect(openTotpSecret(to.node.store.seal, account.prefix, factor?.totp?.secret ?? '')).toBe(SECRET)
    // With --as, former usernames are not imported.
    expect(await to.node.accounts.find(former)).toBeUndefined()
    const again = await run(to.places.home, ['users', 'import', join(exports, 'plain'), '--as', 'ana-elsewhere'])
    expect(again).toMatchObject({ code: 6, lines: [] })
    expect(JSON.parse(again.err)).toMatchObject({ error: { id: 'item-already-exists', data: { username: 'ana-elsewhere' } } })
    const plain = join(exports, 'plain')
    const typed = async (...words: string[]): Promise<string> =>
      (await coffer(['users', 'import', plain, ...words], { env: { COFFER_HOME: to.places.home, NO_COLOR: '1' } })).err
    expect(await typed('--as', 'ana-elsewhere')).toContain(`→ Choose others: coffer users import ${plain} --as '<other name>' --email '<other address>'\n`)
    expect(await typed('--as', 'ana-third', '--dry-run')).toContain(`→ Choose others: coffer users import ${plain} --as ana-third --email '<other address>' --dry-run\n`)
    await to.stop()
    await expectSound(to.places)
  })

  it('imports an account that can be paired and synced', async () => {
    const there = await startSide(settings)
    const place = (await home()).home
    const node = await startTestNode(settings, { home: place })
    const options = ['--as', 'anna1', '--email', 'elsewhere@example.org']
    expect(await run(place, ['users', 'import', join(exports, 'plain'), ...options])).toMatchObject({ code: 0 })
    const { account } = (await node.node.accounts.find('anna1')) as LoadedAccount
    const here: Side = { home: place, node, token: s.owner, account }
    await pairSides(here, there)
    await sidesInSync(here, there)
    const all = { fromTime: -1e12, toTime: 1e12, state: 'all', types: ['note/*', 'mass/*', 'test/*', 'picture/*', 'activity/*', 'series:mass/kg'] }
    const [one, other] = [await callAt(here, 'events.get', all), await callAt(there, 'events.get', all)]
    const plainOf = (result: Json): unknown => JSON.parse(JSON.stringify(result['events'], (key, value: unknown) => (key === 'readToken' ? undefined : value)))
    expect((one['events'] as unknown as Json[]).length).toBeGreaterThan(35)
    expect(plainOf(other)).toEqual(plainOf(one))
    await node.stop()
    await there.node.stop()
    await expectSound(placesOf(there.home))
    await expectSound(placesOf(place))
    await rm(there.home, { recursive: true })
  })

  it('works with an encrypted archive and with stores of stopped nodes', async () => {
    const path = join(exports, 'sealed')
    const secret = ['--passphrase-stdin']
    expect(await run(from.places.home, ['users', 'export', s.username, '--to', path, ...secret], 'open sesame')).toMatchObject({ code: 0 })
    expect(await readFile(join(path, 'accesses.ndjson'), 'latin1')).not.toContain(app)
    const places = await home()
    expect(await run(places.home, ['users', 'import', path, ...secret], 'wrong')).toMatchObject({ code: 12 })
    expect(await run(places.home, ['users', 'import', path, ...secret], 'open sesame')).toMatchObject({ code: 0, lines: [{ username: s.username }] })
    const second = join(exports, 'again')
    const { lines: shown } = await run(places.home, ['users', 'show', former])
    expect(shown[0]).toMatchObject({ user: { username: RENAMED, formerUsernames: [former] } })
    expect(await run(places.home, ['users', 'export', s.username, '--to', second])).toMatchObject({ code: 0 })
    for (const file of ['streams.ndjson', 'events.ndjson', 'history.ndjson', 'series.ndjson', 'accesses.ndjson', 'deletions.ndjson', 'profiles.ndjson']) {
      expect(linesOf(await readFile(join(second, file), 'utf8')), file).toEqual(linesOf(await readFile(join(exports, 'plain', file), 'utf8')))
    }
    await expectSound(places)
  })

  it('refuses a target that is not empty and an unknown account', async () => {
    expect(await run(from.places.home, ['users', 'export', s.username, '--to', exports])).toMatchObject({ code: 6 })
    expect(await run(from.places.home, ['users', 'export', 'nobody-here', '--to', join(exports, 'none')])).toMatchObject({ code: 5 })
    expect(existsSync(join(exports, 'none'))).toBe(false)
  })

  it('reports attached files that were left out of the archive', async () => {
    const path = join(exports, 'bare')
    expect(await run(from.places.home, ['users', 'export', s.username, '--to', path, '--without-files'])).toMatchObject({ code: 0 })
    const places = await home()
    const { code, lines } = await run(places.home, ['users', 'import', path])
    expect(code).toBe(3)
    expect(lines.filter(({ event }) => event === 'refused')).toHaveLength(3)
    expect(lines.at(-1)).toMatchObject({ asked: { attachments: 3 }, restored: { attachments: 0 }, refused: 3, differences: 1 })
    await expectSound(places)
  })
})

/** Returns the sorted lines without storage sizes, which a node computes itself, and without session and usage times. */
const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .filter((line) => !line.includes('data-quantity/b'))
    .map((line) => line.replace(/,"session":[\d.]+/, '').replace(/,"usage":\{[^{}]*(\{[^{}]*\}[^{}]*)?\}/, ''))
    .sort()

async function arrangeOn(stage: Stage, id: string, params: unknown): Promise<Json> {
  const { callThrough } = await import('../../support/http/methodTable.js')
  const { status, body } = await callThrough('http', stage, stage.owner, id, params)
  if (status >= 300) throw new Error(`${id}: ${JSON.stringify(body)}`)
  return body
}
