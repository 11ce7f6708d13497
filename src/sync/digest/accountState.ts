/**
 * Digest of a replicated account in memory, updated by each commit and saved periodically (`AccountState`). Equal digests mean
 * equal copies. A start resumes from the saved digest (saved.ts), or computes it from the items if there is none
 * (rebuild.ts). Commits and readers wait while it is computed.
 *
 * Read next: buckets.ts (the digest by buckets of items), digestDelta.ts (effect of a journal entry), reconcile.ts (finds the
 * items in which two sets differ), readItem.ts (reads single items), sharedSet.ts (the set shared with a peer), feed.ts (the
 * journal as other nodes read it).
 */
import { setImmediate as yieldTurn } from 'node:timers/promises'
import type { Account } from '../../store/engine/account.js'
import type { Snapshot } from '../../store/engine/database.js'
import { readEpochs, type Epoch } from '../../store/engine/epochs.js'
import { changeIn, readJournal, type CommittedEntry } from '../../store/engine/journal.js'
import { Failure } from '../../store/model/failure.js'
import type { Store } from '../../store/index.js'
import { bucketOf, bucketsUnder, readBuckets, type ItemState } from './buckets.js'
import { digestDelta, isDocument } from './digestDelta.js'
import { feedEntry, readFeed } from './feed.js'
import { lastEntry, rebuild, type RebuiltDigests } from './rebuild.js'
import type { DigestSource } from './readItem.js'
import { loadState, stageState } from './saved.js'
import type { Digest, FeedEntry, ItemSet, Position } from '../wire/itemSet.js'

export interface AccountState extends ItemSet {
  /**
   * Returns the position of the latest entry on disk. Its epoch stays the same while the process runs, and may be sent with
   * any sequence that this node has read from its own feed.
   */
  position(): Promise<Position>
  /** Checks whether a position received from a peer belongs to this feed. */
  knows(position: Position): boolean
  /**
   * Returns replicated entries after a sequence, at most `limit`; `upTo` is the last sequence read, skipped entries
   * included. Large or many skipped entries return fewer at once: the feed is drained only when `upTo` is its end.
   */
  read(after: number, limit: number): Promise<{ entries: FeedEntry[]; upTo: number }>
  /**
   * Calls `listener` with the entries of each commit, and its last sequence, once it is on disk and in the digest. Returns a
   * function that stops.
   */
  follow(listener: (entries: readonly FeedEntry[], upTo: number) => void): () => void
  /** Number of entries between a sequence and the end of the feed. */
  behind(after: number): number
  /** Recomputes the digest from the items; returns whether it was correct. */
  verify(): Promise<{ sound: boolean; items: number }>
}

/** Interface of a digest for its keeper. */
export interface SavedState extends AccountState {
  /** Applies committed entries. */
  receive(entries: readonly CommittedEntry[]): void
  /** Saves the changes that are not on disk yet. */
  save(): Promise<void>
  /** Number of entries applied since the last save. */
  readonly unsaved: number
}

/** Maximum number of buckets read one by one; beyond it the whole digest is computed again. */
const MAX_BUCKETS_READ = 4096
/** Maximum number of journal entries replayed on top of a saved digest. */
const MAX_REPLAY_LENGTH = 200_000

/**
 * Opens the digest of an account: from the saved one, or from its items. Calls `hand` with the function that receives commits;
 * from then on the caller must pass on each commit.
 */
