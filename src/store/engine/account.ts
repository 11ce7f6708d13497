/**
 * Engine of the store: transactions of accounts, written as commits to one LevelDB database. What is acknowledged is on disk,
 * complete, and covered by a hash chain.
 *
 * `Account` is an account loaded in memory: its stream tree, its journal position, and `write`, its only way to change.
 * Functions passed to `write` get a `Transaction`. They run one after another, see the staged writes of earlier ones, and
 * stage everything or nothing.
 *
 * Read next: keys.ts (all keys of the database), commit.ts (group commits and the chain), journal.ts (entries of changes),
 * changes.ts (CRDT changes in the journal), open.ts (opening, lock and high-water mark). database.ts alone imports LevelDB.
 */
import { WantedCount } from './wantedCount.js'
import { stagedText, type Committer, type Staged } from './commit.js'
import type { Database, Value } from './database.js'
import { withEpoch } from './epochs.js'
import { accountKeys } from './keys.js'
import { concernsCallers, encodeEntry, isStructure, type JournalDetail, type EntryAction, type EntryKind, type States } from './journal.js'
import { arrivalWindow, arrivalWindowToText, type ArrivalWindow } from './arrivalWindow.js'
import type { Event } from '../model/event.js'
import type { Stream } from '../model/stream.js'
import { Failure } from '../model/failure.js'
import type { Tree } from '../model/tree.js'
import { emptyMergeState, type MergeState } from './mergeStateMaps.js'

/** Optional fields of a journal entry. */
export interface Journaled {
  /** The item's CRDT change. */
  change?: Uint8Array
  /** The sequence of the item's entry before this one. */
  previous?: number
  /** Detail of the change for followers in this process. */
  about?: JournalDetail
  /** Number of the peer that sent the change. */
  origin?: number
}

/** Interface of a function passed to `write`. */
export interface Transaction {
  /** The account's key prefix. */
  readonly account: string
  /** Id of the writing process; distinguishes the points of a series by writer. */
  readonly actor: string
  get(key: string): string | undefined
  getBytes(key: string): Uint8Array | undefined
  put(key: string, value: Value): void
  delete(key: string): void
  /** Adds a journal entry for an item; returns the entry's sequence. */
  journal(kind: EntryKind, action: EntryAction, id: string, more?: Journaled): number
  /** Makes the commit synchronous to disk although it carries no journal entry. */
  sync(): void
  /** Reports that an event dropped a file. After the commit, its bytes are deleted unless something else refers to them. */
  freed(digest: string): void
  /** Reports the stored states of an event around the change to the followers of the journal. */
  eventStored(states: States<Event>): void
  /** Calls `effect` when the writes are staged, to update state in memory. */
  onStaged(effect: () => void): void
  /** Calls `effect` when the staged writes are on disk or have failed. */
  onSettled(effect: () => void): void
  /** Puts a stream into the tree in memory, or removes it, at once. Undone when staging fails. */
  setTreeStream(id: string, stream: Stream | undefined): void
  /** Merge state of the account. A change to it registers its reversal with `onUndo`. */
  readonly mergeState: MergeState
  /** Count of the account's missing files (missingBlobs.ts). */
  readonly wanted: WantedCount
  readonly durationBuckets: DurationBuckets
  /** Calls `effect` when the change throws, in reverse order of registration, to undo changes in memory. */
  onUndo(effect: () => void): void
}

/**
 * Buckets of durations (eventFilter.ts) that the account's events have; may contain some that none has any more. Writers add those
 * that they put or delete, before their commit, so that a set once read stays complete for every snapshot.
 */
interface DurationBuckets {
  readonly buckets: Set<string>
  /** True once the buckets in the database have been read. */
  isComplete: boolean
}

interface AccountSetup {
  prefix: string
  db: Database
  committer: Committer
  tree: Tree
  /** Merge state of the account. */
  mergeState?: MergeState
  /** Counts of missing files; absent when there are none. */
  wanted?: WantedCount
  /** Sequence of the latest journal entry. */
  sequence: number
  /** The epoch of this process and the account's latest epoch; see epochs.ts. */
  epoch?: { id: string; latest: string | undefined }
  /** Receives the digests of files that events dropped, after the commit. */
  freed?(digests: readonly string[]): void
}

