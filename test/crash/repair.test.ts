/** Repair of damaged stores: complete from a backup, without one as far as they are readable. */
import { cpSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Archive } from '../../src/store/backup/archive.js'
import { each, openDatabase, type Batch, type Database } from '../../src/store/engine/database.js'
import { accountKeys, nodeKeys, under } from '../../src/store/engine/keys.js'
import type { HomePlaces } from '../../src/server/launch/init.js'
import { repairHome, type RepairOptions } from '../../src/server/maintenance/repair/repairHome.js'
import type { Loss, RepairReport } from '../../src/server/maintenance/repair/report.js'
import { seeded } from '../store/leveldb/fixtures.js'
import { expectSound } from '../support/store/check.js'
import { backUp, entriesOf, entriesOfBackup, filesOf, openPlain, writeAllKinds } from '../support/store/damagedHome.js'
import { homes } from '../support/nodes/home.js'
import { placesOf, registerUser, startTestNode } from '../support/nodes/node.js'

const SEED = Number(process.env['SEED'] ?? 11)
const isLong = process.env['LONG'] === '1'
const next = seeded(SEED)
const { home, folder } = homes()

let sound: HomePlaces
let backup: Archive
/** Entries of the sound store, and of the backup. */
let whole: Map<string, string>
let backedUp: Map<string, string>
let newest: { log: string; table: string; manifest: string }

beforeAll(async () => {
  sound = await home()
  let node = await startTestNode({}, { home: sound.home })
  const token = await registerUser(node, 'alice')
  await writeAllKinds(node, 'alice', token, 'a', 60)
  const path = join(await folder(), 'backup')
  await backUp(node, path)
  await node.stop()
  node = await startTestNode({}, { home: sound.home })
  await writeAllKinds(node, 'alice', token, 'b', 60)
  await node.node.store.db.compact({ gte: '', lt: '~' })
  await writeAllKinds(node, 'alice', token, 'c', 40)
  await node.stop()
  backup = await openPlain(path)
  backedUp = await entriesOfBackup(backup)
  whole = await entriesOf(sound.store, join(await folder(), 'db'))
  const files = readdirSync(join(sound.store, 'db')).sort()
  const last = (end: string): string => files.filter((name) => name.endsWith(end)).sort((a, b) => size(b) - size(a))[0] ?? ''
  const size = (name: string): number => statSync(join(sound.store, 'db', name)).size
  newest = { log: last('.log'), table: last('.ldb'), manifest: files.find((name) => name.startsWith('MANIFEST')) ?? '' }
})

async function copyHome(): Promise<HomePlaces> {
  const places = placesOf(await folder())
  cpSync(sound.home, places.home, { recursive: true })
  return places
}

async function repaired(places: HomePlaces, options: Partial<RepairOptions> = {}): Promise<RepairReport> {
  return repairHome(places, {
    archive: backup,
    peer: undefined,
    passphrase: undefined,
    integrity: 'sha256',
    dryRun: false,
    accept: () => Promise.resolve(),
    now: () => Date.now() / 1000,
    progress: () => {},
    ...options,
  })
}

