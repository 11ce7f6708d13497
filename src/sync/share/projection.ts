/** The fields of an item that a peer of a share may see: not the streams outside of the share that an event also lies in. */
import { recordStreamIds } from '../../store/model/eventRecord.js'
import type { Account } from '../../store/account.js'
import { findRecord } from '../../store/events.js'
import type { FieldValue } from '../encodeChange.js'
import type { ItemRef } from '../entry.js'
import type { Fields } from '../fields.js'
import { scalarToText, textToScalar } from '../fieldText.js'
import type { Scope } from '../peers/peer.js'
import { readFirst } from '../readFirst.js'
import { scopeMembers } from '../scopeMembers.js'
import { keysOf } from './changeKeys.js'

export interface Projection {
  /** The fields that the peer is to see, in the order of their keys. */
  fields(item: ItemRef, all: Fields): Map<string, FieldValue>
  /** Whether a key is not the peer's to see: what its copy says of it stays. */
  hides(item: ItemRef, key: string): boolean
  /** Whether a change says nothing of what is hidden, so that it may go as it is. */
  isOpen(item: ItemRef, change: Uint8Array): boolean
}

/** What a peer may see of items of an account by the scope of a share. */
export function projectionOf(account: Account, scope: Extract<Scope, { is: 'share' }>): Projection {
  const { db, prefix } = account
  const members = scopeMembers(account, scope)
  /** Where a shared stream itself lies is each side's own business. */
  const isOwnPlace = ({ kind, id }: ItemRef, key: string): boolean => kind === 'stream' && key === 'parentId' && scope.streams.includes(id)
  const isWithin = (key: string): boolean => members.streams().has(scalarToText(key.slice(2)))

  function shownStreams({ kind, id }: ItemRef): [string, number][] {
    const record = kind === 'event' ? findRecord(db, prefix, id) : undefined
    const ids = record === undefined ? [] : recordStreamIds(record).filter((stream) => members.streams().has(stream))
    return ids.map((stream, at) => [`s:${textToScalar(stream)}`, at])
  }

  const hides = (item: ItemRef, key: string): boolean => isOwnPlace(item, key) || (item.kind === 'event' && key.startsWith('s:') && !isWithin(key))

  /** Whether a change that places a stream names no place outside of the share; later ones than the first are not looked into. */
  function isOpenPlace(item: ItemRef, change: Uint8Array): boolean {
    const parent = readFirst(change)?.find(({ key }) => key === 'parentId')?.value
    return isOwnPlace(item, 'parentId') ? parent === null : typeof parent === 'string' && members.streams().has(scalarToText(parent))
  }

  return {
    hides,
    fields(item, all) {
      const seen = Object.entries(all).filter(([key]) => !hides(item, key))
      if ('parentId' in all && isOwnPlace(item, 'parentId')) seen.push(['parentId', null])
      // An event that is shown in a stream for want of its own lies in that one for the peer.
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
