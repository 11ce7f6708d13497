/**
 * The database: the only importer of `level`. Text keys, text or bytes as values. Opens existing databases only, unless
 * asked to create one.
 */
import type { AbstractSnapshot } from 'abstract-level'
import type { ClassicLevel } from 'classic-level'
import { Level } from 'level'
import { errorMessage } from '../model/errorMessage.js'

export type Value = string | Uint8Array

/** A range of keys, with bounds as LevelDB takes them. */
export interface Range {
  gte?: string
  gt?: string
  lt?: string
  lte?: string
}

export interface ScanOptions {
  reverse?: boolean
  limit?: number
}

/** A fixed view of the database; the caller closes it. */
export type Snapshot = AbstractSnapshot

/**
 * Pages of a range. `next(n)` returns at most `n` entries, fewer where they are large, and an empty page at the end.
 * Close after use.
 */
export interface Pages<T> {
  next(size: number): Promise<T[]>
  close(): Promise<void>
}

/** Operations written atomically. */
export interface Batch {
  put(key: string, value: Value): void
  delete(key: string): void
  readonly length: number
  /** Writes the batch; with `sync` it is on disk when the promise resolves. */
  write(options: { sync: boolean }): Promise<void>
}

export interface Database {
  readonly folder: string
  /** Reads the text of a key synchronously (a few microseconds). */
  get(key: string, snapshot?: Snapshot): string | undefined
  getBytes(key: string, snapshot?: Snapshot): Uint8Array | undefined
  getMany(keys: string[], snapshot?: Snapshot): Promise<(string | undefined)[]>
  values(range: Range, options?: ScanOptions, snapshot?: Snapshot): Pages<string>
  keys(range: Range, options?: ScanOptions, snapshot?: Snapshot): Pages<string>
  entries(range: Range, options?: ScanOptions, snapshot?: Snapshot): Pages<[string, string]>
  byteEntries(range: Range, options?: ScanOptions, snapshot?: Snapshot): Pages<[string, Uint8Array]>
  snapshot(): Snapshot
  batch(): Batch
  /** Returns the approximate bytes on disk of a range. */
  size(range: { gte: string; lt: string }): Promise<number>
  compact(range: { gte: string; lt: string }): Promise<void>
  /** Writes memory and log to tables, which `size` counts. */
  flush(): Promise<void>
  close(): Promise<void>
}

interface OpenOptions {
  /** Bytes of the block cache. */
  cacheBytes?: number
  /** Creates a new database; fails on an existing one. */
  create?: boolean
  /** Lets threads of this process open the same folder meanwhile, with this option too. */
  isShared?: boolean
}

/** Error when another process holds the database. */
export class DatabaseLocked extends Error {}

/** Error when LevelDB refuses to open the files. */
export class DatabaseRefused extends Error {}

// `level` uses classic-level on Node but types only what all platforms share; sizes and compaction are classic's.
type Native = Level<string, string> & Pick<ClassicLevel<string, string>, 'approximateSize' | 'compactRange'>

const TEXT = { keyEncoding: 'utf8', valueEncoding: 'utf8' } as const
const BYTES = { keyEncoding: 'utf8', valueEncoding: 'view' } as const

/** Reads a value as bytes through a database whose default values are text. */
function bytesOf(level: Native, key: string, snapshot: { snapshot?: Snapshot }): Uint8Array | undefined {
  return level.getSync<string, Uint8Array>(key, { ...BYTES, ...snapshot })
}

interface EntryIterator<E> {
  nextv(size: number): Promise<E[]>
  close(): Promise<void>
}

/** Entries per call to LevelDB. */
const STRIDE = 100
/** Bytes after which a page ends. Limits the memory of a page that waits for a slow reader, unless one entry is larger. */
export const PAGE_BYTES = 128 * 1024

/**
 * Reads pages in strides. An iterator keeps its last page in native memory, invisible to V8, until its handle is
 * collected. Small strides, and a last one of a single entry, limit that memory (measured: 168 in place of 574 MB).
 */
function pages<V extends { length: number }, T>(iterator: EntryIterator<[string, V]>, pick: (entry: [string, V]) => T): Pages<T> {
  let held = 0
  let bytes = 0
  async function stride(size: number): Promise<T[]> {
    const entries = await iterator.nextv(size)
    held = entries.length
    // A key-only iterator returns no values.
    for (const [, value] of entries as [string, V | undefined][]) bytes += value?.length ?? 0
    return entries.map(pick)
  }
  return {
    async next(size) {
      bytes = 0
      const page = await stride(Math.min(size, STRIDE))
      while (held === STRIDE && page.length < size && bytes < PAGE_BYTES) {
        for (const entry of await stride(Math.min(size - page.length, STRIDE))) page.push(entry)
      }
      return page
    },
    async close() {
      if (held > STRIDE / 5) await iterator.nextv(1)
      await iterator.close()
    },
  }
}

/** Error codes by the C library's messages, which LevelDB passes on in place of codes. */
const SYSTEM_ERRORS = {
  'Permission denied': 'EACCES',
  'Operation not permitted': 'EPERM',
  'Read-only file system': 'EROFS',
  'No space left on device': 'ENOSPC',
  'Disk quota exceeded': 'EDQUOT',
  'Too many open files': 'EMFILE',
}

