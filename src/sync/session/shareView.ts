/** Items of an account as one share peer has them: most unchanged, some as share documents. */
import type { Account, Transaction } from '../../store/engine/account.js'
import { changesOf, latestEntry } from '../../store/engine/changes.js'
import type { Database } from '../../store/engine/database.js'
import { decodeEntry } from '../../store/engine/journal.js'
import { accountKeys } from '../../store/engine/keys.js'
import type { RecordReader } from '../../store/engine/recordReader.js'
import { storedChanges } from '../../store/replication/applyRemote.js'
import { findRecord } from '../../store/events/events.js'
import type { DigestElement } from '../../store/model/digestElement.js'
import { recordStreamIds } from '../../store/model/eventRecord.js'
import { Failure } from '../../store/model/failure.js'
import type { Seal } from '../../store/keyring/seal.js'
import { endShareDocument, putShareDocument, readShareDocument, shareDocumentsOf, type ShareDocument } from '../../store/engine/shareDocuments.js'
import { changeHash } from '../crdt/document.js'
import { itemKey, parseItemKey, type ChangesEntry, type Entry, type ItemRef } from '../wire/entry.js'
import { linksOf, type Link, type Links } from '../crdt/links.js'
import type { Merger } from '../merge/context.js'
import type { Peer, Scope } from '../../store/replication/peers.js'
import { parseChange } from '../crdt/parseChange.js'
import { changesOfItem, filesOf, rootsOf, stateAtPeer } from '../digest/readItem.js'
import { isMarked, nextSentItem, openChanges, sideOf, versionOf, withoutStandIns } from '../merge/share/shareDocument.js'
import { projectionOf } from '../merge/share/projection.js'
import { documentWith, encodedRoots } from '../merge/share/roots.js'

type Document = ItemRef & { kind: 'event' | 'stream' }

const isDocument = (item: ItemRef): item is Document => item.kind === 'event' || item.kind === 'stream'

export interface ShareView {
  /** Returns the entries of an item read as a whole, as the peer may have them. */
  whole(item: ItemRef, entries: Entry[]): Promise<Entry[]>
  /**
   * Returns the changes to send of a changed item; undefined to send them as they are. With `since`, changes after that
   * sequence are sent as their combined effect.
   */
  changed(item: ItemRef, changes: readonly Uint8Array[], since?: number): Promise<Entry[] | undefined>
  /** Returns the changes to send after the peer's changes were merged. */
  answered(item: ItemRef): Promise<Entry[]>
  /**
   * Updates all share documents of the peer. Where feed positions are unknown, both sides compare their items, and a
   * comparison cannot find changes that are not yet in them.
   */
  catchUp(): Promise<void>
  /** Checks that the peer has a share document of an item. */
  isApart(item: ItemRef): boolean
  /** Returns the state of the peer's copy, as far as this side knows. */
  state(item: ItemRef): DigestElement
  /** Returns the hashes of the first changes of an item and of the peer's copies. */
  roots(item: ItemRef): string[]
  /** Checks that this side made or has a change. */
  isOurs(item: ItemRef, change: Uint8Array): boolean
  /** Stages that the peer gave up its copy. */
  ended(t: Transaction, item: ItemRef): void
}

interface ShareViewOptions {
  db: Database
  seal: Seal
  account: Account
  peer: Pick<Peer, 'number'> & { scope: Extract<Scope, { is: 'share' }> }
  merger: Merger
  isNoted(item: ItemRef): boolean
  /** Checks that an item currently lies within the share. */
  includes(item: ItemRef): boolean
  /** Numbers of the peers that grant the same streams to this side: most likely nodes of one owner. */
  others: readonly number[]
  /** Called in transactions that change the peer's document of an item. */
  onChanged(t: Transaction, item: ItemRef): void
}

/** Number of the mirror as which a node reverts stand-ins: changes without an origin go to all peers. */
const NO_PEER = 0

