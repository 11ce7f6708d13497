/** Repair of a damaged store from a paired node: both have the same content afterwards. */
import { cpSync, readdirSync, rmSync, statSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadConfig } from '../../src/server/config/config.js'
import { createLog } from '../../src/server/base/log.js'
import { fillFromPeer, type PeerFill } from '../../src/server/maintenance/repair/fromPeer.js'
import { repairHome } from '../../src/server/maintenance/repair/repairHome.js'
import type { RepairReport } from '../../src/server/maintenance/repair/report.js'
import { each, openDatabase, type Batch, type Database } from '../../src/store/engine/database.js'
import { decodeEntry } from '../../src/store/engine/journal.js'
import { accountKeys, under } from '../../src/store/engine/keys.js'
import { coffer } from '../cli/support/testTerminal.js'
import { expectSound } from '../support/store/check.js'
import { filesOf, writeAllKinds } from '../support/store/damagedHome.js'
import { placesOf, request, startTestNode } from '../support/nodes/node.js'
import { pairSides, sidesInSync, startSide, type Side } from '../support/sync/pairedNodes.js'

const USER = 'anna1'
const PEER = { name: 'other' }
let a: Side
let b: Side
let savedHome: string

beforeAll(async () => {
  ;[a, b] = [await startSide(), await startSide()]
  await pairSides(a, b)
  await writeAllKinds(a.node, USER, a.token, 'a', 40)
  await writeAllKinds(b.node, USER, b.token, 'b', 20)
  await sidesInSync(a, b)
  await a.node.node.store.db.compact({ gte: '', lt: '~' })
  await writeAllKinds(a.node, USER, a.token, 'c', 20)
  // So many points at once are written as merged segments.
  const points = Array.from({ length: 10_000 }, (_, n) => [1000 + n, n % 7])
  const wrote = await request(`${a.node.url}${USER}/events/cs00000000000000000000097/series`, { token: a.token, body: { format: 'flatJSON', fields: ['deltaTime', 'value'], points } })
  expect(wrote.status).toBe(200)
  await sidesInSync(a, b)
  await a.node.stop()
  savedHome = `${a.home}-savedHome`
  cpSync(a.home, savedHome, { recursive: true })
})
afterAll(async () => {
  await b.node.stop()
  for (const path of [a.home, b.home, savedHome]) rmSync(path, { recursive: true, force: true })
})

async function repaired(seconds = 20): Promise<{ report: RepairReport; filled: PeerFill }> {
  rmSync(join(a.home, 'node.sock'), { force: true })
  const places = placesOf(a.home)
  const report = await repairHome(places, {
    archive: undefined,
    peer: PEER,
    passphrase: undefined,
    integrity: 'sha256',
    dryRun: false,
    accept: () => Promise.resolve(),
    now: () => Date.now() / 1000,
    progress: () => {},
  })
  const log = createLog('error', () => 0, () => {})
  const config = loadConfig({ file: places.config })
  return { report, filled: await fillFromPeer({ store: places.store, key: places.key, config, log }, PEER, report, seconds) }
}

type Damage = (home: string) => Promise<void> | void

async function tamper(home: string, change: (db: Database, batch: Batch) => Promise<void>): Promise<void> {
  const db = await openDatabase(join(placesOf(home).store, 'db'))
  const batch = db.batch()
  await change(db, batch)
  await batch.write({ sync: true })
  await db.close()
}

const fileOf = (home: string, end: string): string => {
  const db = join(placesOf(home).store, 'db')
  const names = readdirSync(db).filter((name) => name.endsWith(end))
  return join(db, names.sort((one, two) => statSync(join(db, two)).size - statSync(join(db, one)).size)[0] ?? '')
}

/** Returns the points of all series of an account, as clients read them. */
async function pointsOf({ node, token }: Side): Promise<Record<string, unknown>> {
  const { body } = await request(`${node.url}${USER}/events?limit=1000&types[]=series:mass/kg`, { token })
  const ids = (body['events'] as { id: string }[]).map(({ id }) => id).sort()
  expect(ids.length).toBeGreaterThan(0)
  const answers = await Promise.all(ids.map((id) => request(`${node.url}${USER}/events/${id}/series`, { token })))
  return Object.fromEntries(answers.map(({ body: { points } }, i) => [ids[i] ?? '', points]))
}

