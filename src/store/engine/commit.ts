/**
 * Group commit: writes everything that all accounts staged as one synced batch, then acknowledges the writers. Each
 * commit with journal entries adds a link to the hash chain and moves the high-water mark.
 *
 * A link is `previous hash (32) | time f64 | per entry: account length u8, account, sequence f64, digest (32)`; its
 * hash is its SHA-256. It holds digests only, so that an entry's content can be erased while the chain stays
 * verifiable.
 */
import { hash, randomBytes } from 'node:crypto'
import { setImmediate as yieldTurn } from 'node:timers/promises'
import { isOutOfSpace, type Database, type Value } from './database.js'
import { Failure } from '../model/failure.js'
import { utf8Text } from '../model/jsonText.js'
import type { CommittedEntry } from './journal.js'
import { createHistogram, observe, type Histogram } from './histogram.js'
import { nodeKeys } from './keys.js'
import type { ChangedKeySet } from './changedKeys.js'

/** Writes of one writer, applied together or not at all. */
export interface Staged {
  /** Maps each key to its value, or to null to delete it. */
  operations: Map<string, Value | null>
  entries: CommittedEntry[]
  /** Syncs the commit to disk even without a journal entry. */
  sync?: true
  /** Called with the operations once they are on disk, before followers and the writer go on. */
  written?: (operations: Staged['operations']) => void
}

export interface ChainHead {
  sequence: number
  hash: Uint8Array
}

/** Statistics of the commits since the store was opened. */
export interface CommitFigures {
  /** Duration until each commit was on disk, in seconds. */
  readonly seconds: Histogram
  /** Journal entries per commit. */
  readonly entries: Histogram
}

export interface Committer {
  /** Random id of the opened store, new each time, to distinguish what copies of a store write. */
  readonly actor: string
  /** Seconds since the epoch. */
  now(): number
  /** Returns the value of a key as the next writer must see it: staged writes over the database. */
  get(key: string): string | undefined
  getBytes(key: string): Uint8Array | undefined
  /** Adds the writes to the next commit; resolves when they are on disk. Throws while read-only or full. */
  stage(writes: Staged): Promise<void>
  /** Resolves when everything staged so far is on disk. */
  settled(): Promise<void>
  /** Calls back with the entries of each commit once it is on disk, in order. Returns a function that unsubscribes. */
  follow(listener: (entries: readonly CommittedEntry[]) => void): () => void
  /** Throws when the store is read-only or full. */
  assertWritable(): void
  readonly head: ChainHead
  /** `full`: the disk has too little free space, or LevelDB ran out of it; `read-only`: the disk failed. */
  readonly state: 'writable' | 'full' | 'read-only'
  /** True after a failed write: nothing is written until the store is opened again. */
  readonly isBroken: boolean
  readonly figures: CommitFigures
  /** Registers a listener for the first I/O error, which ends all writing. */
  onReadOnly(listener: (cause: unknown) => void): void
}

interface CommitOptions {
  db: Database
  head: ChainHead
  /** Seconds since the epoch. */
  now(): number
  /** Called when a group is closed to further changes, before it is written. */
  groupClosed?(): void
  /** Moves the high-water mark; called after each synced commit of the chain. */
  mark(head: ChainHead): void
  /** Returns the free bytes of the disk; called at most once a second. */
  freeBytes?(): Promise<number>
  /** Records all written keys. */
  changedKeys?: Pick<ChangedKeySet, 'writing' | 'written'>
}

/** Free bytes below which new writes are refused, so that LevelDB does not run out of space while it writes its log. */
export const RESERVE_BYTES = 32 * 1024 * 1024

/** Bytes copied into a batch before yielding to the event loop. */
const MAX_COPIED_AT_ONCE = 4 * 1024 * 1024

const SECONDS = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 1, 5]
const ENTRIES = [0, 1, 2, 5, 10, 20, 50, 100, 500, 1000, 5000]

