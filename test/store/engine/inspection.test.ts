/** Inspection of a store's files in a thread, before the store is opened. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readdirSync, readFileSync, statSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { Secret } from '../../../src/store/model/secret.js'
import { beginInspection, dbFolder, findDamage, inspectStore, ledgerFile, listFiles} from '../../../src/store/engine/inspection.js'
import { createStore, openStore, StoreDamaged } from '../../../src/store/engine/open.js'
import type { Inspection } from '../../../src/store/leveldb/inspect.js'
import { readLedger } from '../../../src/store/leveldb/tableLedger.js'
import { verifyOtherTables } from '../../../src/store/engine/otherTables.js'
import { createSeal } from '../../../src/store/keyring/seal.js'

const folders: string[] = []
afterAll(async () => {
  for (const folder of folders) await rm(folder, { recursive: true, force: true })
})

const now = (): number => 1

/** Creates a store with one table, whose folder is as large as that of many events. */
async function newStore(): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'coffer-inspection-'))
  folders.push(root)
  const folder = join(root, 'store')
  await createStore({ folder, now }, 'node', await createSeal(new Secret(new Uint8Array(32))))
  const { db, close } = await openStore({ folder, now })
  const batch = db.batch()
  for (let i = 0; i < 100; i++) batch.put(`!test/${i}`, 'x'.repeat(1000))
  await batch.write({ sync: true })
  await db.flush()
  await close()
  writeFileSync(join(dbFolder(folder), 'padding'), '')
  truncateSync(join(dbFolder(folder), 'padding'), 65 * 1024 * 1024)
  return folder
}

const NOTHING: Inspection = { damage: [], unfinishedTail: false, bytes: 1, read: [], unread: [], sound: [] }
const ended = { verifyOthers: () => Promise.resolve(), stop: () => Promise.resolve() }

/** Changes a bit of a table: by default of the first one, in the middle, where no record of the node is. */
function damageTable(folder: string, name = tablesOf(folder)[0] ?? ''): void {
  const path = join(dbFolder(folder), name)
  const bytes = readFileSync(path)
  const at = Math.floor(bytes.length / 2)
  bytes[at] = (bytes[at] ?? 0) ^ 1
  writeFileSync(path, bytes)
}

it('finds a sound store sound, which then opens', async () => {
  const folder = await newStore()
  const inspection = beginInspection(folder)
  expect(await inspection?.finish()).toMatchObject({ damage: [], bytes: expect.any(Number) as number })
  const { close } = await openStore({ folder, now, inspection })
  await close()
})

it('finds damage, which is reported before the store is opened', async () => {
  const folder = await newStore()
  damageTable(folder)
  const inspection = beginInspection(folder)
  expect((await inspection?.finish())?.damage).toMatchObject([{ what: expect.stringContaining('wrong checksum') as string }])
  await expect(openStore({ folder, now, inspection })).rejects.toThrow(StoreDamaged)
})

it('does not count when the files have changed since', async () => {
  const folder = await newStore()
  const inspection = beginInspection(folder)
  expect((await inspection?.finish())?.damage).toEqual([])
  damageTable(folder)
  await expect(openStore({ folder, now, inspection })).rejects.toThrow(StoreDamaged)
})

it('is not repeated when the files are the same', async () => {
  const folder = await newStore()
  const damage = [{ file: '000005.ldb', what: 'is damaged' }]
  const listed = listFiles(folder)
  expect(await findDamage(folder, listed, { ...ended, listed, finish: () => Promise.resolve({ ...NOTHING, damage }) })).toBe(damage)
})

it('is repeated when the thread fails', async () => {
  const folder = await newStore()
  damageTable(folder)
  const listed = listFiles(folder)
  expect(await findDamage(folder, listed, { ...ended, listed, finish: () => Promise.resolve(undefined) })).toHaveLength(1)
})

it('waits for the opening where the store is absent or in use by another process', async () => {
  const folder = await newStore()
  expect(beginInspection(join(folder, 'absent'))).toBeUndefined()
  await mkdir(join(folder, 'unreadable'))
  writeFileSync(join(folder, 'unreadable', 'db'), 'not a folder')
  expect(beginInspection(join(folder, 'unreadable'))).toBeUndefined()
  const held = openSync(join(dbFolder(folder), 'padding'), 'r')
  const other = spawn('sleep', ['60'], { stdio: ['ignore', held] })
  closeSync(held)
  writeFileSync(join(folder, 'owner'), `${other.pid}\n`)
  expect(beginInspection(folder)).toBeUndefined()
  other.kill()
  await once(other, 'exit')
})

/** Budgets of the tests: each table has about 100 KB. */
const NOTHING_BEFORE = { newBytes: 0, againBytes: 0, delayMs: 0 }

/** Adds a table to a store. */
async function addTable(folder: string, name: string): Promise<void> {
  const { db, close } = await openStore({ folder, now })
  const batch = db.batch()
  for (let i = 0; i < 100; i++) batch.put(`!${name}/${i}`, 'x'.repeat(1000))
  await batch.write({ sync: true })
  await db.flush()
  await close()
}

/** Opens and closes a store as a start does; returns the damage that was found once it was open. */
async function startWith(folder: string, limits: Parameters<typeof beginInspection>[1]): Promise<{ read: string[]; damage: string[] }> {
  const inspection = beginInspection(folder, limits)
  const read = (await inspection?.finish())?.read.map(({ file }) => file).sort() ?? []
  const damage: string[] = []
  const { close } = await openStore({ folder, now, inspection })
  await inspection?.verifyOthers((found) => damage.push(...found.map(({ file }) => file)))
  await close()
  return { read, damage }
}