/** Removes the points that one write added to a series. */
const losePoints: Damage = (home) =>
  tamper(home, async (db, batch) => {
    const keys: string[] = []
    for (const prefix of [accountKeys.allPoints('1'), accountKeys.allNewPoints('1')]) for await (const key of each(db.keys(under(prefix)))) keys.push(key)
    expect(keys.length).toBeGreaterThan(2)
    batch.delete(keys[0] ?? '')
  })

/** Returns the journal entries of series in a closed store, and the series versions. */
async function seriesIn(home: string): Promise<string[]> {
  const db = await openDatabase(join(placesOf(home).store, 'db'))
  const found: string[] = []
  for await (const [key, bytes] of each(db.byteEntries(under(accountKeys.journals('1'))))) {
    if (decodeEntry(bytes)?.kind === 'series') found.push(key)
  }
  for await (const [key, text] of each(db.entries(under(accountKeys.allSeriesVersions('1'))))) found.push(`${key} ${text}`)
  await db.close()
  return found
}

/** Damages, with the part that is repaired before the paired node is contacted. */
const rows: [string, Damage, RepairReport['mended']][] = [
  ['the log is truncated', (home) => truncateSync(fileOf(home, '.log'), 2000), 'store'],
  ['events are gone, with their changes and indexes', (home) =>
    tamper(home, async (db, batch) => {
      for await (const [key, text] of each(db.entries(under('1/')))) if (/c[ab]0{20}\d\d\d/.test(`${key} ${text}`) && !key.startsWith('1/g/')) batch.delete(key)
    }), 'store'],
  ['streams and an access are gone', (home) =>
    tamper(home, async (db, batch) => {
      for await (const [key, text] of each(db.entries(under('1/')))) {
        if (/^1\/[tfj]\//.test(key) && /below-[ab]/.test(`${key} ${text}`)) batch.delete(key)
        if (key.startsWith(accountKeys.accesses('1')) && text.includes('"access a"')) batch.delete(key)
      }
    }), 'store'],
  ['points are gone', (home) =>
    tamper(home, async (db, batch) => {
      for (const prefix of [accountKeys.allSeries('1'), accountKeys.allPoints('1'), accountKeys.allNewPoints('1'), accountKeys.allPointsSummaries('1'), accountKeys.allSeriesVersions('1'), accountKeys.seriesActors('1', '')]) {
        for await (const key of each(db.keys(under(prefix)))) batch.delete(key)
      }
    }), null],
  ['points in the middle of a series are gone', losePoints, 'store'],
  ['a merged segment of a series is gone', (home) =>
    tamper(home, async (db, batch) => {
      const merged: string[] = []
      for await (const key of each(db.keys(under(accountKeys.allPoints('1'))))) merged.push(key)
      expect(merged.length).toBeGreaterThan(1)
      batch.delete(merged[0] ?? '')
    }), 'store'],
  ['attached files are gone', (home) => rmSync(join(home, 'files', '1'), { recursive: true }), 'files'],
]

describe('a repair from a paired node', () => {
  it.each(rows)('restores the content of the peer: %s', { timeout: 60_000 }, async (_, damage, mended) => {
    rmSync(a.home, { recursive: true })
    cpSync(savedHome, a.home, { recursive: true })
    await damage(a.home)
    const { report, filled } = await repaired()
    expect(report.mended).toBe(mended)
    expect(filled, JSON.stringify(report)).toMatchObject({ waiting: [] })
    expect(filled.reason).toBeUndefined()
    await expectSound(placesOf(a.home))
    // In-sync means that the digests of everything were compared; here the nodes also sync once more.
    const node = await startTestNode({}, { home: a.home })
    try {
      const account = (await node.node.accounts.find(USER))?.account
      if (account === undefined) throw new Error('no account')
      const again: Side = { ...a, node, account }
      await sidesInSync(again, b)
      const [here, there] = await Promise.all([node.node.sync.verify(account), b.node.node.sync.verify(b.account)])
      expect(here).toMatchObject({ sound: true })
      expect(here.items).toBeGreaterThan(60)
      expect(here).toEqual(there)
      expect(filesOf(placesOf(a.home))).toEqual(filesOf(placesOf(b.home)))
      expect(await pointsOf(again)).toEqual(await pointsOf(b))
    } finally {
      await node.stop()
    }
  })

  it('lists the items that the paired node lacks too', { timeout: 60_000 }, async () => {
    rmSync(a.home, { recursive: true })
    cpSync(savedHome, a.home, { recursive: true })
    await tamper(a.home, (_, batch) => {
      for (const id of ['cnowhere', 'ca00000000000000000000001']) batch.put(accountKeys.modified('1', 5, id), 'B')
      batch.delete(accountKeys.profile('1', 'private'))
      return Promise.resolve()
    })
    const { report, filled } = await repaired()
    const profile = { where: 'account 1, profile private' }
    expect(report).toMatchObject({ lost: [], waiting: [profile, { where: 'account 1, event cnowhere' }] })
    expect(filled).toMatchObject({ repaired: [{ ...profile, from: 'peer' }], waiting: [], lost: [{ where: 'account 1, event cnowhere' }] })
    await expectSound(placesOf(a.home))
  })

  it('is run by the command, which lists the source of each repaired item', { timeout: 60_000 }, async () => {
    rmSync(a.home, { recursive: true })
    cpSync(savedHome, a.home, { recursive: true })
    truncateSync(fileOf(a.home, '.log'), 2000)
    const run = (line: string): ReturnType<typeof coffer> => coffer(line, { env: { COFFER_HOME: a.home, NO_COLOR: '1' } })
    const { code, out, err } = await run('store repair --from-peer other --accept-risk=lose-data --timeout 20s --json')
    const report = JSON.parse(out) as RepairReport
    expect(report, err).toMatchObject({ from: 'other', waiting: [] })
    expect(code).toBe(report.lost.length === 0 ? 0 : 3)
    await expectSound(placesOf(a.home))
    const { code: again, out: output } = await run('store repair --from-peer other --timeout 20s')
    expect([again, output]).toEqual([0, ''])
  })

  it('times out without the peer, and leaves a sound store', { timeout: 60_000 }, async () => {
    rmSync(a.home, { recursive: true })
    cpSync(savedHome, a.home, { recursive: true })
    const places = placesOf(a.home)
    await tamper(a.home, (db, batch) => {
      const key = accountKeys.peer('1', 1)
      batch.put(key, (db.get(key) ?? '').replace(b.node.url, 'http://127.0.0.1:9/'))
      batch.delete(accountKeys.profile('1', 'private'))
      return Promise.resolve()
    })
    rmSync(join(a.home, 'files', '1'), { recursive: true })
    const { report, filled } = await repaired(2)
    expect(report.kept).not.toBeNull()
    expect(filled.waiting.length).toBeGreaterThan(0)
    expect(filled.reason).toBeDefined()
    // Missing files of peers are not damage.
    await expectSound(places)
  })

  it('fetches the points of a series once the peer is reachable, and journals nothing of them before', { timeout: 60_000 }, async () => {
    rmSync(a.home, { recursive: true })
    cpSync(savedHome, a.home, { recursive: true })
    const address = (from: string, to: string): Promise<void> =>
      tamper(a.home, (db, batch) => {
        const key = accountKeys.peer('1', 1)
        return Promise.resolve(batch.put(key, (db.get(key) ?? '').replace(from, to)))
      })
    await address(b.node.url, 'http://127.0.0.1:9/')
    await losePoints(a.home)
    const before = await seriesIn(a.home)
    const { filled } = await repaired(2)
    expect(filled).toMatchObject({ repaired: [], lost: [], reason: expect.any(String) as string })
    expect(await seriesIn(a.home)).toEqual(before)
    await address('http://127.0.0.1:9/', b.node.url)
    expect((await repaired()).filled).toEqual({ repaired: [], lost: [], waiting: [] })
    const node = await startTestNode({}, { home: a.home })
    try {
      expect(await pointsOf({ ...a, node })).toEqual(await pointsOf(b))
    } finally {
      await node.stop()
    }
  })
})
