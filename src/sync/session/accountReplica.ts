/**
 * Replica of an account in the local store, for a session with one peer: implements `Replica` (replica.ts). `openReplica`
 * assembles it from digest, share view, files and items put aside.
 */
import type { Account, Transaction } from '../../store/engine/account.js'
import { latestEntry } from '../../store/engine/changes.js'
import { decodeEntry } from '../../store/engine/journal.js'
import { accountKeys, under } from '../../store/engine/keys.js'
import { noteRefusal } from '../../store/engine/mergeState.js'
import { findRecord } from '../../store/events/events.js'
import type { Store } from '../../store/index.js'
import { recordStreamIds } from '../../store/model/eventRecord.js'
import { listPeers, maySend, type Peer } from '../../store/replication/peers.js'
import { seriesVersions } from '../../store/series/versionVector.js'
import type { AccountState } from '../digest/accountState.js'
import { filesOf, readItem, stateOfItem } from '../digest/readItem.js'
import { createReconciler } from '../digest/reconcile.js'
import { openSharedSet, type SharedSet } from '../digest/sharedSet.js'
import type { Merger } from '../merge/context.js'
import { itemKey, parseItemKey, type Entry, type ItemRef, type Outcome } from '../wire/entry.js'
import type { ItemSet, Position } from '../wire/itemSet.js'
import { idObjection, isExchanged } from '../wire/limits.js'
import { accountAside, type AccountAside } from './accountAside.js'
import { accountFiles } from './accountFiles.js'
import { createDamageReporter } from './fileDamage.js'
import type { Files, Notes, Reconciling, Replica, Sharing } from './replica.js'
import type { SessionOptions } from './types.js'
import { createShareView, type ShareView } from './shareView.js'

/** A replica open for a session, and a function to close it. */
interface OpenReplica {
  replica: Replica
  close(): void
}

/** Opens the replica for a session; computes the digest of the account first if it is unknown. */
export async function openReplica(options: SessionOptions): Promise<OpenReplica> {
  const { store, account, peer, states, merger, log, now } = options
  const state = await states.of(account)
  const isShare = peer.scope.is === 'share'
  const { scope } = peer
  const shared: SharedSet | undefined = isShare ? await openSharedSet(store, account, state, peer) : undefined
  const view =
    shared === undefined || scope.is !== 'share'
      ? undefined
      : createShareView({
          db: store.db,
          seal: store.seal,
          account,
          peer: { number: peer.number, scope },
          merger,
          includes: (item) => shared.includes(item),
          others: await peersLike(store, account, peer),
          isNoted: (item) => shared.isNoted(item),
          onChanged: (t, item) => shared.touch(t, item),
        })
  if (maySend(scope)) await view?.catchUp()
  const isFor = shared && ((item: Parameters<SharedSet['includes']>[0]): boolean => shared.includes(item))
  const reportDamage = createDamageReporter({ blobs: store.blobs, log, now })
  const files = accountFiles({ account, blobs: store.blobs, isFor, reportDamage })
  const replica = accountReplica({
    store,
    account,
    peer,
    merger,
    state,
    files,
    now,
    aside: accountAside({ account, peer: peer.number, now }),
    ...(shared === undefined || view === undefined ? {} : { shared, view }),
    readItem: (item, versionVector, since) => readItem(store, account, item, versionVector, since),
    createReconciler,
  })
  return { replica, close: () => shared?.close() }
}

/** Returns the peers that grant the same streams as a given one. */
async function peersLike({ db }: Store, { prefix }: Account, { number, scope }: Peer): Promise<number[]> {
  if (scope.is !== 'share' || scope.grantor === 'us') return []
  const streams = [...scope.streams].sort().join()
  const isLike = (other: Peer): boolean =>
    other.number !== number && other.scope.is === 'share' && other.scope.grantor === 'them' && [...other.scope.streams].sort().join() === streams
  return (await listPeers(db, prefix)).filter(isLike).map((other) => other.number)
}

interface AccountReplicaOptions {
  store: Store
  account: Account
  peer: Peer
  merger: Merger
  state: AccountState
  /** Items shared with the peer; for shares only. */
  shared?: Omit<SharedSet, 'close'>
  files: Files
  /** Share documents of the peer; for shares only. */
  view?: ShareView
  aside: AccountAside
  /** Time, in seconds. */
  now(): number
  readItem(item: ItemRef, versionVector?: ReadonlyMap<string, number>, since?: number): Promise<Entry[]>
  createReconciler(set: ItemSet): Reconciling
}

/** Order in which pending items are requested, by the first letter of their keys. */
const KIND_ORDER = ['s', 'a', 'p', 'e', 'm']

