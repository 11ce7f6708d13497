/**
 * Creates and opens stores. Opening never creates: it fails with a named error when the store is missing, lost
 * acknowledged changes or has damaged files. Damage visible in the files is reported before anything is written to
 * them; a log truncated between two records shows only after LevelDB has read it.
 */
import { existsSync } from 'node:fs'
import { mkdir, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { createCommitter, decodeLink, digest, type ChainHead, type Committer } from './commit.js'
import { DatabaseLocked, DatabaseRefused, each, openDatabase, type Database } from './database.js'
import { createHighWater, openHighWater, type HighWater } from '../leveldb/highWater.js'
import { damageText, FilesDamaged, type Damage } from '../leveldb/damage.js'
import { dbFolder, findDamage, listFiles, type EarlyInspection } from './inspection.js'
import { nodeKeys, orderedToNumber, ORDERED_LENGTH, under } from './keys.js'
import type { Seal } from '../keyring/seal.js'
import { clearLockHolder, lockHolder, namedLockHolder, readLockHolder, StoreLocked, writeLockHolder } from './lock.js'
import { readChangedKeys, createChangedKeySet, saveChangedKeys, takeChangedKeys, type ChangedKeySet } from './changedKeys.js'

/** Error when the folder contains no store. */
export class NoStore extends Error {
  constructor(readonly folder: string) {
    super(`There is no store in ${folder}.`)
  }
}

/** Error when the store is damaged: acknowledged changes are lost or altered. */
export class StoreDamaged extends Error {
  constructor(
    readonly folder: string,
    readonly damage: Damage[],
  ) {
    const first = damage[0]
    const more = damage.length > 1 ? ` (and ${damage.length - 1} more)` : ''
    super(`The store in ${folder} is damaged: ${first === undefined ? 'unknown damage' : damageText(first)}${more}`)
  }
}

/** Error when a newer coffer wrote the store. */
export class FormatUnknown extends Error {
  constructor(
    readonly folder: string,
    readonly format: number,
    /** Version of coffer that last wrote to the store; undefined when none is recorded. */
    readonly writer: string | undefined,
  ) {
    super(`The store in ${folder} has format ${format}; this coffer knows formats up to ${FORMAT}.`)
  }
}

/** Store format; 2 stores profile sets as registers (formerProfiles.ts). */
export const FORMAT = 2

/** Format record of the database. */
export interface FormatRecord {
  format: number
  /** Earlier format, during a migration. */
  from?: number
  /** Version of coffer that last opened the store as a node (writerVersion.ts). */
  writer?: string
  /** Id of the node, created with the store. */
  node: string
  created: number
  /** The node's id, sealed with the node key, so that a store opens with its own key only. */
  sealed: string
}

export interface OpenedStore {
  folder: string
  db: Database
  committer: Committer
  /** Set of written keys, for incremental backups. */
  changedKeys: ChangedKeySet
  format: FormatRecord
  close(): Promise<void>
}

export interface StorePlace {
  /** The store's folder: the database in `db`, the high-water mark in `HEAD`. */
  folder: string
  /** Seconds since the epoch. */
  now(): number
  /** Called when a group of changes is closed to further changes, before it is written. */
  groupClosed?(): void
  cacheBytes?: number
  /** Lets threads of this process open the database meanwhile; they must not write to it. */
  isShared?: boolean
  /** Inspection of the files that was begun before. */
  inspection?: EarlyInspection | undefined
}

const GENESIS: ChainHead = { sequence: 0, hash: new Uint8Array(32) }

const headFile = (folder: string): string => join(folder, 'HEAD')

/** Creates an empty store, bound to the node key behind `seal`; fails if the folder contains one. `writer`: the version of coffer. */
export async function createStore(place: StorePlace, node: string, seal: Seal, writer?: string): Promise<void> {
  const { folder } = place
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const db = await openDatabase(dbFolder(folder), { create: true })
  try {
    const sealed = seal.seal(node, nodeKeys.format)
    const format: FormatRecord = { format: FORMAT, node, created: place.now(), sealed, ...(writer === undefined ? {} : { writer }) }
    const batch = db.batch()
    batch.put(nodeKeys.format, JSON.stringify(format))
    await batch.write({ sync: true })
    await createHighWater(headFile(folder))
  } finally {
    await db.close()
  }
}

/**
 * Opens an existing store after verifying its files and the end of its hash chain.
 * @throws NoStore, StoreLocked, StoreDamaged, FormatUnknown
 */
export async function openStore(place: StorePlace): Promise<OpenedStore> {
  const { folder } = place
  if (!existsSync(folder)) throw new NoStore(folder)
  const holder = lockHolder(folder)
  if (holder !== undefined) throw new StoreLocked(folder, holder)
  await assertUndamaged(folder, place.inspection)
  // Read only: until the lock is taken, another process may move the mark.
  await openMark(folder).close()
  const left = await readChangedKeys(folder, () => listFiles(folder))
  const db = await openLocked(place)
  let highWater: HighWater | undefined
  try {
    writeLockHolder(folder)
    // First: a store of a newer version stays as it is.
    const format = readFormat(db, folder)
    const changedKeys = createChangedKeySet(left === undefined ? [] : await takeChangedKeys(folder, left))
    highWater = openMark(folder)
    const head = await compareChain(db, folder, highWater)
    if (head.sequence > (highWater.read()?.sequence ?? 0)) highWater.write(head.sequence, head.hash)
    return assemble(place, { db, highWater, head, format, changedKeys })
  } catch (error) {
    clearLockHolder(folder)
    await db.close()
    await highWater?.close()
    throw error
  }
}

/**
 * Inspects the files. Damage in files that another process changes meanwhile means the store is in use.
 * @throws StoreDamaged, StoreLocked
 */
async function assertUndamaged(folder: string, early: EarlyInspection | undefined): Promise<void> {
  const before = listFiles(folder)
  const damage = await findDamage(folder, before, early)
  if (damage.length === 0) return
  if (listFiles(folder) !== before) throw new StoreLocked(folder, await namedLockHolder(folder))
  throw new StoreDamaged(folder, damage)
}

function openMark(folder: string): HighWater {
  try {
    return openHighWater(headFile(folder))
  } catch (error) {
    if (error instanceof FilesDamaged) throw new StoreDamaged(folder, error.damage)
    throw error
  }
}

async function openLocked({ folder, cacheBytes, isShared = false }: StorePlace): Promise<Database> {
  try {
    return await openDatabase(dbFolder(folder), { isShared, ...(cacheBytes === undefined ? {} : { cacheBytes }) })
  } catch (error) {
    if (error instanceof DatabaseLocked) {
      const isOwn = readLockHolder(folder) === process.pid
      throw new StoreLocked(folder, isOwn ? process.pid : await namedLockHolder(folder))
    }
    if (error instanceof DatabaseRefused) throw new StoreDamaged(folder, [{ file: 'db', what: error.message }])
    throw error
  }
}

function readFormat(db: Database, folder: string): FormatRecord {
  const text = db.get(nodeKeys.format)
  if (text === undefined) throw new StoreDamaged(folder, [{ file: 'db', what: 'has no format record' }])
  const record = formatIn(text)
  if (record === undefined) throw new StoreDamaged(folder, [{ file: 'db', what: 'has a format record that cannot be read' }])
  if (record.format > FORMAT) throw new FormatUnknown(folder, record.format, typeof record.writer === 'string' ? record.writer : undefined)
  return record
}

function formatIn(text: string): FormatRecord | undefined {
  try {
    const record = JSON.parse(text) as Partial<FormatRecord> | null
    return Number.isSafeInteger(record?.format) && (record?.format ?? 0) >= 1 ? (record as FormatRecord) : undefined
  } catch {
    return undefined
  }
}

/** Number of links before the high-water mark verified at each open; `store check` verifies all. A thousand took 60 ms of a profiled start. */
const LINKS_BEFORE_MARK = 100

/** Verifies the end of the chain against the high-water mark; returns the chain's head. */
async function compareChain(db: Database, folder: string, highWater: HighWater): Promise<ChainHead> {
  const mark = highWater.read() ?? GENESIS
  const from = Math.max(1, mark.sequence - LINKS_BEFORE_MARK)
  const damaged = (what: string): StoreDamaged => new StoreDamaged(folder, [{ file: 'db', what }])
  let head: ChainHead | undefined = from === 1 ? GENESIS : undefined
  let time: number | undefined
  let expected = from
  for await (const [key, bytes] of each(db.byteEntries({ ...under(nodeKeys.commits), gte: nodeKeys.commit(from) }))) {
    const sequence = orderedToNumber(key, key.length - ORDERED_LENGTH)
    if (sequence !== expected) break
    const link = decodeLink(bytes)
    if (link === undefined || (head !== undefined && Buffer.compare(link.previous, head.hash) !== 0)) {
      throw damaged(`has a chain of changes that breaks at commit ${sequence}`)
    }
    head = { sequence, hash: digest(bytes) }
    time = link.time
    if (sequence === mark.sequence && Buffer.compare(head.hash, mark.hash) !== 0) {
      throw damaged(`has another commit ${sequence} than the one that was acknowledged`)
    }
    expected += 1
  }
  if (head === undefined || head.sequence < mark.sequence) {
    const since = time === undefined ? '' : ` after ${new Date(time * 1000).toISOString()}`
    const end = head?.sequence ?? (await lastCommitBefore(db, from))
    throw damaged(
      `lacks ${mark.sequence - end} acknowledged commits${since}, which the disk has lost: it ends at commit ${end}, and ${mark.sequence} were acknowledged`,
    )
  }
  return head
}

/** Returns the number of the last commit before `sequence`; 0 if there is none. */
async function lastCommitBefore(db: Database, sequence: number): Promise<number> {
  const earlier = { ...under(nodeKeys.commits), lt: nodeKeys.commit(sequence) }
  for await (const key of each(db.keys(earlier, { reverse: true, limit: 1 }))) return orderedToNumber(key, key.length - ORDERED_LENGTH)
  return 0
}

interface Parts {
  db: Database
  highWater: HighWater
  head: ChainHead
  format: FormatRecord
  changedKeys: ChangedKeySet
}

function assemble(place: StorePlace, { db, highWater, head, format, changedKeys }: Parts): OpenedStore {
  const { folder } = place
  let dirty = false
  const committer = createCommitter({
    db,
    head,
    changedKeys,
    now: place.now,
    ...(place.groupClosed === undefined ? {} : { groupClosed: place.groupClosed }),
    mark(next) {
      highWater.write(next.sequence, next.hash)
      dirty = true
    },
    async freeBytes() {
      const { bavail, bsize } = await statfs(folder)
      return bavail * bsize
    },
  })
  const timer = setInterval(() => {
    if (!dirty) return
    dirty = false
    highWater.sync().catch(() => {})
  }, 1000)
  timer.unref()
  return {
    folder,
    db,
    committer,
    changedKeys,
    format,
    async close() {
      clearInterval(timer)
      // A failed commit has already been reported to its writers.
      await committer.settled().catch(() => {})
      try {
        await highWater.close()
      } finally {
        // Before the lock is released: afterwards the file may name the next holder.
        clearLockHolder(folder)
        await db.close()
        // Without it, the next backup is only slower. After a failed write, the content on disk is unknown.
        if (!committer.isBroken) await saveChangedKeys(folder, () => listFiles(folder), changedKeys.spans).catch(() => {})
      }
    },
  }
}

/** Checks whether the store was created with the key behind `seal`. */
export function isSealedWith(format: FormatRecord, seal: Seal): boolean {
  try {
    return seal.open(format.sealed, nodeKeys.format) === format.node
  } catch {
    return false
  }
}