const soundTables = (folder: string): string[] => [...readLedger(ledgerFile(folder)).sound].map((mark) => mark.split(' ')[0] ?? '')
const tablesOf = (folder: string): string[] => readdirSync(dbFolder(folder)).filter((name) => name.endsWith('.ldb')).sort()

describe.each(['in a thread', 'in this process'])('the ledger of tables verified %s', (where) => {
  const EVERYTHING = { newBytes: 1e9, againBytes: 0, delayMs: 0 }

  const newStoreOf = async (): Promise<string> => {
    const folder = await newStore()
    // Without it, the store is small.
    if (where === 'in this process') await rm(join(dbFolder(folder), 'padding'))
    return folder
  }

  it('names tables that a start has read, which later starts do not read', async () => {
    const folder = await newStoreOf()
    const former = tablesOf(folder)
    expect(await startWith(folder, EVERYTHING)).toEqual({ read: former, damage: [] })
    expect(soundTables(folder).sort()).toEqual(former)
    await addTable(folder, 'second')
    const added = tablesOf(folder).filter((file) => !former.includes(file))
    expect(added).not.toEqual([])
    expect(await startWith(folder, EVERYTHING)).toEqual({ read: added, damage: [] })
    expect(await startWith(folder, EVERYTHING)).toMatchObject({ damage: [] })
    const known = soundTables(folder)
    // A process that opens the store itself uses the ledger, too.
    const { read, sound } = await inspectStore(folder, 1e9)
    expect([...read, ...sound].map(({ file }) => file).sort()).toEqual(tablesOf(folder))
    expect(read.filter(({ file }) => known.includes(file))).toEqual([])
  })

  it('does not count for a table that was modified, or one that is missing', async () => {
    const folder = await newStoreOf()
    await startWith(folder, EVERYTHING)
    damageTable(folder)
    await expect(openStore({ folder, now })).rejects.toThrow('wrong checksum')
    await rm(join(dbFolder(folder), tablesOf(folder)[0] ?? ''))
    await expect(openStore({ folder, now })).rejects.toThrow('is missing')
  })

  it('covers tables beyond the budget once the store is open', async () => {
    const folder = await newStoreOf()
    expect(await startWith(folder, NOTHING_BEFORE)).toEqual({ read: [], damage: [] })
    expect(soundTables(folder).sort()).toEqual(tablesOf(folder))
  })

  it('reports damage beyond the budget, and refuses to open the store again', async () => {
    const folder = await newStoreOf()
    damageTable(folder)
    const [damaged, ...others] = tablesOf(folder)
    expect(await startWith(folder, NOTHING_BEFORE)).toEqual({ read: [], damage: [damaged] })
    expect(soundTables(folder).sort()).toEqual(others)
    const inspection = beginInspection(folder, NOTHING_BEFORE)
    await expect(openStore({ folder, now, inspection })).rejects.toThrow(StoreDamaged)
    await inspection?.stop()
  })

  it('names a damaged table before the damage is reported, for a node that stops at once', async () => {
    const folder = await newStoreOf()
    damageTable(folder)
    const [damaged = ''] = tablesOf(folder)
    const known = await inspectStore(folder, 0)
    const named: string[][] = []
    const ledger = ledgerFile(folder)
    await verifyOtherTables({ folder: dbFolder(folder), ledger, known, againBytes: 0 }, () => void named.push([...readLedger(ledger).damaged]))
    expect(named).toEqual([[expect.stringMatching(`^${damaged} `)]])
  })

  it('has tables verified again, those verified longest ago first', async () => {
    const folder = await newStoreOf()
    // Times that can be set again.
    for (const file of tablesOf(folder)) utimesSync(join(dbFolder(folder), file), 1000, 1000)
    await startWith(folder, EVERYTHING)
    const before = soundTables(folder)
    const [first = '', second = ''] = before
    const { size } = statSync(join(dbFolder(folder), first))
    await startWith(folder, { newBytes: 0, againBytes: size, delayMs: 0 })
    const after = soundTables(folder)
    expect(after.indexOf(first)).toBeGreaterThan(after.indexOf(second))
    // Content that decays changes no time of the file.
    damageTable(folder, second)
    utimesSync(join(dbFolder(folder), second), 1000, 1000)
    expect(await startWith(folder, { newBytes: 0, againBytes: 0, delayMs: 0 })).toMatchObject({ damage: [] })
    expect(await startWith(folder, { newBytes: 0, againBytes: 1e9, delayMs: 0 })).toMatchObject({ damage: [second] })
    await expect(openStore({ folder, now })).rejects.toThrow(StoreDamaged)
  })

  it('is of no use where it cannot be read', async () => {
    const folder = await newStoreOf()
    writeFileSync(ledgerFile(folder), '\0\0\0\n000005.ldb 12')
    expect(await startWith(folder, EVERYTHING)).toEqual({ read: tablesOf(folder), damage: [] })
    expect(soundTables(folder).sort()).toEqual(tablesOf(folder))
  })

  it('names only tables that were verified when the node stops early', async () => {
    const folder = await newStoreOf()
    const inspection = beginInspection(folder, NOTHING_BEFORE)
    const { close } = await openStore({ folder, now, inspection })
    const ended = inspection?.verifyOthers(() => {})
    await inspection?.stop()
    await ended
    await close()
    expect(tablesOf(folder)).toEqual(expect.arrayContaining(soundTables(folder)))
    expect(await startWith(folder, EVERYTHING)).toMatchObject({ damage: [] })
    expect(soundTables(folder).sort()).toEqual(tablesOf(folder))
  })
})
