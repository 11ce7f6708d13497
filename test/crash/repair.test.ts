/** Damaged stores that are repaired: from a backup they are whole again, without one as far as they can be read. */
import { cpSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Archive } from '../../src/store/backup/archive.js'
import type { HomePlaces } from '../../src/server/init.js'
import { repairHome, type RepairOptions } from '../../src/server/repair/repairHome.js'
import type { Loss, RepairReport } from '../../src/server/repair/report.js'
import { seeded } from '../store/files/fixtures.js'
import { expectSound } from '../support/check.js'
import { backUp, entriesOf, entriesOfBackup, filesOf, openPlain, writeMuch } from '../support/damagedHome.js'
import { homes } from '../support/home.js'
import { placesOf, registerUser, startTestNode } from '../support/node.js'

const SEED = Number(process.env['SEED'] ?? 11)
const isLong = process.env['LONG'] === '1'
const next = seeded(SEED)
const { home, folder } = homes()

let sound: HomePlaces
let backup: Archive
/** What the sound store holds, and what the backup does. */
let whole: Map<string, string>
let backedUp: Map<string, string>
let newest: { log: string; table: string; manifest: string }

beforeAll(async () => {
  sound = await home()
  let node = await startTestNode({}, { home: sound.home })
  const token = await registerUser(node, 'alice')
  await writeMuch(node, 'alice', token, 'a', 60)
  const path = join(await folder(), 'backup')
  await backUp(node, path)
  await node.stop()
  node = await startTestNode({}, { home: sound.home })
  await writeMuch(node, 'alice', token, 'b', 60)
  await node.node.store.db.compact({ gte: '', lt: '~' })
  await writeMuch(node, 'alice', token, 'c', 40)
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

/** Expects that everything that the backup has, and that was not changed since, is as it was; answers what differs. */
async function expectBackedUp(places: HomePlaces): Promise<Map<string, string>> {
  const now = await entriesOf(places.store, join(await folder(), 'db'))
  const missing = [...backedUp].filter(([key, value]) => whole.get(key) === value && now.get(key) !== value)
  expect(missing.map(([key]) => key), `seed ${SEED}`).toEqual([])
  return now
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

/** Damages after which everything can be read still: nothing may differ. */
const harmless: [string, Damage][] = [
  ['CURRENT is gone', inFile(current, remove)],
  ['CURRENT is empty', inFile(current, empty)],
  ['MANIFEST is gone', inFile(manifest, remove)],
  ['MANIFEST has a flipped byte', inFile(manifest, flip)],
  ['HEAD is gone', inFile(head, remove)],
  ['HEAD is empty', inFile(head, empty)],
]

/** Damages after which something cannot be read. */
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

describe('a store of which everything can still be read', () => {
  it.each(harmless)('is what it was: %s', async (_, damage) => {
    const places = await copyHome()
    damage(places.store, 500)
    const report = await repaired(places, { archive: undefined })
    expect(report).toMatchObject({ lost: [], waiting: [] })
    expect(report.damage.length).toBeGreaterThan(0)
    await expectSound(places)
    expect(await entriesOf(places.store, join(await folder(), 'db'))).toEqual(whole)
    // The damaged one is kept.
    expect(readdirSync(report.kept ?? '')).toContain('db')
  })

  it('and is not damaged stays as it is', async () => {
    const places = await copyHome()
    const before = readdirSync(join(places.store, 'db')).sort()
    expect(await repaired(places)).toMatchObject({ repaired: [], lost: [], kept: null })
    expect(readdirSync(join(places.store, 'db')).sort()).toEqual(before)
    expect(readdirSync(places.home).filter((name) => name.startsWith('store'))).toEqual(['store'])
  })
})

const places_ = isLong ? [3, 50, 120, 250, 380, 500, 640, 777, 850, 930, 990, 999] : [300, 900]

describe('a store that is damaged', () => {
  it.each(harmful)('is whole again with a backup, which nothing is missing of: %s', async (_, damage) => {
    for (const at of places_) {
      const places = await copyHome()
      damage(places.store, at)
      const report = await repaired(places)
      await expectSound(places)
      const now = await expectBackedUp(places)
      // What was not lost is as new as it was.
      expect(report.repaired.length).toBeGreaterThan(0)
      expect(now.size).toBeGreaterThan(backedUp.size / 2)
      expect(filesOf(places)).toEqual(expect.arrayContaining([]))
      const node = await startTestNode({}, { home: places.home })
      await node.stop()
      rmSync(places.home, { recursive: true })
    }
  })

  it.each(harmful.slice(0, -1))('is whole without a backup, without what is nowhere, which is named: %s', async (_, damage) => {
    for (const at of places_) {
      const places = await copyHome()
      damage(places.store, at)
      const lost: Loss[] = []
      const report = await repaired(places, { archive: undefined, accept: (all) => Promise.resolve(void lost.push(...all)) }).catch((error: unknown) => {
        if (error instanceof Error && /no user|still|whole store/.test(error.message)) throw error
        throw error
      })
      expect(report.lost).toEqual(lost)
      await expectSound(places)
      rmSync(places.home, { recursive: true })
    }
  })
})
