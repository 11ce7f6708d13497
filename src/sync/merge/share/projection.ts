/**
 * Items of a share, and the part of each that its peer may see. `scopeMembers` lists the items: chosen streams with all
 * their descendants, trashed ones too, and their events. `projectionOf` leaves out an event's streams outside the share.
 */
import type { Account } from '../../../store/engine/account.js'
import { accountKeys, END, ORDERED_LENGTH } from '../../../store/engine/keys.js'
import { mergeRanges } from '../../../store/engine/mergeRanges.js'
import { findRecord } from '../../../store/events/events.js'
import { recordStreamIds } from '../../../store/model/eventRecord.js'
import { isSeriesType } from '../../../store/model/eventTypes/series.js'
import type { Scope } from '../../../store/replication/peers.js'
import type { FieldValue } from '../../crdt/encodeChange.js'
import { decodeInitialChange, keysOf } from '../../crdt/parseChange.js'
import { scalarToText, textToScalar } from '../../crdt/fieldText.js'
import type { Fields } from '../../crdt/fields.js'
import type { ItemRef } from '../../wire/entry.js'

export interface Projection {
  /** Visible fields, ordered by key. */
  fields(item: ItemRef, all: Fields): Map<string, FieldValue>
  /** Checks that a key is hidden from the peer, whose value for it stays. */
  hides(item: ItemRef, key: string): boolean
  /** Checks that a change contains no private data, so that it may be sent as it is. */
  isOpen(item: ItemRef, change: Uint8Array): boolean
}

/** Creates the projection of an account's items by the scope of a share. */
export function projectionOf(account: Account, scope: Extract<Scope, { is: 'share' }>): Projection {
  const { db, prefix } = account
  const members = scopeMembers(account, scope)
  /** Each side places shared streams itself. */
  const isOwnPlace = ({ kind, id }: ItemRef, key: string): boolean => kind === 'stream' && key === 'parentId' && scope.streams.includes(id)
  const isWithin = (key: string): boolean => members.streams().has(scalarToText(key.slice(2)))

  function visibleStreams({ kind, id }: ItemRef): [string, number][] {
    const record = kind === 'event' ? findRecord(db, prefix, id) : undefined
    const ids = record === undefined ? [] : recordStreamIds(record).filter((stream) => members.streams().has(stream))
    return ids.map((stream, at) => [`s:${textToScalar(stream)}`, at])
  }

  const hides = (item: ItemRef, key: string): boolean => isOwnPlace(item, key) || (item.kind === 'event' && key.startsWith('s:') && !isWithin(key))

  /** Checks that a change placing a stream names no parent outside the share; examines only the first such change. */
  function isOpenPlace(item: ItemRef, change: Uint8Array): boolean {
    const parent = decodeInitialChange(change)?.find(([key]) => key === 'parentId')?.[1]
    return isOwnPlace(item, 'parentId') ? parent === null : typeof parent === 'string' && members.streams().has(scalarToText(parent))
  }

  return {
    hides,
    fields(item, all) {
      const seen = Object.entries(all).filter(([key]) => !hides(item, key))
      if ('parentId' in all && isOwnPlace(item, 'parentId')) seen.push(['parentId', null])
      // For the peer, an event shown in a fallback stream lies in that one.
      if (item.kind === 'event' && !seen.some(([key]) => key.startsWith('s:'))) seen.push(...visibleStreams(item))
      return new Map(seen.sort(([a], [b]) => (a < b ? -1 : 1)))
    },
    isOpen(item, change) {
      const keys = keysOf(change)
      if (item.kind === 'stream') return !keys.includes('parentId') || isOpenPlace(item, change)
      return !keys.some((key) => hides(item, key))
    },
  }
}

interface ScopeMembers {
  /** Returns the streams of the share, parents first; a new set after each change of the stream tree. */
  streams(): ReadonlySet<string>
  /** Checks whether an existing item lies within the share; false for missing items. */
  includes(item: ItemRef): boolean
  /** Checks whether an item exists outside the share. */
  excludes(item: ItemRef): boolean
  /** Yields all items of the share: streams, then events in order of time, each followed by its series if it may have one. */
  all(): AsyncGenerator<ItemRef[]>
  /** Yields some streams of the share and their items, in the same order. */
  itemsUnder(streams: readonly string[]): AsyncGenerator<ItemRef[]>
}

const PAGE = 500
/** Maximum number of entries read ahead from all indexes together. */
const AHEAD = 10_000

/** Returns the members of a share in the account's current state; none for a mirror. */
export function scopeMembers(account: Account, scope: Scope): ScopeMembers {
  const { db, prefix, tree } = account
  const roots = scope.is === 'share' ? scope.streams : []
  let within: ReadonlySet<string> = new Set()
  let version: object | undefined

  function streams(): ReadonlySet<string> {
    if (version !== tree.version) {
      version = tree.version
      within = new Set(roots.flatMap((root) => tree.subtree(root, { trashed: true })))
    }
    return within
  }

  /** Checks whether an item lies within the share; undefined for missing items. */
  function isWithin({ kind, id }: ItemRef): boolean | undefined {
    if (kind === 'stream') return tree.has(id) ? streams().has(id) : undefined
    if (kind !== 'event' && kind !== 'series') return undefined
    const record = findRecord(db, prefix, id)
    return record === undefined ? undefined : recordStreamIds(record).some((stream) => streams().has(stream))
  }

  async function* those(ids: readonly string[]): AsyncGenerator<ItemRef[]> {
    for (let at = 0; at < ids.length; at += PAGE) yield ids.slice(at, at + PAGE).map((id) => ({ kind: 'stream', id }))
    const indexes = ids.map((stream) => accountKeys.streamEvents(prefix, stream))
    const bounds = { from: '', exclusive: false, before: END }
    const take = (end: string, type: string): string => (isSeriesType(type) ? 'm' : 'e') + end.slice(ORDERED_LENGTH)
    const snapshot = db.snapshot()
    try {
      const groups = mergeRanges(db, indexes, bounds, { ascending: true, wanted: AHEAD }, snapshot, take)
      for await (const group of groups) {
        const items = group.flatMap((text): ItemRef[] => {
          const id = text.slice(1)
          const event: ItemRef = { kind: 'event', id }
          return text.startsWith('m') ? [event, { kind: 'series', id }] : [event]
        })
        if (items.length > 0) yield items
      }
    } finally {
      await snapshot.close()
    }
  }

  return {
    streams,
    includes: (item) => isWithin(item) === true,
    excludes: (item) => isWithin(item) === false,
    all: () => those([...streams()]),
    itemsUnder: those,
  }
}
