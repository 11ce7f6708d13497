/**
 * The database: the only import of `level`. Text keys, text or bytes as values, opened only when it already exists.
 */
import { Level } from 'level'
import type { AbstractSnapshot } from 'abstract-level'
import type { ClassicLevel } from 'classic-level'

export type Value = string | Uint8Array

/** A range of keys; bounds as LevelDB takes them. */
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

/** A fixed view of the database; to be closed. */
export type Snapshot = AbstractSnapshot

/**
 * Pages of a range. `next(n)` returns at most `n` entries, fewer where they are large, and an empty page at the end.
 * Close after use.
 */
export interface Pages<T> {
  next(size: number): Promise<T[]>
  close(): Promise<void>
}

/** Operations that are written together or not at all. */
export interface Batch {
  put(key: string, value: Value): void
  delete(key: string): void
  readonly length: number
  /** Writes the batch; with `sync` it is on disk when the promise resolves. */
  write(options: { sync: boolean }): Promise<void>
}

export interface Database {
  readonly folder: string
  /** The text under a key, read without leaving the thread (a few microseconds). */
  get(key: string, snapshot?: Snapshot): string | undefined
  getBytes(key: string, snapshot?: Snapshot): Uint8Array | undefined
  getMany(keys: string[], snapshot?: Snapshot): Promise<(string | undefined)[]>
  values(range: Range, options?: ScanOptions, snapshot?: Snapshot): Pages<string>
  keys(range: Range, options?: ScanOptions, snapshot?: Snapshot): Pages<string>
  entries(range: Range, options?: ScanOptions, snapshot?: Snapshot): Pages<[string, string]>
  byteEntries(range: Range, options?: ScanOptions, snapshot?: Snapshot): Pages<[string, Uint8Array]>
  snapshot(): Snapshot
  batch(): Batch
  /** Approximate bytes on disk of a range. */
  size(range: { gte: string; lt: string }): Promise<number>
  compact(range: { gte: string; lt: string }): Promise<void>
  /** Moves what lies in memory and the log into tables, which `size` counts. */
  flush(): Promise<void>
  close(): Promise<void>
}

export interface OpenOptions {
  /** Bytes of the block cache. */
  cacheBytes?: number
  /** Makes a new database; refuses an existing one. */
  create?: boolean
}

/** Thrown when another process holds the database. */
export class DatabaseLocked extends Error {}

/** Thrown when LevelDB itself refuses to open what it finds. */
export class DatabaseRefused extends Error {}

// `level` picks classic-level on Node but types only what all platforms share; sizes and compaction are classic's.
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

/** Entries that one call across to LevelDB brings. */
const STRIDE = 100
/** Bytes after which a page ends: limits the memory of a page that waits for a slow reader, unless one entry is larger. */
export const PAGE_BYTES = 128 * 1024

/**
 * Reads pages in strides. An iterator keeps its last page in native memory until its handle is collected, which V8 does
 * not count: small strides, and a last one of a single entry, keep that to little (measured: 168 in place of 574 MB).
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

/** LevelDB passes on the words of the C library in place of its codes. */
const SYSTEM_ERRORS = {
  'Permission denied': 'EACCES',
  'Operation not permitted': 'EPERM',
  'Read-only file system': 'EROFS',
  'No space left on device': 'ENOSPC',
  'Disk quota exceeded': 'EDQUOT',
  'Too many open files': 'EMFILE',
}

/** The system's code for an error of LevelDB; undefined where it is none of the system's. */
const systemCode = (text: string): string | undefined => Object.entries(SYSTEM_ERRORS).find(([words]) => text.endsWith(words))?.[1]

/** Whether a write has failed for want of space. LevelDB then refuses all that follow, until it is opened again. */
export function isOutOfSpace(error: unknown): boolean {
  const code = systemCode(error instanceof Error ? error.message : String(error))
  return code === 'ENOSPC' || code === 'EDQUOT'
}

/**
 * Opens the database in `folder`. An absent or empty folder is refused unless `create` is asked for: an empty node
 * must never come up in place of a lost one.
 */
export async function openDatabase(folder: string, options: OpenOptions = {}): Promise<Database> {
  const level = new Level<string, string>(folder, {
    ...TEXT,
    createIfMissing: options.create === true,
    errorIfExists: options.create === true,
    cacheSize: options.cacheBytes ?? 16 * 1024 * 1024,
    writeBufferSize: 8 * 1024 * 1024,
  }) as Native
  try {
    await level.open()
  } catch (error) {
    const cause = error instanceof Error ? error.cause : undefined
    const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
    const text = cause instanceof Error ? cause.message : String(error)
    if (code === 'LEVEL_LOCKED') throw new DatabaseLocked(text)
    const refused = systemCode(text)
    // What the system refuses says nothing about the content.
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
    // A compaction writes out what is in memory first; in this range there is nothing else for it to do.
    flush: () => level.compactRange('', ''),
    close: () => level.close(),
  }
}

/** Every entry of some pages, one by one; closes them at the end or when the loop is left. */
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