/** Expects all entries of the backup that did not change since; returns the current entries. */
async function expectBackedUp(places: HomePlaces, { repaired: items }: RepairReport): Promise<Map<string, string>> {
  const now = await entriesOf(places.store, join(await folder(), 'db'))
  // Sessions may have ended since: users sign in again.
  const missing = [...backedUp].filter(([key, value]) => whole.get(key) === value && now.get(key) !== value && !/^1\/x\//.test(key))
  // Changes of items that were restored from a record newer than the backup are entries of their own.
  const isRestored = items.some(({ from }) => from === 'record' || from === 'changes')
  const unexplained = missing.filter(([key]) => !(isRestored && key.startsWith('1/j/') && now.get(key) === '!'))
  expect(unexplained.map(([key]) => key), `seed ${SEED}`).toEqual([])
  return now
}

/**
 * Expects the former entries, except those that a repair changes: places of restored items, whose changes are at the end of the
 * journal and published like remote ones, and the time of the last sum of file sizes. Usage counters of accesses may be lost in
 * any crash.
 */
function expectSame(now: ReadonlyMap<string, string>, name = ''): void {
  const isCompared = ([key]: [string, string]): boolean => !/^1\/(?:[jifbpSA]|received)\/|^!format$|:_system:attachedFiles$/.test(key)
  const [before, after] = [[...whole].filter(isCompared), [...now].filter(isCompared)]
  const differs = [...after.filter(([key, value]) => whole.get(key) !== value), ...before.filter(([key]) => !now.has(key))]
  expect(differs.map(([key]) => [key, whole.get(key), now.get(key)]), name).toEqual([])
}

type Damage = (store: string, at: number) => void
const inFile = (file: () => string, change: (path: string, at: number) => void): Damage => (store, at) => {
  const path = join(store, 'db', file())
  change(path, Math.floor((statSync(path).size - 1) * (at / 1000)))
}
const flip = (path: string, at: number): void => {
  const bytes = readFileSync(path)
  bytes[at] = (bytes[at] ?? 0) ^ (1 + next(255))
  writeFileSync(path, bytes)
}
const zero = (path: string, at: number): void => {
  const bytes = readFileSync(path)
  writeFileSync(path, bytes.fill(0, at, Math.min(at + 4096, bytes.length)))
}
const remove = (path: string): void => rmSync(path)
const empty = (path: string): void => truncateSync(path, 0)
const log = (): string => newest.log
const table = (): string => newest.table
const manifest = (): string => newest.manifest
const current = (): string => 'CURRENT'
const head = (): string => '../HEAD'

/** Damages after which everything is still readable: nothing may differ. */
const harmless: [string, Damage][] = [
  ['CURRENT is gone', inFile(current, remove)],
  ['CURRENT is empty', inFile(current, empty)],
  ['MANIFEST is gone', inFile(manifest, remove)],
  ['MANIFEST has a flipped byte', inFile(manifest, flip)],
  ['HEAD is gone', inFile(head, remove)],
  ['HEAD is empty', inFile(head, empty)],
]

/** Damages after which something is unreadable. */
const harmful: [string, Damage][] = [
  ['the log has a flipped byte', inFile(log, flip)],
  ['the log has a zeroed page', inFile(log, zero)],
  ['the log ends too early', inFile(log, truncateSync)],
  ['the log is gone', inFile(log, remove)],
  ['a table has a flipped byte', inFile(table, flip)],
  ['a table has a zeroed page', inFile(table, zero)],
  ['a table ends too early', inFile(table, truncateSync)],
  ['a table is gone', inFile(table, remove)],
  ['the database is gone', (store) => rmSync(join(store, 'db'), { recursive: true })],
]

/** Returns every second row in the ordinary run. */
const some = <T>(rows: T[]): T[] => rows.filter((_, n) => isLong || n % 2 === 0)

describe('a repair of a store with all data still readable', () => {
  it.each(some(harmless))('restores the former content: %s', async (_, damage) => {
    // A backup has nothing newer.
    for (const archive of [undefined, backup]) {
      const places = await copyHome()
      damage(places.store, 500)
      const report = await repaired(places, { archive })
      expect(report).toMatchObject({ lost: [], waiting: [] })
      expect(report.damage.length).toBeGreaterThan(0)
      await expectSound(places)
      expect(await entriesOf(places.store, join(await folder(), 'db'))).toEqual(whole)
      // The damaged store is kept.
      expect(readdirSync(report.kept ?? '')).toContain('db')
    }
  })

  it('leaves a sound store unchanged', async () => {
    const places = await copyHome()
    const before = readdirSync(join(places.store, 'db')).sort()
    expect(await repaired(places)).toMatchObject({ repaired: [], lost: [], kept: null })
    expect(readdirSync(join(places.store, 'db')).sort()).toEqual(before)
    expect(readdirSync(places.home).filter((name) => name.startsWith('store'))).toEqual(['store'])
  })
})

/** Offsets of damage in a file, in thousandths of its length. */
const AT = isLong ? [3, 50, 120, 250, 380, 500, 640, 777, 850, 930, 990, 999] : [620]

describe('a repair of a damaged store', () => {
  it.each(some(harmful))('restores everything from a complete backup: %s', async (_, damage) => {
    for (const at of AT) {
      const places = await copyHome()
      damage(places.store, at)
      const report = await repaired(places)
      await expectSound(places)
      await expectBackedUp(places, report)
      // A log that lost unacknowledged data is not damaged, and stays.
      expect(report.kept !== null).toBe(report.damage.length + report.lost.length + report.repaired.length > 0)
      expect(filesOf(places)).toEqual(filesOf(sound))
      const node = await startTestNode({}, { home: places.home })
      await node.stop()
      rmSync(places.home, { recursive: true })
    }
  })

  it.each(some(harmful.slice(0, -1)))('without a backup restores the readable data, and lists the lost ones: %s', async (_, damage) => {
    for (const at of AT) {
      const places = await copyHome()
      damage(places.store, at)
      const lost: Loss[] = []
      const report = await repaired(places, { archive: undefined, accept: (all) => Promise.resolve(void lost.push(...all)) })
      expect(report.lost).toEqual(lost)
      // The remaining data differ from the former ones by the listed losses alone.
      if (lost.length === 0) expectSame(await entriesOf(places.store, join(await folder(), 'db')))
      await expectSound(places)
      rmSync(places.home, { recursive: true })
    }
  })
})

/** Writes into the database of a closed store, without its checks. */
async function tamper(places: HomePlaces, change: (db: Database, batch: Batch) => Promise<void>): Promise<void> {
  const db = await openDatabase(join(places.store, 'db'))
  const batch = db.batch()
  await change(db, batch)
  await batch.write({ sync: true })
  await db.close()
}

async function keysUnder(db: Database, prefix: string): Promise<string[]> {
  const keys: string[] = []
  for await (const key of each(db.keys(under(prefix)))) keys.push(key)
  return keys
}

/** Returns the first event of a client, by its record. */
async function eventNamed(db: Database, name: string): Promise<[key: string, text: string]> {
  for await (const [key, text] of each(db.entries(under(accountKeys.events('1'))))) if (text.includes(`"id":"c${name}0`)) return [key, text]
  throw new Error('no such event')
}

describe('a repair of a store with inconsistent entries', () => {
  const rows: [string, (db: Database, batch: Batch) => Promise<void>, from: string][] = [
    ['a record has another content', async (db, batch) => {
      const [key, text] = await eventNamed(db, 'a')
      batch.put(key, text.replace('"note/txt"', '"note/html"'))
    }, 'changes'],
    ['a record is not JSON', async (db, batch) => batch.put((await eventNamed(db, 'c'))[0], '{'), 'changes'],
    ['a record is gone', async (db, batch) => batch.delete((await eventNamed(db, 'b'))[0]), 'changes'],
    ['records of streams are gone', async (db, batch) => {
      for (const key of await keysUnder(db, accountKeys.streams('1'))) batch.delete(key)
    }, 'changes'],
    ['places are gone', async (db, batch) => {
      for (const key of await keysUnder(db, accountKeys.eventPlaces('1'))) if (!db.get(key)?.startsWith('{')) batch.delete(key)
    }, 'changes'],
    ['document states are gone', async (db, batch) => {
      for (const key of await keysUnder(db, accountKeys.docState('1', ''))) batch.delete(key)
    }, 'changes'],
    ['a profile set has another content', (db, batch) => {
      const key = accountKeys.profile('1', 'private')
      batch.put(key, (db.get(key) ?? '').replace('"a":"a"', '"a":"z"'))
      return Promise.resolve()
      // No other entry has its values.
    }, 'record'],
    ['indexes are gone, and others stale', async (db, batch) => {
      for (const prefix of [accountKeys.modifieds('1'), accountKeys.periods('1'), accountKeys.streamEvents('1', 'below-a'), accountKeys.accessNames('1'), '!n/', '!q/', '!t/']) {
        for (const key of await keysUnder(db, prefix)) batch.delete(key)
      }
      batch.put(accountKeys.modified('1', 5, 'cnobody'), 'x')
      batch.put(nodeKeys.username('nobody'), '1')
    }, 'entries'],
    ['the references of files are gone', async (db, batch) => {
      for (const key of await keysUnder(db, accountKeys.fileReferences('1'))) batch.delete(key)
    }, 'entries'],
    ['the digests of files are gone', async (db, batch) => {
      for (const key of await keysUnder(db, accountKeys.fileDigests('1'))) batch.delete(key)
    }, 'entries'],
    ['heads, version vectors and actors of series are gone', async (db, batch) => {
      for (const prefix of [accountKeys.allSeries('1'), accountKeys.allSeriesVersions('1'), accountKeys.seriesActors('1', '')]) {
        for (const key of await keysUnder(db, prefix)) batch.delete(key)
      }
    }, 'entries'],
    ['a link of the chain is gone', (_, batch) => Promise.resolve(batch.delete(nodeKeys.commit(5))), 'entries'],
    ['the record of the store is gone', (_, batch) => Promise.resolve(batch.delete(nodeKeys.format)), ''],
  ]

  it.each(rows)('restores the former content: %s', async (name, change, from) => {
    const places = await copyHome()
    await tamper(places, change)
    const report = await repaired(places, { archive: undefined })
    await expectSound(places)
    if (from !== '') expect(report.repaired.map((each) => each.from)).toContain(from)
    expectSame(await entriesOf(places.store, join(await folder(), 'db')), name)
  })

  it('restores unreadable records without changes from the backup', async () => {
    const places = await copyHome()
    await tamper(places, async (db, batch) => {
      for (const key of await keysUnder(db, accountKeys.accesses('1'))) if (backedUp.has(key)) batch.put(key, '{"id":')
    })
    const report = await repaired(places)
    await expectSound(places)
    expect(report.lost).toEqual([])
    expect(report.repaired.map(({ from }) => from)).toContain('backup')
    await expectBackedUp(places, report)
  })
})

describe('a repair of a profile set, whose values are in no other entry,', () => {
  const key = accountKeys.profile('1', 'private')
  const tamperings: [string, (text: string) => string | undefined][] = [
    ['is gone', () => undefined],
    ['cannot be read', (text) => text.slice(0, 20)],
    ['has another content', (text) => text.replace('"a":"a"', '"a":"z"')],
  ]
  const keysOf = (text: string | undefined): unknown => JSON.parse(text?.split('\n')[1] ?? 'null')

  it.each(tamperings)('restores it from the backup, with later values where readable: it %s', async (_, change) => {
    const places = await copyHome()
    await tamper(places, (db, batch) => {
      const text = change(db.get(key) ?? '')
      if (text === undefined) batch.delete(key)
      else batch.put(key, text)
      return Promise.resolve()
    })
    const report = await repaired(places)
    await expectSound(places)
    expect(report).toMatchObject({ lost: [] })
    expect(report.repaired.map(({ from }) => from)).toContain('backup')
    const now = (await entriesOf(places.store, join(await folder(), 'db'))).get(key)
    const former = backedUp.get(key)
    expect(keysOf(former)).not.toEqual(keysOf(whole.get(key)))
    expect(keysOf(now)).toEqual(change(whole.get(key) ?? '')?.includes('\n') === true ? keysOf(whole.get(key)) : keysOf(former))
  })

  it('preserves its stamps when an entry of the journal is gone', async () => {
    const places = await copyHome()
    await tamper(places, async (db, batch) => {
      for await (const [at, bytes] of each(db.byteEntries(under(accountKeys.journals('1'))))) if (Buffer.from(bytes).toString('latin1').startsWith('p')) batch.put(at, '!')
    })
    await repaired(places, { archive: undefined })
    await expectSound(places)
    const stamps = (entries: ReadonlyMap<string, string>): unknown => {
      const { set, removed, actors } = JSON.parse(entries.get(key)?.split('\n')[0] ?? '') as { set: number[][]; removed: Record<string, number[]>; actors: string[] }
      const without = (stamp: number[]): unknown => [stamp[0], actors[stamp[1] ?? -1]]
      return [set.map(without), Object.entries(removed).map(([name, stamp]) => [name, without(stamp)])]
    }
    expect(stamps(await entriesOf(places.store, join(await folder(), 'db')))).toEqual(stamps(whole))
  })
})

describe('a repair of a series with lost points', () => {
  it('lists it as lost, and preserves the other points', async () => {
    const places = await copyHome()
    await tamper(places, async (db, batch) => batch.delete((await keysUnder(db, accountKeys.allNewPoints('1')))[0] ?? ''))
    const report = await repaired(places, { archive: undefined })
    expect(report.lost).toEqual([{ where: expect.stringMatching(/^account 1, series of event /) as string, user: 'alice', what: expect.any(String) as string }])
    await expectSound(places)
  })
})

describe('a repair of an account without its user', () => {
  it('preserves everything else, and the user name', async () => {
    const places = await copyHome()
    await tamper(places, (_, batch) => Promise.resolve(batch.delete(accountKeys.user('1'))))
    const report = await repaired(places, { archive: undefined })
    expect(report.lost).toEqual([{ where: 'account 1', user: 'alice', what: expect.stringContaining('set-password') as string }])
    await expectSound(places)
    const now = await entriesOf(places.store, join(await folder(), 'db'))
    const differs = [...whole].filter(([key, value]) => now.get(key) !== value).map(([key]) => key)
    expect(differs).toEqual([accountKeys.user('1')])
    const [was, is] = [whole, now].map((entries) => JSON.parse(entries.get(accountKeys.user('1')) ?? '{}') as Record<string, unknown>)
    expect({ ...is, passwordHash: 0, created: 0, passwordChanged: 0, hidden: 0 }).toEqual({ ...was, passwordHash: 0, created: 0, passwordChanged: 0, hidden: 0 })
  })

  it('restores the user from a backup, and removes an account without any name once that is accepted', async () => {
    const places = await copyHome()
    await tamper(places, (_, batch) => Promise.resolve(batch.put(accountKeys.user('1'), '{')))
    expect((await repaired(places)).lost).toEqual([])
    await expectSound(places)
    expect(await entriesOf(places.store, join(await folder(), 'db'))).toEqual(whole)
    const other = await copyHome()
    await tamper(other, (_, batch) => {
      batch.delete(accountKeys.user('1'))
      batch.delete(nodeKeys.username('alice'))
      return Promise.resolve()
    })
    const report = await repaired(other, { archive: undefined })
    expect(report.lost).toContainEqual({ where: 'account 1', what: 'has no user record and is dropped' })
    const { checked } = await expectSound(other)
    expect(checked['deleted accounts']).toBe(1)
  })
})

describe('a repair of attached files', () => {
  const damageFiles = (places: HomePlaces): void => {
    for (const [n, place] of filesOf(places).entries()) {
      const [account = '', digest = ''] = place.split('/')
      const path = join(places.files, account, digest.slice(0, 2), digest)
      if (n % 2 === 0) rmSync(path)
      else flip(path, 10)
    }
  }

  it('restores them from the backup, and removes those that it lacks from their events once that is accepted', async () => {
    const places = await copyHome()
    const before = filesOf(places)
    damageFiles(places)
    const report = await repaired(places)
    await expectSound(places)
    expect(report.repaired.filter(({ where }) => where.includes(', file '))).toHaveLength(1)
    expect(report).toMatchObject({ mended: 'files', lost: { length: before.length - 1 } })
    expect(filesOf(places)).toHaveLength(1)
    // The former files are kept.
    expect(readdirSync(join(report.kept ?? '', 'files', '1')).length).toBeGreaterThan(0)
  })

  it('restores them from a backup of any node, without changing the store', async () => {
    const path = join(await folder(), 'backup')
    const node = await startTestNode({}, { home: (await home()).home })
    await writeAllKinds(node, 'robert', await registerUser(node, 'robert'), 'b', 1)
    await backUp(node, path)
    await node.stop()
    const other = await openPlain(path)
    const places = await copyHome()
    const [broken = ''] = other.members.filter(({ kind }) => kind === 'file').map(({ digest }) => digest)
    const file = join(places.files, '1', broken.slice(0, 2), broken)
    const bytes = readFileSync(file)
    flip(file, 10)
    const before = readdirSync(join(places.store, 'db')).sort()
    const report = await repaired(places, { archive: other })
    expect(report).toMatchObject({ mended: 'files', lost: [], repaired: [{ where: expect.stringContaining(broken) as string, from: 'backup' }] })
    expect(readFileSync(file)).toEqual(bytes)
    expect(readdirSync(join(report.kept ?? '', 'files', '1'))).toEqual([broken.slice(0, 2)])
    expect(readdirSync(join(places.store, 'db')).sort()).toEqual(before)
    expect(readdirSync(places.home).filter((name) => name.startsWith('store'))).toEqual(['store'])
    // A missing file leaves nothing to keep.
    rmSync(file)
    expect(await repaired(places, { archive: other })).toMatchObject({ mended: 'files', lost: [], kept: null })
    expect(await entriesOf(places.store, join(await folder(), 'db'))).toEqual(whole)
    await expectSound(places)
    // The backup contributes no entries.
    rmSync(file)
    await tamper(places, async (db, batch) => batch.delete((await eventNamed(db, 'b'))[0]))
    await expect(repaired(places, { archive: other })).rejects.toThrow('belongs to another store')
  })

  it('leaves them in their events otherwise', async () => {
    const places = await copyHome()
    damageFiles(places)
    const before = readdirSync(places.home).sort()
    await expect(repaired(places, { archive: undefined, accept: () => Promise.reject(new Error('no')) })).rejects.toThrow('no')
    expect(readdirSync(places.home).sort()).toEqual(before)
    expect(await entriesOf(places.store, join(await folder(), 'db'))).toEqual(whole)
  })
})