export async function openAccountState(
  store: Store,
  account: Account,
  hand: (take: SavedState['receive']) => void,
  onMismatch: (why: string) => void,
): Promise<SavedState> {
  const stored: DigestSource = { db: store.db, seal: store.seal, account: account.prefix }
  const listeners = new Set<(entries: readonly FeedEntry[], upTo: number) => void>()
  /** Commits that wait while the digest is read or computed; undefined otherwise. */
  let waiting: (readonly CommittedEntry[])[] | undefined = []
  /** Sequence of the latest commit received. */
  let receivedUpTo = 0
  let state: RebuiltDigests
  let unsaved = 0
  /** Buckets whose digests must be read from the store. */
  const staleBuckets = new Set<number>()
  /** Queue of operations on the whole digest. */
  let work: Promise<unknown> = Promise.resolve()

  function apply(entry: CommittedEntry): void {
    if (entry.sequence <= state.upTo) return
    const { kind, action, id, bytes } = entry
    const effect = digestDelta(kind, action, id, changeIn(bytes))
    const bucket = effect && bucketOf(effect.item)
    state.places.set(entry.sequence, bucket)
    state.upTo = entry.sequence
    unsaved += 1
    if (effect === undefined || bucket === undefined) return
    if (effect.element !== undefined) state.sums.toggle(bucket, effect.element)
    if (effect.isUnclear === true) staleBuckets.add(bucket)
  }

  function take(entries: readonly CommittedEntry[]): void {
    receivedUpTo = entries.at(-1)?.sequence ?? receivedUpTo
    if (waiting !== undefined) {
      waiting.push(entries)
      return
    }
    for (const entry of entries) apply(entry)
    notify(entries)
  }

  function notify(entries: readonly CommittedEntry[]): void {
    if (listeners.size === 0) return
    const concerned = entries.map((entry) => feedEntry(entry, changeIn(entry.bytes))).filter((entry) => entry !== undefined)
    const upTo = entries.at(-1)?.sequence ?? 0
    for (const listener of listeners) listener(concerned, upTo)
  }

  /** Applies the commits received meanwhile. */
  function applyWaiting(): void {
    const held = waiting ?? []
    waiting = undefined
    for (const entries of held) take(entries)
  }

  /** Resolves when the digest includes all entries up to a sequence: commits in a snapshot may not have been passed on yet. */
  async function catchUp(upTo: number): Promise<void> {
    while (receivedUpTo < upTo && state.upTo < upTo) {
      if (store.isBroken) throw new Failure('read-only')
      await yieldTurn()
    }
    for (const entries of waiting ?? []) for (const entry of entries) if (entry.sequence <= upTo) apply(entry)
  }

  /** Runs `run` on a snapshot of the account while commits wait, after earlier such operations. */
  function runExclusively<T>(run: (snapshot: Snapshot, upTo: number) => Promise<T>): Promise<T> {
    const next = work.then(async () => {
      waiting ??= []
      const snapshot = store.db.snapshot()
      try {
        return await run(snapshot, await lastEntry(store.db, account.prefix, snapshot))
      } finally {
        await snapshot.close()
        applyWaiting()
      }
    })
    work = next.catch(() => {})
    return next
  }

  /** Reads the digests of the unclear buckets again. `state` includes everything up to `upTo`, the end of the snapshot. */
  async function refreshBuckets(snapshot: Snapshot, upTo: number): Promise<void> {
    const buckets = new Set(staleBuckets)
    staleBuckets.clear()
    if (buckets.size > MAX_BUCKETS_READ) {
      state = await rebuild(stored, snapshot)
      return
    }
    const read = await readBuckets(stored, buckets, state.places, upTo, snapshot)
    for (const [bucket, items] of read) state.sums.replace(bucket, items.map((one) => one.state))
  }

  /** Resumes from the saved digest; false when there is none to use. */
  async function resume(snapshot: Snapshot, upTo: number): Promise<boolean> {
    const saved = await loadState(stored).catch(() => undefined)
    if (saved === undefined || saved.upTo > upTo || upTo - saved.upTo > MAX_REPLAY_LENGTH) return false
    state = saved
    for await (const entry of readJournal(store.db, account.prefix, saved.upTo + 1, snapshot)) {
      const { sequence, kind, action, id, change } = entry
      const effect = digestDelta(kind, action, id, change)
      const bucket = effect && bucketOf(effect.item)
      state.places.set(sequence, bucket)
      unsaved += 1
      if (effect === undefined || bucket === undefined) continue
      // A deletion also removes changes that it erased, which this replay has not seen.
      const isErasure = isDocument(kind) && action === 'delete'
      if (isErasure || effect.isUnclear === true) staleBuckets.add(bucket)
      else if (effect.element !== undefined) state.sums.toggle(bucket, effect.element)
    }
    state.places.extend(saved.upTo, upTo)
    state.upTo = upTo
    await refreshBuckets(snapshot, upTo)
    return true
  }

  hand(take)
  // Must come before any position is used: entries of this process belong to no earlier epoch.
  const epoch = await account.beginEpoch()
  const epochs = await readEpochs(store.db, account.prefix)
  await runExclusively(async (snapshot, upTo) => {
    if (!(await resume(snapshot, upTo))) {
      staleBuckets.clear()
      state = await rebuild(stored, snapshot)
    }
  })

  /** Resolves when no operation on the digest is running and every bucket digest is known. */
  async function ready(): Promise<void> {
    if (staleBuckets.size > 0 && waiting === undefined) {
      await runExclusively(async (snapshot, upTo) => {
        await catchUp(upTo)
        await refreshBuckets(snapshot, upTo)
      })
    } else if (waiting !== undefined) {
      await work
      await ready()
    }
  }

  function knows({ epoch, sequence }: Position): boolean {
    const known: Epoch | undefined = epochs.findLast(({ id }) => id === epoch)
    return known !== undefined && sequence >= 0 && sequence < (known.until ?? state.upTo + 1)
  }

  async function verify(): Promise<{ sound: boolean; items: number }> {
    return runExclusively(async (snapshot, upTo) => {
      await catchUp(upTo)
      if (staleBuckets.size > 0) await refreshBuckets(snapshot, upTo)
      const made = await rebuild(stored, snapshot)
      const sound = made.sums.equals(state.sums)
      if (!sound) onMismatch('The digest of an account did not match its items and was rebuilt.')
      state = made
      return { sound, items: made.items }
    })
  }

  /** Combines the reads of one turn of the event loop. */
  let batch: Set<number> | undefined
  let answer: Promise<Map<number, ItemState[]>> | undefined
  function readTogether(bucket: number): Promise<Map<number, ItemState[]>> {
    if (batch !== undefined && answer !== undefined) {
      batch.add(bucket)
      return answer
    }
    const buckets = new Set([bucket])
    batch = buckets
    answer = yieldTurn().then(async () => {
      await ready()
      batch = undefined
      return readBuckets(stored, buckets, state.places, state.upTo)
    })
    return answer
  }

  return {
    async digest(): Promise<Digest & { sequence: number }> {
      await ready()
      return { state: state.sums.total(), sequence: state.upTo }
    },
    async parts(prefix) {
      await ready()
      return state.sums.parts(prefix)
    },
    async items(prefix) {
      const { first } = bucketsUnder(prefix)
      return (await readTogether(first)).get(first) ?? []
    },
    position: () => Promise.resolve({ epoch, sequence: state.upTo }),
    knows,
    async read(after, limit) {
      await ready()
      return readFeed(stored, after, state.upTo, limit)
    },
    follow(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    behind: (after) => Math.max(0, state.upTo - after),
    verify,
    receive: take,
    async save() {
      await ready()
      if (unsaved === 0 && state.sums.touched.size === 0) return
      await account.write((t) => {
        // Another operation may have started to recompute the digest meanwhile.
        if (waiting !== undefined || staleBuckets.size > 0) return
        stageState(t, state)
        t.onStaged(() => {
          unsaved = 0
        })
      })
    },
    get unsaved() {
      return unsaved
    },
  }
}