/** Returns the system's code for an error of LevelDB; undefined for other errors. */
const systemCode = (text: string): string | undefined => Object.entries(SYSTEM_ERRORS).find(([words]) => text.endsWith(words))?.[1]

/** Checks whether a write failed for lack of space. LevelDB then refuses all writes until it is opened again. */
export function isOutOfSpace(error: unknown): boolean {
  const code = systemCode(errorMessage(error))
  return code === 'ENOSPC' || code === 'EDQUOT'
}

/**
 * Opens the database in `folder`. Refuses an absent or empty folder without `create`, so that an empty node never
 * replaces a lost one.
 * @throws DatabaseLocked, DatabaseRefused
 */
export async function openDatabase(folder: string, options: OpenOptions = {}): Promise<Database> {
  const level = new Level<string, string>(folder, {
    ...TEXT,
    createIfMissing: options.create === true,
    errorIfExists: options.create === true,
    cacheSize: options.cacheBytes ?? 16 * 1024 * 1024,
    writeBufferSize: 8 * 1024 * 1024,
    multithreading: options.isShared === true,
  }) as Native
  try {
    await level.open()
  } catch (error) {
    const cause = error instanceof Error ? error.cause : undefined
    const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
    const text = cause instanceof Error ? cause.message : String(error)
    if (code === 'LEVEL_LOCKED') throw new DatabaseLocked(text)
    const refused = systemCode(text)
    // A system error says nothing about the content.
    if (refused !== undefined) throw Object.assign(new Error(text), { code: refused, path: folder })
    throw new DatabaseRefused(text)
  }
  return wrap(level, folder)
}

function wrap(level: Native, folder: string): Database {
  const at = (snapshot?: Snapshot): { snapshot?: Snapshot } => (snapshot === undefined ? {} : { snapshot })
  const iterate = (
    range: Range,
    scan: ScanOptions | undefined,
    snapshot: Snapshot | undefined,
    parts: { keys?: false; values?: false },
  ): EntryIterator<[string, string]> =>
    level.iterator<string, string>({ ...TEXT, ...range, ...scan, ...at(snapshot), ...parts, highWaterMarkBytes: PAGE_BYTES })
  return {
    folder,
    get: (key, snapshot) => (snapshot === undefined ? level.getSync(key) : level.getSync(key, { snapshot })),
    getBytes: (key, snapshot) => bytesOf(level, key, at(snapshot)),
    getMany: (keys, snapshot) => level.getMany(keys, at(snapshot)),
    // Not level.values() and level.keys(): with classic-level each of those is an iterator around another.
    values: (range, scan, snapshot) => pages(iterate(range, scan, snapshot, { keys: false }), ([, value]) => value),
    keys: (range, scan, snapshot) => pages(iterate(range, scan, snapshot, { values: false }), ([key]) => key),
    entries: (range, scan, snapshot) => pages(iterate(range, scan, snapshot, {}), (entry) => entry),
    byteEntries: (range, scan, snapshot) =>
      pages(
        level.iterator<string, Uint8Array>({ ...range, ...scan, ...at(snapshot), ...BYTES, highWaterMarkBytes: PAGE_BYTES }),
        (entry) => entry,
      ),
    snapshot: () => level.snapshot(),
    batch() {
      const chained = level.batch()
      return {
        put(key, value) {
          if (typeof value === 'string') chained.put(key, value)
          else chained.put<string, Uint8Array>(key, value, BYTES)
        },
        delete(key) {
          chained.del(key)
        },
        get length() {
          return chained.length
        },
        write: (o) => chained.write(o),
      }
    },
    size: (range) => level.approximateSize(range.gte, range.lt),
    compact: (range) => level.compactRange(range.gte, range.lt),
    // A compaction first writes out what is in memory; this range has nothing else to compact.
    flush: () => level.compactRange('', ''),
    close: () => level.close(),
  }
}

/** Iterates over all entries of paged results; closes them at the end or when the loop is left. */
export async function* each<T>(source: Pages<T>, size = 1000): AsyncGenerator<T> {
  try {
    for (;;) {
      const page = await source.next(size)
      if (page.length === 0) return
      yield* page
    }
  } finally {
    await source.close()
  }
}

/** A fixed view of the database, for reads only; the caller closes it. */
interface SnapshotView {
  readonly db: Database
  /** Snapshot behind the view, for code that reads the database directly. */
  readonly snapshot: Snapshot
  close(): Promise<void>
}

/** Opens a view of the database as it is now. */
export function openSnapshot(db: Database): SnapshotView {
  const snapshot = db.snapshot()
  const still: Database = {
    ...db,
    get: (key) => db.get(key, snapshot),
    getBytes: (key) => db.getBytes(key, snapshot),
    getMany: (keys) => db.getMany(keys, snapshot),
    values: (range, options) => db.values(range, options, snapshot),
    keys: (range, options) => db.keys(range, options, snapshot),
    entries: (range, options) => db.entries(range, options, snapshot),
    byteEntries: (range, options) => db.byteEntries(range, options, snapshot),
  }
  return { db: still, snapshot, close: () => snapshot.close() }
}
