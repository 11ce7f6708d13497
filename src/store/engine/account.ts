/**
 * An account in memory: its stream tree and its place in the journal, and the one door to changing it. Functions given
 * to `write` run one after another, see the staged writes of those before them, and stage everything or nothing.
 */
import { WantedCount } from './wantedCount.js'
import { stagedText, type Committer, type Staged } from './commit.js'
import type { Database, Value } from './database.js'
import { withEpoch } from './epochs.js'
import { accountKeys } from './keys.js'
import { concernsCallers, encodeEntry, isStructure, type JournalDetail, type EntryAction, type EntryKind } from './journal.js'
import { arrivalWindow, arrivalWindowToText, type ArrivalWindow } from './remoteArrivals.js'
import type { Stream } from '../model/stream.js'
import { Failure } from '../model/failure.js'
import type { Tree } from '../model/tree.js'
import { emptyMergeState, type MergeState } from './mergeState.js'

/** What goes into a journal entry beside what happened to which item. */
export interface Journaled {
  /** The item's CRDT change. */
  change?: Uint8Array
  /** The sequence of the item's entry before this one. */
  previous?: number
  /** For followers. */
  about?: JournalDetail
  /** Number of the peer that the change came from. */
  origin?: number
}

/** What a function given to `write` works with. */
export interface Transaction {
  /** The account's key prefix. */
  readonly account: string
  /** Names the process that writes: points of series are told apart by it. */
  readonly actor: string
  get(key: string): string | undefined
  getBytes(key: string): Uint8Array | undefined
  put(key: string, value: Value): void
  delete(key: string): void
  /** Notes what happens to an item; answers the entry's sequence. */
  journal(kind: EntryKind, action: EntryAction, id: string, more?: Journaled): number
  /** What is written is on disk when the change is acknowledged, although nothing of it is journaled. */
  sync(): void
  /** Tells that an event gave up a file: once that is on disk, the bytes go unless something else refers to them. */
  freed(digest: string): void
  /** Runs when the writes are staged: brings what is kept in memory up to date. */
  onStaged(effect: () => void): void
  /** Runs when the writes that were staged are on disk, or have failed. */
  onSettled(effect: () => void): void
  /** Changes the tree in memory at once: puts a stream into it, or takes it out. Undone when nothing is staged. */
  showStream(id: string, stream: Stream | undefined): void
  /** What the account remembers of merging. What changes it says by `onUndo` how to take that back. */
  readonly notes: MergeState
  /** Counts the account's missing files (missingBlobs.ts). */
  readonly wanted: WantedCount
  /** Runs, the last first, when the change throws: takes back what was done in memory. */
  onUndo(effect: () => void): void
}

export interface AccountSetup {
  prefix: string
  db: Database
  committer: Committer
  tree: Tree
  /** What it remembers of merging. */
  notes?: MergeState
  /** Counts of missing files; absent when there are none. */
  wanted?: WantedCount
  /** Sequence of the latest journal entry. */
  sequence: number
  /** The epoch of this process, and the latest that the account has; see epochs.ts. */
  epoch?: { id: string; latest: string | undefined }
  /** Told of files that events gave up, by their digests, once that is on disk. */
  freed?(digests: readonly string[]): void
}

export class Account {
  readonly prefix: string
  readonly db: Database
  /** The account's streams; readers use it after `settledStructure`. */
  readonly tree: Tree
  readonly notes: MergeState
  /** Counts of missing files. */
  readonly wanted: WantedCount
  /**
   * Counts committed changes of events and streams: what a remembered answer is valid for. It begins at the journal's
   * sequence, so that no number comes again when the account leaves memory and returns.
   */
  version: number
  /**
   * Counts what may have taken a right away: changed and deleted accesses, ended sessions. It moves when such a change
   * is staged and again when it is on disk, so that what was read before, or in between, shows as old.
   */
  rights = 0
  /** Whether changes of events ever came from other nodes; undefined until somebody asked. */
  received: boolean | undefined
  readonly #committer: Committer
  readonly #freed: ((digests: readonly string[]) => void) | undefined
  readonly #epoch: AccountSetup['epoch']
  #hasEpochs: boolean
  /** The epoch of this process on its way to disk, or there; absent as long as the account does not have it. */
  #epochBegun: Promise<unknown> | undefined
  #sequence: number
  /** The latest span in which changes came from other nodes. */
  #span: ArrivalWindow | undefined
  #exclusive: Promise<void> | undefined
  #inFlight = 0
  #structureInFlight = 0
  #rightsInFlight = 0
  #ended = false
  /** Streams as they were before changes that are not on disk yet, in the order of those changes. */
  #unsettled: { id: string; former: Stream | undefined }[] = []

