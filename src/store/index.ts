/**
 * Public API of the store for the layers above: accounts to read and change, and the journal to follow. An acknowledged write
 * is on disk and complete. `Store` is the opened store; `Account` (engine/account.ts) is one account, whose `write` runs a
 * transaction.
 *
 * Start reading at engine/account.ts (transactions), engine/commit.ts (commits) and engine/keys.ts (layout of the database).
 * Each folder holds one subject: model (rules, pure), engine (transactions and journal), leveldb (files of the database),
 * keyring (encryption), events, streams, accounts, accesses, blobs (attached files), series, replication (data of other
 * nodes), check, repair and backup.
 */
import { randomBytes } from 'node:crypto'
import { dirname, join, resolve } from 'node:path'
import { Account, type Transaction } from './engine/account.js'
import { countWanted } from './engine/wantedCount.js'
import { isImporting, beginImport, finishImport } from './accounts/users.js'
import { linkFiles, linkStore } from './backup/checkpoint.js'
import { openBlobs, type Blobs } from './blobs/blobs.js'
import type { ChainHead, CommitFigures, Committer } from './engine/commit.js'
import { each, type Database } from './engine/database.js'
import { latestEpoch } from './engine/epochs.js'
import type { CommittedEntry } from './engine/journal.js'
import { accountKeys, nodeKeys, orderedToNumber, ORDERED_LENGTH, PLATFORM, platformKeys, under } from './engine/keys.js'
import { reservedStreams } from './model/cmc.js'
import { Failure } from './model/failure.js'
import type { Stream } from './model/stream.js'
import { createTree } from './model/tree.js'
import { needsConversion, convertProfiles } from './accounts/formerProfiles.js'
import { readMergeState } from './engine/mergeState.js'
import { FORMAT, type FormatRecord, type OpenedStore } from './engine/open.js'
import type { ChangeRecorder } from './engine/changeRecorder.js'
import { findProfileToEdit } from './accounts/profiles.js'
import type { Seal } from './keyring/seal.js'
import { createSeriesCompactor, type SeriesCompactor } from './series/compactor.js'
import type { ChangedKeySet } from './engine/changedKeys.js'
import { forgetUnreferencedBlobs } from './blobs/missingBlobs.js'

export interface Store {
  readonly folder: string
  readonly db: Database
  readonly seal: Seal
  readonly recorder: ChangeRecorder
  /** The bytes of attached files, in `files` beside the store. */
  readonly blobs: Blobs
  /** Merges and erases the points of series in the background. */
  readonly series: Pick<SeriesCompactor, 'settled'>
  /** Account of the platform, for data that belongs to no user (platformRecords.ts). */
  readonly platform: Account
  readonly format: FormatRecord
  readonly state: Committer['state']
  /** Sequence of the latest commit of the chain. */
  readonly commits: number
  /** Statistics of the commits since the store was opened. */
  readonly commitFigures: CommitFigures
  /** The latest commit of the chain. */
  readonly head: ChainHead
  /** Returns the account if it is already in memory. */
  loaded(prefix: string): Account | undefined
  /** Returns the account, loading it if necessary. */
  account(prefix: string): Promise<Account>
  /**
   * Creates an account. `fill` stages its initial content and sees the staged claims of others, so that of simultaneous
   * claims of one name exactly one succeeds.
   */
  createAccount<T>(fill: (t: Transaction, account: Account) => T): Promise<T>
  /**
   * Creates an invisible account, without user and name until `finishImport` (accounts/users.ts) is staged
   * with them. The caller erases it after a failure; the next open erases the remains of a crash.
   */
  createHiddenAccount(): Promise<Account>
  /**
   * Erases an account and everything under its prefix. `prepare` reads its node-wide entries while no other writer
   * runs, and returns a function that stages their release.
   */
  eraseAccount(account: Account, prepare: () => Promise<(t: Transaction) => void>): Promise<void>
  /** Calls `listener` with the entries of each commit once it is on disk. Returns a function that unsubscribes. */
  follow(listener: (entries: readonly CommittedEntry[]) => void): () => void
  readonly isBroken: Committer['isBroken']
  onReadOnly(listener: (cause: unknown) => void): void
  /** Stages data that is not journaled and may be lost in a crash (usage counters); not awaited. */
  note(account: Account, change: (t: Transaction) => void): void
  /** Copies the store and the attached files to a new folder, as of one point in time (backup/checkpoint.ts). */
  checkpoint(target: { store: string; files: string }): Promise<void>
  /** Set of written keys, by backup marks (engine/changedKeys.ts). */
  readonly changedKeys: Pick<ChangedKeySet, 'mark' | 'since'>
  settled(): Promise<void>
  close(): Promise<void>
}