function accountReplica(options: AccountReplicaOptions): Replica {
  const { store, account, peer, merger, state, shared, view, files, readItem, createReconciler, aside, now } = options
  const { db } = store
  const { prefix } = account
  const whole = { state: (item: ItemRef) => stateOfItem({ db, seal: store.seal, account: prefix }, item) }
  const set: ItemSet = shared ?? state
  const compared = aside.without(set, (item) => (shared?.isNoted(item) === false ? undefined : (view ?? whole).state(item)))
  const from = { peer: peer.number, scope: peer.scope }
  const isOurs = peer.scope.is === 'share' && peer.scope.grantor === 'us'

  async function firstKeys(range: string, limit: number): Promise<string[]> {
    const source = db.keys(under(range), { limit })
    try {
      return await source.next(limit)
    } finally {
      await source.close()
    }
  }

  async function pendingFetch(limit: number): Promise<ItemRef[]> {
    const range = accountKeys.pendingFetchesFrom(prefix, peer.number)
    const items: ItemRef[] = []
    for (const letter of KIND_ORDER) {
      if (items.length >= limit) break
      const keys = await firstKeys(range + letter, limit - items.length)
      items.push(...keys.map((key) => parseItemKey(key.slice(range.length))).filter((item) => item !== undefined))
    }
    return items
  }

  function stage(t: Transaction, entries: readonly Entry[], outcomes: readonly Outcome[], notes: Notes): void {
    const key = (item: ItemRef): string => accountKeys.pendingFetch(prefix, peer.number, itemKey(item))
    for (const item of notes.settled ?? []) t.delete(key(item))
    for (const item of notes.pendingFetch ?? []) if (isExchanged(item)) t.put(key(item), '')
    for (const item of notes.equalItems ?? []) shared?.note(t, item)
    for (const { item, reason, message } of notes.aside ?? []) {
      if (idObjection(item) === undefined) noteRefusal(t, peer.number, itemKey(item), { reason, message, at: now() })
    }
    for (const [i, entry] of entries.entries()) {
      const is = outcomes[i]?.is
      if (is === 'incomplete' && notes.completing) t.put(key(entry), '')
      if (shared === undefined) continue
      if ('withdrawn' in entry) {
        // Only the grantor's withdrawals remove items from the share.
        if (isOurs && is === 'refused') continue
        forget(t, entry)
      } else if (is === 'applied' || is === 'known') {
        shared.note(t, entry)
        // The journal has no entries for share documents.
        if (t.get(accountKeys.shareDocuments(prefix, itemKey(entry))) !== undefined) shared.touch(t, entry)
      }
    }
    if (notes.position !== undefined) putPosition(t, notes.position)
    // Acknowledged entries must be on disk, journaled or not.
    t.sync()
  }

  const putPosition = (t: Transaction, position: Position): void =>
    t.put(accountKeys.peerPosition(prefix, peer.number), JSON.stringify(position))

  const many = async (items: readonly ItemRef[], each: (t: Transaction, item: ItemRef) => void): Promise<void> => {
    if (items.length > 0) await account.write((t) => items.forEach((item) => each(t, item)))
  }

  /** Records that the peer has neither a copy nor a share document of an item. */
  function forget(t: Transaction, item: ItemRef): void {
    shared?.forget(t, item)
    view?.ended(t, item)
  }

  const sharing: Sharing | undefined = shared && view && {
    includes: (item) => shared.includes(item),
    excludes: (item) => shared.excludes(item),
    isNoted: (item) => shared.isNoted(item),
    roots: (item) => view.roots(item),
    note: (items) => many(items, (t, item) => shared.note(t, item)),
    forget: (items) => many(items, forget),
    changed: (item, changes, since) => view.changed(item, changes, since),
    answered: (item) => view.answered(item),
    isApart: (item) => view.isApart(item),
    isOurs: (item, change) => view.isOurs(item, change),
    outsideScope: () => shared.outsideScope(),
    newStreams: () => shared.newStreams(),
    enteredScope: () => shared.enteredScope(),
    all: () => shared.all(),
  }

  return {
    scope: peer.scope,
    peer: peer.number,
    set: compared,
    aside,
    feed: {
      position: () => state.position(),
      positionOf: async (sequence) => ({ epoch: (await state.position()).epoch, sequence }),
      knows: (position) => state.knows(position),
      read: (after, limit) => state.read(after, limit),
      follow: (listener) => state.follow(listener),
      behind: (after) => state.behind(after),
      staged: () => account.sequence,
    },
    reconciler: () => createReconciler(set),
    verify: async () => void (await state.verify()),
    async read(item, versionVector, since) {
      const entries = await readItem(item, versionVector, since)
      // Items outside the share are read for the comparison, and not sent.
      return view === undefined || !maySend(peer.scope) || shared?.excludes(item) === true ? entries : view.whole(item, entries)
    },
    versionVector: (event) => Promise.resolve(seriesVersions(db, prefix, event)),
    filesOf: (event) => filesOf(db, prefix, event),
    latestOf: (event) => latestEntry(db, prefix, 'event', event),
    streamsBehind(event, sequence) {
      const record = findRecord(db, prefix, event)
      const streams = record === undefined ? [] : recordStreamIds(record)
      return streams.filter((id) => (latestEntry(db, prefix, 'stream', id) ?? 0) > sequence)
    },
    originAt(sequence) {
      const bytes = db.getBytes(accountKeys.journal(prefix, sequence))
      return bytes === undefined ? undefined : decodeEntry(bytes)?.origin
    },
    stateOf: (event) => (view ?? whole).state({ kind: 'event', id: event }),
    receivedPosition: () => Promise.resolve(positionIn(db.get(accountKeys.peerPosition(prefix, peer.number)))),
    note: (position) => store.note(account, (t) => putPosition(t, position)),
    pendingFetch,
    async merge(entries, notes) {
      if (entries.length > 0) {
        return merger.merge(account, entries, from, (t, outcomes) => stage(t, entries, outcomes, notes))
      }
      const isEmpty = notes.position === undefined && ![notes.pendingFetch, notes.equalItems, notes.settled, notes.aside].some((items) => items?.length)
      if (!isEmpty) await account.write((t) => stage(t, [], [], notes))
      return []
    },
    ...(sharing === undefined ? {} : { share: sharing }),
    files,
  }
}

/** Parses a stored position. */
function positionIn(text: string | undefined): Position | undefined {
  return text === undefined ? undefined : (JSON.parse(text) as Position)
}