  constructor(setup: AccountSetup) {
    this.prefix = setup.prefix
    this.db = setup.db
    this.tree = setup.tree
    this.notes = setup.notes ?? emptyMergeState()
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

  /** Whether a change that takes rights away is staged and not on disk yet. */
  get isWithdrawing(): boolean {
    return this.#rightsInFlight > 0
  }

  /** Whether no write is under way: only then may the account leave memory. */
  get isIdle(): boolean {
    return this.#inFlight === 0 && this.#exclusive === undefined
  }

  /**
   * Runs `change`, stages what it wrote, and resolves with its result once that is on disk. When `change` throws,
   * nothing is staged. `change` is synchronous: it reads single keys and memory, never ranges.
   */
  write<T>(change: (t: Transaction) => T): Promise<T> {
    if (this.#exclusive !== undefined) return this.#exclusive.then(() => this.write(change))
    try {
      return this.#stage(change)
    } catch (error) {
      // A refusal reaches the caller as a rejection, as it does when the write had to wait.
      return Promise.reject(error instanceof Error ? error : new Error(String(error)))
    }
  }

  /**
   * Sets apart what this process adds to the journal from what others do; answers its epoch once that is on disk. From
   * then on every process that adds something begins one.
   */
  async beginEpoch(): Promise<string> {
    if (this.#epoch === undefined) throw new Error('The account was opened without an epoch.')
    this.#hasEpochs = true
    if (this.#epochBegun === undefined) await this.write((t) => t.sync())
    await this.#epochBegun
    return this.#epoch.id
  }

  /**
   * Runs `work` while no other writer of this account does: for changes that must scan ranges first. Everything
   * staged before is on disk when it begins; `work` changes through the `write` it is given.
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
   * Resolves when no change of streams or accesses is between staging and disk, so that a reader never sees one that
   * is not durable; never rejects, because readers go on after a failed commit. Answers undefined when there is nothing
   * to wait for, the usual case.
   */
  settledStructure(): Promise<void> | undefined {
    return this.#structureInFlight === 0 ? undefined : this.#committer.settled().catch(() => {})
  }

  /** After a failed commit, which fails all that wait: the tree is again what is on disk. */
  #revert(): void {
    for (const { id, former } of this.#unsettled.reverse()) this.#show(id, former)
    this.#unsettled = []
  }

  #show(id: string, stream: Stream | undefined): void {
    if (stream === undefined) this.tree.remove(id)
    else this.tree.put(stream)
  }

  /** Ends the account: it is being erased, and whatever still waits to be written is refused. */
  end(): void {
    this.#ended = true
  }

  #stage<T>(change: (t: Transaction) => T): Promise<T> {
    if (this.#ended) throw new Failure('unknown-resource', 'This account has been deleted.')
    this.#committer.assertWritable()
    const { prefix } = this
    const committer = this.#committer
    const staged: Staged = { operations: new Map(), entries: [] }
    const effects: (() => void)[] = []
    const endings: (() => void)[] = []
    const freed: string[] = []
    let sequence = this.#sequence
    let structure = false
    let withdraws = false
    let latest: { key?: string; value: string | undefined } = { value: undefined }
    let came: { first: number; last: number } | undefined
    const displayed: { id: string; former: Stream | undefined }[] = []
    const undoing: (() => void)[] = []
    const transaction: Transaction = {
      account: prefix,
      notes: this.notes,
      wanted: this.wanted,
      actor: committer.actor,
      get(key) {
        const own = staged.operations.get(key)
        if (own !== undefined) return stagedText(own)
        // Rules one after another ask for the same place, and nobody else writes in between.
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
        if (more?.origin !== undefined && kind === 'event') came = { first: came?.first ?? sequence, last: sequence }
        // A new access is nothing that a reader could see too early: it is read from disk.
        if (isStructure(kind) && !(kind === 'access' && action === 'create')) structure = true
        if (concernsCallers(kind) && action !== 'create') withdraws = true
        return sequence
      },
      sync() {
        staged.sync = true
      },
      freed: (digest) => void freed.push(digest),
      onStaged: (effect) => void effects.push(effect),
      onSettled: (effect) => void endings.push(effect),
      showStream: (id, stream) => {
        const former = this.tree.get(id)
        displayed.push({ id, former })
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
    const begins = this.#hasEpochs && this.#epochBegun === undefined && (staged.entries.length > 0 || staged.sync === true)
    if (begins) {
      const key = accountKeys.epoch(prefix, this.#sequence + 1)
      transaction.put(key, withEpoch(transaction.get(key), this.#epoch?.id ?? ''))
    }
    const span = came === undefined ? undefined : arrivalWindow(this.#span, committer.now(), came.first, came.last)
    if (span !== undefined) transaction.put(accountKeys.received(prefix, span.time), arrivalWindowToText(span))
    if (staged.operations.size === 0) return this.#committer.settled().then(() => result)
    const done = attempt(() => committer.stage(staged))
    if (begins) this.#epochBegun = done
    this.#sequence = sequence
    if (span !== undefined) {
      this.#span = span
      this.received = true
    }
    this.#unsettled.push(...displayed)
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
        // Writers settle in the order in which they staged.
        this.#unsettled.splice(0, displayed.length)
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