/** Maximum number of accounts in memory. */
const ACCOUNTS_IN_MEMORY = 1000

export async function createStoreView(opened: OpenedStore, seal: Seal, recorder: ChangeRecorder): Promise<Store> {
  const { db, committer } = opened
  const epoch = randomBytes(12).toString('base64url')
  const accounts = new Map<string, Account>()
  // A call may still hold an account that left the map: two objects of one account would assign its journal sequences twice.
  const left = new Map<string, WeakRef<Account>>()
  const loading = new Map<string, Promise<Account>>()
  const blobs = await openBlobs({
    folder: join(dirname(resolve(opened.folder)), 'files'),
    db,
    isSound: () => !committer.isBroken,
  })

  /** The next sweep retries failures. */
  const freed = (prefix: string) => (digests: readonly string[]): void => {
    blobs.removeUnreferenced(prefix, digests).catch(() => {})
    const account = accounts.get(prefix)
    if (account !== undefined) forgetUnreferencedBlobs(account, digests).catch(() => {})
  }

  async function load(prefix: string): Promise<Account> {
    const streams: Stream[] = []
    for await (const text of each(db.values(under(accountKeys.streams(prefix))))) {
      streams.push(JSON.parse(text) as Stream)
    }
    const last = db.keys(under(accountKeys.journals(prefix)), { reverse: true, limit: 1 })
    const [key] = await last.next(1)
    await last.close()
    const sequence = key === undefined ? 0 : orderedToNumber(key, key.length - ORDERED_LENGTH)
    const latest = await latestEpoch(db, prefix)
    const mergeState = await readMergeState(db, prefix)
    const wanted = await countWanted(db, prefix)
    const account = new Account({
      prefix,
      db,
      committer,
      epoch: { id: epoch, latest },
      tree: createTree(prefix === PLATFORM ? streams : [...reservedStreams, ...streams]),
      mergeState,
      wanted,
      sequence,
      freed: freed(prefix),
    })
    // A caller may still request an erased account: its journal has ended.
    const wasCreated = prefix !== PLATFORM && Number.parseInt(prefix, 36) <= Number.parseInt(committer.get(nodeKeys.lastAccount) ?? '0', 36)
    if (wasCreated && db.get(accountKeys.user(prefix)) === undefined && !isImporting(db, prefix)) account.end()
    return account
  }

  function remember(account: Account): void {
    if (accounts.size >= ACCOUNTS_IN_MEMORY) {
      // An account with pending writes must not be loaded a second time.
      for (const [prefix, other] of accounts) {
        if (!other.isIdle) continue
        accounts.delete(prefix)
        left.set(prefix, new WeakRef(other))
        break
      }
    }
    accounts.set(account.prefix, account)
  }

  /** Returns an unloaded account that a call still holds, and invalidates answers cached for it. */
  function returning(prefix: string): Account | undefined {
    const account = left.get(prefix)?.deref()
    left.delete(prefix)
    if (account === undefined) return undefined
    account.version += 1
    remember(account)
    return account
  }

  /** Drops unused references to unloaded accounts once they are many. */
  function sweep(): void {
    if (left.size < ACCOUNTS_IN_MEMORY) return
    for (const [prefix, reference] of left) if (reference.deref() === undefined) left.delete(prefix)
  }

  const platform = await load(PLATFORM)

  committer.follow((entries) => {
    for (const entry of entries) {
      if (entry.kind !== 'event' && entry.kind !== 'stream') continue
      const account = accounts.get(entry.account)
      if (account !== undefined) account.version += 1
    }
  })
  // Memory may be ahead of the disk after a failed commit; loading again shows the content on disk.
  committer.onReadOnly(() => {
    accounts.clear()
    left.clear()
  })

  async function eraseRange(prefix: string): Promise<void> {
    const range = under(accountKeys.all(prefix))
    await blobs.eraseAccount(prefix)
    for (;;) {
      const source = db.keys(range, { limit: 5000 })
      const keys = await source.next(5000)
      await source.close()
      const operations = new Map<string, null>(keys.map((key) => [key, null]))
      if (keys.length === 0) operations.set(nodeKeys.erasing(prefix), null)
      await committer.stage({ operations, entries: [], sync: true })
      if (keys.length === 0) break
    }
    opened.changedKeys.erased(accountKeys.all(prefix))
    // Files contain erased bytes until they are rewritten: those of the account, its names and its platform records.
    for (const rewritten of [range, under(nodeKeys.usernames), under(platformKeys.all)]) await db.compact(rewritten)
  }

  async function eraseAccount(account: Account, prepare: () => Promise<(t: Transaction) => void>): Promise<void> {
    await account.exclusively(async (write) => {
      const release = await prepare()
      await write((t) => {
        release(t)
        t.delete(accountKeys.user(account.prefix))
        t.put(nodeKeys.erasing(account.prefix), '')
        t.journal('user', 'delete', account.prefix)
      })
      account.end()
      accounts.delete(account.prefix)
      await eraseRange(account.prefix)
    })
  }

  async function createAccount<T>(fill: (t: Transaction, account: Account) => T): Promise<T> {
    const number = Number.parseInt(committer.get(nodeKeys.lastAccount) ?? '0', 36) + 1
    const prefix = number.toString(36)
    const account = new Account({
      prefix,
      db,
      committer,
      epoch: { id: epoch, latest: undefined },
      tree: createTree(reservedStreams),
      sequence: 0,
      freed: freed(prefix),
    })
    return account.write((t) => {
      t.put(nodeKeys.lastAccount, prefix)
      t.onStaged(() => remember(account))
      return fill(t, account)
    })
  }

  for await (const key of each(db.keys(under(nodeKeys.erasings)))) await eraseRange(key.slice(nodeKeys.erasings.length))
  for await (const key of each(db.keys(under(nodeKeys.arrivings)))) {
    await eraseAccount(await load(key.slice(nodeKeys.arrivings.length)), () => Promise.resolve(finishImport))
  }

  if (needsConversion(opened.format)) {
    const convert = (t: Transaction, id: string): void => void findProfileToEdit(t, recorder, id)
    await convertProfiles({ db, committer, format: opened.format, load, convert }).catch((error: unknown) => {
      // Without disk space the node opens read-only, and the next open resumes.
      if (!(error instanceof Failure && (error.id === 'storage-full' || error.id === 'read-only'))) throw error
    })
  }

  const series = createSeriesCompactor({ db, committer, loaded: (prefix) => accounts.get(prefix) })

  return {
    folder: opened.folder,
    db,
    seal,
    recorder,
    blobs,
    series,
    platform,
    format: { ...opened.format, format: FORMAT },
    get state() {
      return committer.state
    },
    get isBroken() {
      return committer.isBroken
    },
    commitFigures: committer.figures,
    get commits() {
      return committer.head.sequence
    },
    get head() {
      return committer.head
    },
    changedKeys: opened.changedKeys,
    loaded: (prefix) => accounts.get(prefix),
    async account(prefix) {
      const known = accounts.get(prefix) ?? returning(prefix)
      if (known !== undefined) return known
      sweep()
      let reading = loading.get(prefix)
      if (reading === undefined) {
        reading = load(prefix).finally(() => loading.delete(prefix))
        loading.set(prefix, reading)
      }
      const account = await reading
      const raced = accounts.get(prefix)
      if (raced !== undefined) return raced
      remember(account)
      return account
    },
    createAccount,
    createHiddenAccount: () =>
      createAccount((t, account) => {
        beginImport(t)
        return account
      }),
    eraseAccount,
    follow: (listener) => committer.follow(listener),
    onReadOnly: (listener) => committer.onReadOnly(listener),
    note(account, change) {
      account.write(change).catch(() => {})
    },
    // Files after the store: files attached meanwhile are harmless, and all referenced ones stay.
    checkpoint: ({ store, files }) =>
      blobs.withoutRemovals(async () => {
        await linkStore(opened.folder, store)
        await linkFiles(blobs.folder, files)
      }),
    settled: () => committer.settled(),
    async close() {
      await series.stop()
      // Removal of files reads the database.
      await committer.settled().catch(() => {})
      await blobs.settled()
      await opened.close()
    },
  }
}