export class Account {
  readonly prefix: string
  readonly db: Database
  /** The account's streams. Readers wait for `settledStructure` first. */
  readonly tree: Tree
  readonly mergeState: MergeState
  /** Counts of missing files. */
  readonly wanted: WantedCount
  /**
   * Counter of committed changes to events and streams; validates cached answers. Starts at the journal's sequence, so
   * that no value repeats after the account is unloaded and loaded again.
   */
  version: number
  /**
   * Counter of changes that may withdraw rights: updated and deleted accesses, ended sessions. Increments when such a
   * change is staged and again when it is on disk, which invalidates everything read before or in between.
   */
  rights = 0
  readonly durationBuckets: DurationBuckets = { buckets: new Set(), isComplete: false }
  /** True when other nodes ever changed events; undefined until first read. */
  received: boolean | undefined
  /** Called with what each commit changed in the account, once it is on disk: values by key, null for deleted keys. */
  onWritten: Staged['written']
  readonly #committer: Committer
  readonly #freed: ((digests: readonly string[]) => void) | undefined
  readonly #epoch: AccountSetup['epoch']
  #hasEpochs: boolean
  /** Commit that writes this process's epoch; absent while the account does not have it. */
  #epochBegun: Promise<unknown> | undefined
  #sequence: number
  /** The latest window of changes from other nodes. */
  #span: ArrivalWindow | undefined
  #exclusive: Promise<void> | undefined
  #inFlight = 0
  #structureInFlight = 0
  #rightsInFlight = 0
  #ended = false
  /** Streams as they were before uncommitted changes, in the order of those changes. */
  #unsettled: { id: string; former: Stream | undefined }[] = []

