/** What lies within a share: chosen streams with all below them, trashed ones too, and the events of any of those. */
import type { Account } from '../../store/engine/account.js'
import { findRecord } from '../../store/events/events.js'
import { accountKeys, END, ORDERED_LENGTH } from '../../store/engine/keys.js'
import { recordStreamIds } from '../../store/model/eventRecord.js'
import { isSeriesType } from '../../store/model/eventTypes/series.js'
import { mergeRanges } from '../../store/engine/mergeRanges.js'
import type { ItemRef } from '../items/entry.js'
import type { Scope } from './peer.js'

export interface ScopeMembers {
  /** The streams within, parents before children. Another set whenever the tree of streams has changed. */
  streams(): ReadonlySet<string>
  /** Whether an item that is here lies within; false for what is not here, or no longer. */
  includes(item: ItemRef): boolean
  /** Whether an item is here and lies outside. */
  excludes(item: ItemRef): boolean
  /** All items within: streams, then events in the order of time, each followed by its series where it may have one. */
  all(): AsyncGenerator<ItemRef[]>
  /** The same of some of the streams within. */
  those(streams: readonly string[]): AsyncGenerator<ItemRef[]>
}

const PAGE = 500
/** How much is read ahead of all indexes together. */
const AHEAD = 10_000

/** The members of a share by the account as it is; of a mirror there are none. */
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

  /** Whether an item lies within; undefined when it is not here. */
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
