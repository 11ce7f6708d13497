/**
 * The state of a paired account in memory, brought up to date by each commit. It is saved now and then; a start goes on
 * from there, and makes the state from the items when there is nothing to go on from. While it is made, what is committed
 * waits, and so does everybody who asks.
 */
import type { Account } from '../../store/engine/account.js'
import type { Snapshot } from '../../store/engine/database.js'
import { readEpochs, type Epoch } from '../../store/engine/epochs.js'
import { changeIn, readJournal, type CommittedEntry } from '../../store/engine/journal.js'
import { Failure } from '../../store/model/failure.js'
import type { Store } from '../../store/index.js'
import type { ItemState } from './buckets.js'
import { readBuckets } from './buckets.js'
import { digestDelta, isDocument } from './digestDelta.js'
import { feedEntry, readFeed } from './feed.js'
import { lastEntry, rebuild, type DigestSource, type RebuiltDigests } from './rebuild.js'
import { loadState, stageState } from './saved.js'
import type { Digest, FeedEntry, ItemSet, Position } from '../wire/itemSet.js'
import { bucketOf, bucketsUnder } from './bucketDigests.js'

export interface AccountState extends ItemSet {
  /**
   * The place of the latest entry that is on disk. Its epoch stays the same as long as the process runs, and may be told
   * with any sequence that this node has read from its own feed.
   */
  position(): Promise<Position>
  /** Whether a position that a peer names is one of this very feed. */
  knows(position: Position): boolean
  /**
   * Entries behind a sequence, at most `limit`, that concern other nodes; `upTo` is the sequence they were read to (also
   * when all were skipped). Of many bytes, or many that are skipped, fewer come at once: only when `upTo` is the end of
   * the feed are there no more.
   */
  read(after: number, limit: number): Promise<{ entries: FeedEntry[]; upTo: number }>
  /** Entries of each commit once it is on disk and the state has taken them in, with the sequence after them. Answers how to stop. */
  follow(listener: (entries: readonly FeedEntry[], upTo: number) => void): () => void
  /** Number of entries between a sequence and the end of the feed. */
  behind(after: number): number
  /** Makes the state again from the items themselves; tells whether it was what it should be. */
  verify(): Promise<{ sound: boolean; items: number }>
}

/** What the keeper does with a state. */
export interface SavedState extends AccountState {
  /** Takes in what was committed to the account. */
  take(entries: readonly CommittedEntry[]): void
  /** Saves what is not on disk yet. */
  save(): Promise<void>
  /** Entries that were taken in since the state was saved. */
  readonly unsaved: number
}

/** More buckets than these are not read one by one: the whole is made again. */
const MAX_BUCKETS_READ = 4096
/** A journal that is this much longer than what was saved is not replayed. */
const MAX_REPLAY_LENGTH = 200_000

/**
 * Opens the state of an account: from what was saved, or from its items. The account's commits must be handed over from
 * before this is called on; `hand` is called with what takes them.
 */
