/** State of an item at a share peer, as far as this side knows. */
import { findGrave } from '../../store/graves.js'
import { changeElement, graveElement, noElement, toggle, type Element } from '../../store/model/element.js'
import { readShareDocument } from '../../store/share/shareDocuments.js'
import type { ItemRef } from '../entry.js'
import { nameOf } from '../itemName.js'
import { changesOfItem, stateOfItem } from './itemStates.js'
import type { Kept } from './rebuild.js'
import { rootsTold } from '../share/roots.js'

/** Computes the state of a peer's copy: that of its share document, or that of the item here. */
export function stateAtPeer(kept: Kept, peer: number, item: ItemRef): Element {
  const { db, account } = kept
  const name = nameOf(item)
  const document = item.kind === 'event' || item.kind === 'stream' ? readShareDocument(db, account, name, peer) : undefined
  if (document === undefined) return stateOfItem(kept, item)
  const state = noElement()
  for (const change of document.changes ?? changesOfItem(db, account, item)) toggle(state, changeElement(name, change))
  const grave = item.kind === 'stream' ? findGrave(db, account, item.id) : undefined
  if (grave !== undefined) toggle(state, graveElement(name, grave.deleted, rootsTold(db, account, item.id, peer)))
  return state
}