/** Returns a staged value as text, as the database will return it. */
export const stagedText = (value: Value | null): string | undefined =>
  value === null ? undefined : typeof value === 'string' ? value : utf8Text(value)

interface Group {
  operations: Map<string, Value | null>
  entries: Staged['entries']
  /** The staged writes that are to be reported. */
  reported: Staged[]
  sync: boolean
  promise: Promise<void>
  resolve: () => void
  reject: (cause: unknown) => void
}

function newGroup(): Group {
  let resolve = (): void => {}
  let reject = (_: unknown): void => {}
  const promise = new Promise<void>((yes, no) => {
    resolve = yes
    reject = no
  })
  // A writer may drop its promise (bookkeeping of a call whose client disconnected); the state below still reports the failure.
  promise.catch(() => {})
  return { operations: new Map(), entries: [], reported: [], sync: false, promise, resolve, reject }
}

/** Notifies a follower. Its error affects neither the commit nor other followers. */
function notify<T>(follower: (committed: T) => void, committed: T): void {
  try {
    follower(committed)
  } catch (error) {
    process.emitWarning(error instanceof Error ? error : String(error))
  }
}

/** Encodes a link of the chain; `now` in seconds. */
export function encodeLink(previous: Uint8Array, now: number, entries: Staged['entries']): Uint8Array {
  let length = 40
  for (const entry of entries) length += 41 + entry.account.length
  const bytes = Buffer.allocUnsafe(length)
  bytes.set(previous, 0)
  bytes.writeDoubleLE(now, 32)
  let at = 40
  for (const entry of entries) {
    bytes[at++] = entry.account.length
    at += bytes.write(entry.account, at, 'latin1')
    at = bytes.writeDoubleLE(entry.sequence, at)
    bytes.set(digest(entry.bytes), at)
    at += 32
  }
  return bytes
}

/** Decodes a link; undefined when the bytes are not one. */
export function decodeLink(
  bytes: Uint8Array,
): { previous: Uint8Array; time: number; entries: { account: string; sequence: number; digest: Uint8Array }[] } | undefined {
  const link = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (link.length < 40) return undefined
  const entries = []
  let at = 40
  while (at < link.length) {
    const size = link[at] ?? 0
    if (at + 41 + size > link.length) return undefined
    const account = link.toString('latin1', at + 1, at + 1 + size)
    const sequence = link.readDoubleLE(at + 1 + size)
    entries.push({ account, sequence, digest: link.subarray(at + 9 + size, at + 41 + size) })
    at += 41 + size
  }
  return { previous: link.subarray(0, 32), time: link.readDoubleLE(32), entries }
}

export const digest = (bytes: Uint8Array): Uint8Array => hash('sha256', bytes, 'buffer')

