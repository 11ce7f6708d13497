/**
 * Salvages the readable entries of a damaged store: entries of its tables and logs with a valid checksum, the latest per
 * key. Reads the files without opening them as a database, so they do not change.
 */
import { open, readdir, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { each, openDatabase, type Database } from '../engine/database.js'
import { entriesOfBatch, readLog, type BatchEntry } from '../leveldb/logFile.js'
import { FilesDamaged, type Damage } from '../leveldb/damage.js'
import { openHighWater, type Mark } from '../leveldb/highWater.js'
import { inspectFiles } from '../leveldb/inspect.js'
import { nodeKeys, orderedToNumber, ORDERED_LENGTH, under } from '../engine/keys.js'
import { manifestName, readManifest, type LiveFiles } from '../leveldb/manifest.js'
import { ANY_KEY, readTable, type KeyRange } from '../leveldb/tableFile.js'
import { Malformed } from '../leveldb/encodings.js'

/** The entries found, stored in a separate database. */
export interface Salvage {
  /** Damage of the files. */
  damage: readonly Damage[]
  /** High-water mark; undefined before the first commit, or when the mark cannot be read. */
  mark: Mark | undefined
  /** Unreadable parts of files, by the range of keys that may have been there. */
  lost: readonly LostPart[]
  /** Checks whether a missing key may have been in an unreadable part. */
  mayBeLost(key: string): boolean
  /** Returns the last readable write of a key; undefined without one. */
  last(key: string): Latest | undefined
  /** Iterates over keys with their last write, in order of keys or reverse. */
  all(range?: { gte: string; lt: string }, reverse?: boolean): AsyncGenerator<Latest & { key: string }>
  close(): Promise<void>
}

export interface LostPart extends KeyRange {
  file: string
}

/** The latest write of a key; without a value it was deleted. */
type Latest = Omit<BatchEntry, 'key'>

const HEAD = 9
const WRITE_EACH = 2000
const PAGE = 4096

/** Reads the store in `folder`; `scratch` is a new folder that the caller removes. */
export async function salvageEntries(folder: string, scratch: string): Promise<Salvage> {
  const files = join(folder, 'db')
  const { damage } = await inspectFiles(files, { tables: 'all' })
  const mark = await markOf(folder, damage)
  await rm(scratch, { recursive: true, force: true })
  const db = await openDatabase(scratch, { create: true })
  const lost: LostPart[] = []
  try {
    const { names, missing } = await filesToRead(files)
    for (const name of names) {
      for (const range of await storeEntries(db, await readAll(join(files, name)), name)) lost.push({ file: name, ...range })
    }
    const lastCommit = await lastLink(db)
    if (missing.length > 0 || (mark !== undefined && lastCommit < mark.sequence)) {
      lost.push({ file: missing[0] ?? 'the log', ...ANY_KEY })
    }
  } catch (error) {
    await db.close()
    throw error
  }
  return {
    damage,
    mark,
    lost,
    mayBeLost: (key) => lost.some(({ from, to }) => key >= from && key <= to),
    last: (key) => latestIn(db.getBytes(key)),
    async *all(range, reverse = false) {
      for await (const [key, bytes] of each(db.byteEntries(range ?? {}, { reverse }))) {
        const latest = latestIn(bytes)
        if (latest !== undefined) yield { key, ...latest }
      }
    },
    close: () => db.close(),
  }
}

async function markOf(folder: string, damage: Damage[]): Promise<Mark | undefined> {
  try {
    const highWater = openHighWater(join(folder, 'HEAD'))
    const mark = highWater.read()
    await highWater.close()
    return mark
  } catch (error) {
    if (!(error instanceof FilesDamaged)) throw error
    damage.push(...error.damage)
    return undefined
  }
}

/** Lists the files with entries: those in the MANIFEST if they all exist, else every table and log. */
async function filesToRead(folder: string): Promise<{ names: string[]; missing: string[] }> {
  const names = (await readdir(folder).catch(() => [])).sort()
  const all = names.filter((name) => /^\d+\.(ldb|sst|log)$/.test(name))
  const live = await liveFiles(folder, names)
  // Without a MANIFEST, missing files are unknown; without any file, all are missing.
  if (live === undefined) return { names: all, missing: all.length === 0 ? ['the database'] : [] }
  const numbers = new Set(all.map((name) => Number.parseInt(name, 10)))
  const missing = [...live.tables.keys(), live.logNumber].filter((number) => number !== 0 && !numbers.has(number))
  if (missing.length > 0) return { names: all, missing: missing.map((number) => `file ${number} of the database`) }
  const read = all.filter((name) => {
    const number = Number.parseInt(name, 10)
    return name.endsWith('.log') ? number >= live.logNumber || number === live.previousLogNumber : live.tables.has(number)
  })
  return { names: read, missing: [] }
}

/** Returns the number of the last commit whose link was found; 0 without one. */
async function lastLink(db: Database): Promise<number> {
  const source = db.keys(under(nodeKeys.commits), { reverse: true, limit: 1 })
  const [key] = await source.next(1)
  await source.close()
  return key === undefined ? 0 : orderedToNumber(key, key.length - ORDERED_LENGTH)
}

async function liveFiles(folder: string, names: readonly string[]): Promise<LiveFiles | undefined> {
  const current = await readFile(join(folder, 'CURRENT')).catch(() => undefined)
  const name = (current && manifestName(current)) ?? names.filter((each) => each.startsWith('MANIFEST-')).at(-1)
  const bytes = name === undefined ? undefined : await readFile(join(folder, name)).catch(() => undefined)
  return name === undefined || bytes === undefined ? undefined : readManifest(name, bytes).live
}

/** Reads a file, with zeros for unreadable pages. */
async function readAll(path: string): Promise<Buffer> {
  const whole = await readFile(path).catch(() => undefined)
  if (whole !== undefined) return whole
  const { size } = await stat(path)
  const bytes = Buffer.alloc(size)
  const file = await open(path, 'r')
  try {
    for (let at = 0; at < size; at += PAGE) await file.read(bytes, at, Math.min(PAGE, size - at), at).catch(() => undefined)
  } finally {
    await file.close()
  }
  return bytes
}

/** Stores the entries of a file; returns the key ranges in which some may be missing. */
async function storeEntries(db: Database, bytes: Buffer, name: string): Promise<KeyRange[]> {
  let fresh = new Map<string, Latest>()
  const write = async (): Promise<void> => {
    const batch = db.batch()
    for (const [key, latest] of fresh) batch.put(key, encoded(latest))
    fresh = new Map()
    if (batch.length > 0) await batch.write({ sync: false })
  }
  const { entries, lost } = name.endsWith('.log') ? readEntries(bytes) : readTable(bytes)
  for (const { key, ...written } of entries()) {
    const known = fresh.get(key) ?? latestIn(db.getBytes(key))
    if (known !== undefined && known.sequence >= written.sequence) continue
    fresh.set(key, written)
    if (fresh.size >= WRITE_EACH) await write()
  }
  await write()
  return lost
}

/** Does the same as `readTable` for a log. Entries lost from a log may have any key. */
function readEntries(bytes: Buffer): { entries(): Generator<BatchEntry>; lost: KeyRange[] } {
  const lost: KeyRange[] = []
  function* entries(): Generator<BatchEntry> {
    for (const part of readLog(bytes)) {
      if (part.kind === 'damage') lost.push(ANY_KEY)
      if (part.kind !== 'record') continue
      try {
        yield* entriesOfBatch(part.record)
      } catch (error) {
        if (!(error instanceof Malformed)) throw error
        lost.push(ANY_KEY)
      }
    }
  }
  return { entries, lost }
}

function encoded({ sequence, value }: Latest): Uint8Array {
  const bytes = Buffer.alloc(HEAD + (value?.length ?? 0))
  bytes.writeDoubleLE(sequence, 0)
  bytes[8] = value === undefined ? 0 : 1
  if (value !== undefined) bytes.set(value, HEAD)
  return bytes
}

function latestIn(bytes: Uint8Array | undefined): Latest | undefined {
  if (bytes === undefined) return undefined
  const sequence = new DataView(bytes.buffer, bytes.byteOffset, HEAD).getFloat64(0, true)
  return { sequence, value: bytes[8] === 1 ? bytes.subarray(HEAD) : undefined }
}
