/** Projection of an item to the fields that a share peer may see: an event's streams outside the share are left out. */
import { recordStreamIds } from '../../store/model/eventRecord.js'
import type { Account } from '../../store/engine/account.js'
import { findRecord } from '../../store/events/events.js'
import type { FieldValue } from '../crdt/encodeChange.js'
import type { ItemRef } from '../items/entry.js'
import type { Fields } from '../crdt/fields.js'
import { scalarToText, textToScalar } from '../crdt/fieldText.js'
import type { Scope } from '../peers/peer.js'
import { decodeInitialChange } from '../crdt/decodeInitialChange.js'
import { scopeMembers } from '../peers/scopeMembers.js'
import { keysOf } from './changeKeys.js'

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

  function shownStreams({ kind, id }: ItemRef): [string, number][] {
    const record = kind === 'event' ? findRecord(db, prefix, id) : undefined
    const ids = record === undefined ? [] : recordStreamIds(record).filter((stream) => members.streams().has(stream))
    return ids.map((stream, at) => [`s:${textToScalar(stream)}`, at])
  }

  const hides = (item: ItemRef, key: string): boolean => isOwnPlace(item, key) || (item.kind === 'event' && key.startsWith('s:') && !isWithin(key))

  /** Checks that a change placing a stream names no parent outside the share; examines only the first such change. */
  function isOpenPlace(item: ItemRef, change: Uint8Array): boolean {
    const parent = decodeInitialChange(change)?.find(({ key }) => key === 'parentId')?.value
    return isOwnPlace(item, 'parentId') ? parent === null : typeof parent === 'string' && members.streams().has(scalarToText(parent))
  }

  return {
    hides,
    fields(item, all) {
      const seen = Object.entries(all).filter(([key]) => !hides(item, key))
      if ('parentId' in all && isOwnPlace(item, 'parentId')) seen.push(['parentId', null])
      // For the peer, an event shown in a fallback stream lies in that one.
      if (item.kind === 'event' && !seen.some(([key]) => key.startsWith('s:'))) seen.push(...shownStreams(item))
      return new Map(seen.sort(([a], [b]) => (a < b ? -1 : 1)))
    },
    isOpen(item, change) {
      const keys = keysOf(change)
      if (item.kind === 'stream') return !keys.includes('parentId') || isOpenPlace(item, change)
      return !keys.some((key) => hides(item, key))
    },
  }
}