export function createCommitter(options: CommitOptions): Committer {
  const { db } = options
  const followers = new Set<(entries: readonly CommittedEntry[]) => void>()
  const readOnlyListeners: ((cause: unknown) => void)[] = []
  let head = options.head
  let gathering: Group | undefined
  let writing: Group | undefined
  let broken: unknown
  let full = false
  let lastSpaceCheck = 0
  const figures: CommitFigures = { seconds: createHistogram(SECONDS), entries: createHistogram(ENTRIES) }

  function lookup(key: string): Value | null | undefined {
    const fresh = gathering?.operations.get(key)
    if (fresh !== undefined) return fresh
    return writing?.operations.get(key)
  }

  /** Returns the failure for writers after a failed write. */
  const refusal = (): Failure => new Failure(isOutOfSpace(broken) ? 'storage-full' : 'read-only')

  function assertWritable(): void {
    if (broken !== undefined) throw refusal()
    if (full) {
      checkSpace()
      throw new Failure('storage-full')
    }
  }

  function checkSpace(): void {
    const { freeBytes } = options
    const now = options.now()
    // A clock that was set back must not delay the check.
    if (freeBytes === undefined || Math.abs(now - lastSpaceCheck) < 1) return
    lastSpaceCheck = now
    freeBytes().then(
      (bytes) => {
        full = bytes < RESERVE_BYTES
      },
      () => {},
    )
  }

  async function write(group: Group): Promise<void> {
    const began = performance.now()
    const batch = db.batch()
    let next = head
    if (group.entries.length > 0) {
      const link = encodeLink(head.hash, options.now(), group.entries)
      next = { sequence: head.sequence + 1, hash: digest(link) }
      group.operations.set(nodeKeys.commit(next.sequence), link)
    }
    // Hashing large entries takes about as long as copying them: yield in between.
    let copied = group.entries.reduce((sum, { bytes }) => sum + bytes.length, 0)
    if (copied >= MAX_COPIED_AT_ONCE) await yieldTurn()
    copied = 0
    for (const [key, value] of group.operations) {
      if (value === null) batch.delete(key)
      else {
        batch.put(key, value)
        copied += value.length
      }
      if (copied < MAX_COPIED_AT_ONCE) continue
      // Copying takes milliseconds per megabyte. Changes staged meanwhile go into the next commit.
      copied = 0
      await yieldTurn()
    }
    options.changedKeys?.writing(group.operations)
    try {
      await batch.write({ sync: group.sync || group.entries.length > 0 })
    } finally {
      options.changedKeys?.written()
    }
    if (next !== head) {
      head = next
      options.mark(head)
    }
    observe(figures.seconds, (performance.now() - began) / 1000)
    observe(figures.entries, group.entries.length)
  }

  function startNext(): void {
    if (writing !== undefined || gathering === undefined) return
    const group = gathering
    writing = group
    gathering = undefined
    options.groupClosed?.()
    write(group).then(
      () => {
        writing = undefined
        // In the same turn as followers, so that what these invalidate is not read again from memory that lacks the commit.
        for (const { written, operations } of group.reported) if (written !== undefined) notify(written, operations)
        group.resolve()
        if (group.entries.length > 0) for (const follower of followers) notify(follower, group.entries)
        // Clients just acknowledged often write again at once: one more turn of the event loop lets them share the commit.
        if (gathering !== undefined) setImmediate(() => setImmediate(startNext))
        checkSpace()
      },
      (cause: unknown) => {
        // A failed sync leaves unknown data on disk, and a retry would hide it. Only reopening the store shows it.
        broken = cause
        writing = undefined
        group.reject(refusal())
        gathering?.reject(refusal())
        gathering = undefined
        for (const listener of readOnlyListeners) listener(cause)
      },
    )
  }

  checkSpace()
  return {
    actor: randomBytes(6).toString('base64url'),
    now: () => options.now(),
    get(key) {
      const staged = lookup(key)
      if (staged === undefined) return db.get(key)
      return stagedText(staged)
    },
    getBytes(key) {
      const staged = lookup(key)
      if (staged === undefined) return db.getBytes(key)
      return staged instanceof Uint8Array ? staged : undefined
    },
    stage(writes) {
      assertWritable()
      let group = gathering
      if (group === undefined) {
        group = newGroup()
        gathering = group
        // Calls that arrive in the same turn of the event loop share the commit.
        setImmediate(startNext)
      }
      for (const [key, value] of writes.operations) group.operations.set(key, value)
      for (const entry of writes.entries) group.entries.push(entry)
      if (writes.sync === true) group.sync = true
      if (writes.written !== undefined) group.reported.push(writes)
      return group.promise
    },
    async settled() {
      if (gathering !== undefined) await gathering.promise
      else if (writing !== undefined) await writing.promise
    },
    follow(listener) {
      followers.add(listener)
      return () => followers.delete(listener)
    },
    assertWritable,
    figures,
    get head() {
      return head
    },
    get state() {
      if (broken !== undefined) return isOutOfSpace(broken) ? 'full' : 'read-only'
      if (!full) return 'writable'
      checkSpace()
      return 'full'
    },
    get isBroken() {
      return broken !== undefined
    },
    onReadOnly(listener) {
      readOnlyListeners.push(listener)
    },
  }
}
