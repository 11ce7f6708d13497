/** Members of a share: chosen streams with all their descendants, trashed ones too, and their events. */
import type { Account } from '../../store/engine/account.js'
import { findRecord } from '../../store/events/events.js'
import { accountKeys, END, ORDERED_LENGTH } from '../../store/engine/keys.js'
import { recordStreamIds } from '../../store/model/eventRecord.js'
import { isSeriesType } from '../../store/model/eventTypes/series.js'
import { mergeRanges } from '../../store/engine/mergeRanges.js'
import type { ItemRef } from '../items/entry.js'
import type { Scope } from './peer.js'

export interface ScopeMembers {
  /** Returns the streams of the share, parents first; a new set after each change of the stream tree. */
  streams(): ReadonlySet<string>
  /** Checks whether an existing item lies within the share; false for missing items. */
  includes(item: ItemRef): boolean
  /** Checks whether an item exists outside the share. */
  excludes(item: ItemRef): boolean
  /** Yields all items of the share: streams, then events in order of time, each followed by its series if it may have one. */
  all(): AsyncGenerator<ItemRef[]>
  /** Yields the same for some streams of the share. */
  those(streams: readonly string[]): AsyncGenerator<ItemRef[]>
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
    those,
  }
}