  constructor(setup: AccountSetup) {
    this.prefix = setup.prefix
    this.db = setup.db
    this.tree = setup.tree
    this.mergeState = setup.mergeState ?? emptyMergeState()
    this.wanted = setup.wanted ?? new WantedCount()
    this.#committer = setup.committer
    this.#freed = setup.freed?.bind(setup)
    this.#epoch = setup.epoch
    this.#hasEpochs = setup.epoch?.latest !== undefined
    if (this.#hasEpochs && setup.epoch?.id === setup.epoch?.latest) this.#epochBegun = Promise.resolve()
    this.#sequence = setup.sequence
    this.version = setup.sequence
  }

  /** Sequence of the latest journal entry, staged ones included. */
  get sequence(): number {
    return this.#sequence
  }

  /** True while a change that withdraws rights is staged but not yet on disk. */
  get isWithdrawing(): boolean {
    return this.#rightsInFlight > 0
  }

  /** True when no write is in progress. Only an idle account may be unloaded. */
  get isIdle(): boolean {
    return this.#inFlight === 0 && this.#exclusive === undefined
  }

  /**
   * Runs `change`, stages its writes and resolves with its result once they are on disk. When `change` throws, nothing
   * is staged. `change` is synchronous: it reads single keys and memory, never ranges.
   */
  write<T>(change: (t: Transaction) => T): Promise<T> {
    if (this.#exclusive !== undefined) return this.#exclusive.then(() => this.write(change))
    try {
      return this.#stage(change)
    } catch (error) {
      // Errors always reach the caller as a rejection, as for a delayed write.
      return Promise.reject(error instanceof Error ? error : new Error(String(error)))
    }
  }

  /**
   * Begins an epoch, which separates the journal entries of this process from those of others. Returns its id once it
   * is on disk. From then on, every process that adds entries begins an epoch.
   */
  async beginEpoch(): Promise<string> {
    if (this.#epoch === undefined) throw new Error('The account was opened without an epoch.')
    this.#hasEpochs = true
    if (this.#epochBegun === undefined) await this.write((t) => t.sync())
    await this.#epochBegun
    return this.#epoch.id
  }

  /**
   * Runs `work` while no other writer of this account runs, for changes that scan ranges first. Earlier staged writes
   * are on disk before it begins. `work` writes through the function it receives.
   */
  async exclusively<T>(work: (write: <R>(change: (t: Transaction) => R) => Promise<R>) => Promise<T>): Promise<T> {
    while (this.#exclusive !== undefined) await this.#exclusive
    let release = (): void => {}
    this.#exclusive = new Promise((resolve) => {
      release = () => {
        this.#exclusive = undefined
        resolve()
      }
    })
    try {
      await this.#committer.settled()
      return await work((change) => this.#stage(change))
    } finally {
      release()
    }
  }

  /**
   * Resolves when no change of streams or accesses is staged but uncommitted, so that readers never see changes that
   * are not durable. Never rejects: readers go on after a failed commit. Returns undefined when there is nothing to
   * wait for, the usual case.
   */
  settledStructure(): Promise<void> | undefined {
    return this.#structureInFlight === 0 ? undefined : this.#committer.settled().catch(() => {})
  }

  /** Restores the tree on disk after a failed commit, which fails all pending writes. */
  #revert(): void {
    for (const { id, former } of this.#unsettled.reverse()) this.#show(id, former)
    this.#unsettled = []
  }

  #show(id: string, stream: Stream | undefined): void {
    if (stream === undefined) this.tree.remove(id)
    else this.tree.put(stream)
  }

  // Looked up when the commit is on disk: a listener must not miss commits that were staged before it was set.
  readonly #reportWritten = (operations: Staged['operations']): void => this.onWritten?.(operations)

  /** Ends the account before its erasure; pending writes are refused. */
  end(): void {
    this.#ended = true
  }

  #stage<T>(change: (t: Transaction) => T): Promise<T> {
    if (this.#ended) throw new Failure('unknown-resource', 'This account has been deleted.')
    this.#committer.assertWritable()
    const { prefix } = this
    const committer = this.#committer
    const staged: Staged = { operations: new Map(), entries: [], written: this.#reportWritten }
    const effects: (() => void)[] = []
    const endings: (() => void)[] = []
    const freed: string[] = []
    const storedEvents: States<Event>[] = []
    let sequence = this.#sequence
    let structure = false
    let withdraws = false
    let latest: { key?: string; value: string | undefined } = { value: undefined }
    let arrived: { first: number; last: number } | undefined
    const changedStreams: { id: string; former: Stream | undefined }[] = []
    const undoing: (() => void)[] = []
    const transaction: Transaction = {
      account: prefix,
      mergeState: this.mergeState,
      wanted: this.wanted,
      durationBuckets: this.durationBuckets,
      actor: committer.actor,
      get(key) {
        const own = staged.operations.get(key)
        if (own !== undefined) return stagedText(own)
        // Consecutive rules read the same key, and no other writer runs in between.
        if (key !== latest.key) latest = { key, value: committer.get(key) }
        return latest.value
      },
      getBytes(key) {
        const own = staged.operations.get(key)
        if (own === undefined) return committer.getBytes(key)
        return own instanceof Uint8Array ? own : undefined
      },
      put: (key, value) => void staged.operations.set(key, value),
      delete: (key) => void staged.operations.set(key, null),
      journal(kind, action, id, more) {
        sequence += 1
        const bytes = encodeEntry(kind, action, id, more?.change, more?.previous, more?.origin)
        staged.operations.set(accountKeys.journal(prefix, sequence), bytes)
        const entry: Staged['entries'][number] = { account: prefix, sequence, kind, action, id, bytes }
        if (more?.about !== undefined) entry.about = more.about
        if (more?.origin !== undefined) entry.origin = more.origin
        if (staged.entries.length === 0) entry.begins = true
        staged.entries.push(entry)
        if (more?.origin !== undefined && kind === 'event') arrived = { first: arrived?.first ?? sequence, last: sequence }
        // A new access needs no wait: readers load accesses from disk.
        if (isStructure(kind) && !(kind === 'access' && action === 'create')) structure = true
        if (concernsCallers(kind) && action !== 'create') withdraws = true
        return sequence
      },
      sync() {
        staged.sync = true
      },
      freed: (digest) => void freed.push(digest),
      eventStored: (states) => void storedEvents.push(states),
      onStaged: (effect) => void effects.push(effect),
      onSettled: (effect) => void endings.push(effect),
      setTreeStream: (id, stream) => {
        const former = this.tree.get(id)
        changedStreams.push({ id, former })
        undoing.push(() => this.#show(id, former))
        this.#show(id, stream)
      },
      onUndo: (effect) => void undoing.push(effect),
    }
    const attempt = <R>(work: () => R): R => {
      try {
        return work()
      } catch (error) {
        for (const undo of undoing.reverse()) undo()
        throw error
      }
    }
    const result = attempt(() => change(transaction))
    const last = staged.entries.at(-1)
    if (last !== undefined && storedEvents.length > 0) last.storedEvents = storedEvents
    const begins = this.#hasEpochs && this.#epochBegun === undefined && (staged.entries.length > 0 || staged.sync === true)
    if (begins) {
      const key = accountKeys.epoch(prefix, this.#sequence + 1)
      transaction.put(key, withEpoch(transaction.get(key), this.#epoch?.id ?? ''))
    }
    const span = arrived === undefined ? undefined : arrivalWindow(this.#span, committer.now(), arrived.first, arrived.last)
    if (span !== undefined) transaction.put(accountKeys.received(prefix, span.time), arrivalWindowToText(span))
    if (staged.operations.size === 0) return this.#committer.settled().then(() => result)
    const done = attempt(() => committer.stage(staged))
    if (begins) this.#epochBegun = done
    this.#sequence = sequence
    if (span !== undefined) {
      this.#span = span
      this.received = true
    }
    this.#unsettled.push(...changedStreams)
    for (const effect of effects) effect()
    this.#inFlight += 1
    if (structure) this.#structureInFlight += 1
    if (withdraws) {
      this.#rightsInFlight += 1
      this.rights += 1
    }
    const settle = (): void => {
      for (const effect of endings) effect()
      this.#inFlight -= 1
      if (structure) this.#structureInFlight -= 1
      if (!withdraws) return
      this.#rightsInFlight -= 1
      this.rights += 1
    }
    return done.then(
      () => {
        settle()
        // Writers settle in the order they staged.
        this.#unsettled.splice(0, changedStreams.length)
        if (freed.length > 0) this.#freed?.(freed)
        return result
      },
      (error: unknown) => {
        settle()
        this.#revert()
        throw error
      },
    )
  }
}