export async function openAccountState(
  store: Store,
  account: Account,
  hand: (take: SavedState['take']) => void,
  lost: (why: string) => void,
): Promise<SavedState> {
  const stored: DigestSource = { db: store.db, seal: store.seal, account: account.prefix }
  const listeners = new Set<(entries: readonly FeedEntry[], upTo: number) => void>()
  /** Commits that wait while the state is read or made; absent when there is nothing to wait for. */
  let waiting: (readonly CommittedEntry[])[] | undefined = []
  /** The latest entry that was handed over. */
  let handed = 0
  let state: RebuiltDigests
  let unsaved = 0
  /** Buckets whose sums are to be read from the store. */
  const unclear = new Set<number>()
  /** What works on the state as a whole, one after another. */
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
    if (effect.isUnclear === true) unclear.add(bucket)
  }

  function take(entries: readonly CommittedEntry[]): void {
    handed = entries.at(-1)?.sequence ?? handed
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

  /** Goes on with what was committed meanwhile. */
  function release(): void {
    const held = waiting ?? []
    waiting = undefined
    for (const entries of held) take(entries)
  }

  /** Resolves when the state has all entries up to one: what a snapshot holds may not have been handed over yet. */
  async function catchUp(upTo: number): Promise<void> {
    while (handed < upTo && state.upTo < upTo) {
      if (store.isBroken) throw new Failure('read-only')
      await new Promise(setImmediate)
    }
    for (const entries of waiting ?? []) for (const entry of entries) if (entry.sequence <= upTo) apply(entry)
  }

  /** Runs `run` on one moment of the account, while commits wait, and after whatever else does so. */
  function alone<T>(run: (snapshot: Snapshot, upTo: number) => Promise<T>): Promise<T> {
    const next = work.then(async () => {
      waiting ??= []
      const snapshot = store.db.snapshot()
      try {
        return await run(snapshot, await lastEntry(store.db, account.prefix, snapshot))
      } finally {
        await snapshot.close()
        release()
      }
    })
    work = next.catch(() => {})
    return next
  }

  /** Reads the sums of the unclear buckets anew. `state` has everything up to `upTo`, where the snapshot ends. */
  async function clear(snapshot: Snapshot, upTo: number): Promise<void> {
    const buckets = new Set(unclear)
    unclear.clear()
    if (buckets.size > MAX_BUCKETS_READ) {
      state = await rebuild(stored, snapshot)
      return
    }
    const read = await readBuckets(stored, buckets, state.places, upTo, snapshot)
    for (const [bucket, items] of read) state.sums.replace(bucket, items.map((one) => one.state))
  }

  /** Goes on from what was saved; false when there is nothing to go on from. */
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
      // A deletion takes away changes that were erased with it, and so were not seen here.
      const isErasure = isDocument(kind) && action === 'delete'
      if (isErasure || effect.isUnclear === true) unclear.add(bucket)
      else if (effect.element !== undefined) state.sums.toggle(bucket, effect.element)
    }
    state.places.reach(saved.upTo, upTo)
    state.upTo = upTo
    await clear(snapshot, upTo)
    return true
  }

  hand(take)
  // Before anything is known by a place in the feed: what this process adds belongs to none of the former ones.
  const epoch = await account.beginEpoch()
  const epochs = await readEpochs(store.db, account.prefix)
  await alone(async (snapshot, upTo) => {
    if (!(await resume(snapshot, upTo))) {
      unclear.clear()
      state = await rebuild(stored, snapshot)
    }
  })

  /** Resolves when nothing works on the state, and every sum is known. */
  async function ready(): Promise<void> {
    if (unclear.size > 0 && waiting === undefined) {
      await alone(async (snapshot, upTo) => {
        await catchUp(upTo)
        await clear(snapshot, upTo)
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
    return alone(async (snapshot, upTo) => {
      await catchUp(upTo)
      if (unclear.size > 0) await clear(snapshot, upTo)
      const made = await rebuild(stored, snapshot)
      const sound = made.sums.equals(state.sums)
      if (!sound) lost('The state of an account was not that of its items, and was made again.')
      state = made
      return { sound, items: made.items }
    })
  }

  /** What is asked for in one turn of the event loop is read together. */
  let input: Set<number> | undefined
  let answer: Promise<Map<number, ItemState[]>> | undefined
  function readTogether(bucket: number): Promise<Map<number, ItemState[]>> {
    if (input !== undefined && answer !== undefined) {
      input.add(bucket)
      return answer
    }
    const buckets = new Set([bucket])
    input = buckets
    answer = new Promise(setImmediate).then(async () => {
      await ready()
      input = undefined
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
    take,
    async save() {
      await ready()
      if (unsaved === 0 && state.sums.touched.size === 0) return
      await account.write((t) => {
        // What waits for others to finish may find that the state is being made again.
        if (waiting !== undefined || unclear.size > 0) return
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