export function createShareView({ db, seal, account, peer, merger, isNoted: isNotedHere, includes, others, onChanged }: ShareViewOptions): ShareView {
  const { prefix } = account
  const { scope, number } = peer
  const side = sideOf(scope)
  const projection = projectionOf(account, scope)
  /** Checks that an item is already shared with the peer, or with another that grants the same. */
  const isNoted = (item: ItemRef): boolean =>
    isNotedHere(item) || others.some((other) => db.get(accountKeys.shared(prefix, other, itemKey(item))) !== undefined)
  const documentOf = (item: ItemRef): ShareDocument | undefined => readShareDocument(db, prefix, itemKey(item), number)

  /** Checks that an item may be sent as it is: it has no private data, and was shared from its first change on. */
  const isOpen = (item: ItemRef, changes: readonly Uint8Array[]): boolean =>
    (isNoted(item) || changes.length < 2) && changes.every((change) => projection.isOpen(item, change))

  /** Updates the share document of an item; returns the whole document and the added changes. */
  async function updateShareDocument(item: Document, since = Infinity): Promise<{ all: readonly Uint8Array[]; added: readonly Uint8Array[] } | undefined> {
    const first = await account.write((t) => stage(t, item, since))
    if (first === undefined || first.standIns === undefined) return first
    const entry: ChangesEntry = { kind: item.kind, id: item.id, changes: [first.standIns] }
    const files = item.kind === 'event' ? filesOf(db, prefix, item.id) : undefined
    await merger.merge(account, [files === undefined ? entry : { ...entry, files }], { peer: NO_PEER, scope: { is: 'mirror' } })
    return account.write((t) => stage(t, item, since))
  }

  function stage(t: Transaction, item: Document, since: number): { all: readonly Uint8Array[]; added: readonly Uint8Array[]; standIns?: Uint8Array } | undefined {
    const name = itemKey(item)
    const own = linksOf(storedChanges(t, item.kind, item.id).changes)
    if (own.size === 0) return undefined
    const former = readShareDocument(t, prefix, name, number)
    const begun = former?.changes !== undefined && isNoted(item) ? former.changes : undefined
    const start = begun ?? (isNoted(item) ? openChanges(item, changesUpTo(t, item, own, since), projection).map(({ bytes }) => bytes) : [])
    const there = linksOf(start)
    const taken = begun === undefined ? {} : (former?.taken ?? {})
    const standIns = withoutStandIns({ own, there, side }, taken)
    if (standIns !== undefined) return { all: start, added: [], standIns }
    const next = nextSentItem({ item, own, there, projection, side })
    const all = next === undefined ? start : [...start, next]
    const upTo = latestFor(t, item, new Map())
    if (begun === undefined || next !== undefined || former?.upTo !== upTo) {
      putShareDocument(t, name, number, { ...documentWith(former, own, all, taken), upTo })
      onChanged(t, item)
    }
    return { all, added: next === undefined ? [] : [next] }
  }

  /**
   * Returns the sequence of the latest entry that can change the share document of an item: its own or, for an event in several
   * streams, that of a stream or of one above, which can bring the stream into the share. `ofStreams` caches sequences by stream.
   */
  function latestFor(reader: RecordReader, { kind, id }: Document, ofStreams: Map<string, number>): number {
    const record = kind === 'event' ? findRecord(reader, prefix, id) : undefined
    const streams = record === undefined ? [] : recordStreamIds(record)
    // The only stream of an event is in the share already.
    const placements = streams.length < 2 ? [] : streams.map((stream) => latestPlacement(reader, stream, ofStreams))
    return Math.max(latestEntry(reader, prefix, kind, id) ?? 0, ...placements)
  }

  function latestPlacement(reader: RecordReader, stream: string, ofStreams: Map<string, number>): number {
    const found = ofStreams.get(stream)
    if (found !== undefined) return found
    const path = [stream, ...[...account.tree.ancestors(stream)].map((above) => above.id)]
    const latest = Math.max(...path.map((one) => latestEntry(reader, prefix, 'stream', one) ?? 0))
    ofStreams.set(stream, latest)
    return latest
  }

  /** Returns the changes that the peer may have: up to a sequence, or its own. */
  function changesUpTo(t: Transaction, { kind, id }: Document, own: Links, since: number): Links {
    const latest = latestEntry(t, prefix, kind, id)
    if (since === Infinity || latest === undefined) return own
    const there = new Map<string, Link>()
    for (const { sequence, change } of changesOf(t, latest)) {
      const link = sequence <= since || originOf(t, sequence) === number ? own.get(changeHash(change)) : undefined
      if (link !== undefined) there.set(link.hash, link)
    }
    return there
  }

  function originOf(t: Transaction, sequence: number): number | undefined {
    const bytes = t.getBytes(accountKeys.journal(prefix, sequence))
    return bytes === undefined ? undefined : decodeEntry(bytes)?.origin
  }

  function asEntry({ kind, id }: Document, changes: readonly Uint8Array[]): Entry[] {
    if (changes.length === 0) return []
    const files = kind === 'event' ? filesOf(db, prefix, id) : undefined
    return [files === undefined ? { kind, id, changes } : { kind, id, changes, files }]
  }

  return {
    async whole(item, entries) {
      if (!isDocument(item)) return entries
      const own = entries.find((entry): entry is ChangesEntry => 'changes' in entry)
      const rest = entries.filter((entry) => entry !== own).map((entry) => ('roots' in entry ? { ...entry, roots: encodedRoots(db, prefix, item.id, number) } : entry))
      if (own === undefined) return rest
      if (documentOf(item)?.changes === undefined && isOpen(item, own.changes)) return [...rest, own]
      const updated = await updateShareDocument(item)
      return [...rest, ...asEntry(item, updated?.all ?? [])]
    },
    async changed(item, changes, since) {
      if (!isDocument(item)) return undefined
      if (since === undefined && documentOf(item)?.changes === undefined && isOpen(item, isNoted(item) ? changes : changesOfItem(db, prefix, item))) return undefined
      const updated = await updateShareDocument(item, since)
      // Earlier additions may not have reached the peer.
      return asEntry(item, updated === undefined ? [] : updated.added.length > 0 ? updated.added : updated.all)
    },
    async answered(item) {
      if (!isDocument(item) || documentOf(item)?.changes === undefined) return []
      return asEntry(item, (await updateShareDocument(item))?.added ?? [])
    },
    async catchUp() {
      const ofStreams = new Map<string, number>()
      for await (const { item: name, upTo } of shareDocumentsOf(db, prefix, number)) {
        const item = parseItemKey(name)
        if (item === undefined || !isDocument(item) || !isNotedHere(item) || !includes(item)) continue
        if (latestFor(db, item, ofStreams) > upTo) await updateShareDocument(item)
      }
    },
    isApart: (item) => documentOf(item)?.changes !== undefined,
    state: (item) => stateAtPeer({ db, seal, account: prefix }, number, item),
    roots: (item) => [...new Set([...rootsOf(db, prefix, item), ...(documentOf(item)?.roots ?? [])])],
    isOurs(item, change) {
      const own = linksOf(changesOfItem(db, prefix, item))
      try {
        const link = parseChange(change)
        return own.has(link.hash) || (isMarked(link, side) && versionOf(link, own) !== undefined)
      } catch (error) {
        if (error instanceof Failure) return false
        throw error
      }
    },
    ended: (t, item) => endShareDocument(t, itemKey(item), number),
  }
}

