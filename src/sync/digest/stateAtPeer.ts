/** State of an item at a share peer, as far as this side knows. */
import { findTombstone } from '../../store/streams/tombstones.js'
import { changeElement, tombstoneElement, zeroDigest, xorInto, type DigestElement } from '../../store/model/digestElement.js'
import { readShareDocument } from '../../store/engine/shareDocuments.js'
import type { ItemRef } from '../items/entry.js'
import { itemKey } from '../items/itemKey.js'
import { changesOfItem, stateOfItem } from './itemStates.js'
import type { DigestSource } from './rebuild.js'
import { encodedRoots } from '../share/roots.js'

/** Computes the digest element of a peer's copy: that of its share document, or that of the local item. */
export function stateAtPeer(stored: DigestSource, peer: number, item: ItemRef): DigestElement {
  const { db, account } = stored
  const name = itemKey(item)
  const document = item.kind === 'event' || item.kind === 'stream' ? readShareDocument(db, account, name, peer) : undefined
  if (document === undefined) return stateOfItem(stored, item)
  const state = zeroDigest()
  for (const change of document.changes ?? changesOfItem(db, account, item)) xorInto(state, changeElement(name, change))
  const tombstone = item.kind === 'stream' ? findTombstone(db, account, item.id) : undefined
  if (tombstone !== undefined) xorInto(state, tombstoneElement(name, tombstone.deleted, encodedRoots(db, account, item.id, peer)))
  return state
}
