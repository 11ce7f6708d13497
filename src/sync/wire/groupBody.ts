/** Encoding of the body of a group, before compression. */
import { ELEMENT_LENGTH } from '../../store/model/digestElement.js'
import { takeByte, takeBytes, takeHex, takeUnsigned, type Reader } from '../crdt/bytes.js'
import { addByte, addBytes, addHex, addNumber, countFrom, type Column } from './columns.js'
import { addEntries, entriesFrom } from './entryColumns.js'
import type { ItemRef } from '../items/entry.js'
import { damaged } from './protocolError.js'
import type { Group, Offer } from './message.js'
import { addAside, addItem, addPosition, addReaches, asideFrom, itemFrom, positionFrom, reachesFrom } from './parts.js'

const ANSWERS = 1
const RECONCILED = 2
const HASH_BYTES = 32

export function addGroup(c: Column, group: Group): void {
  addByte(c, (group.answers ? ANSWERS : 0) | (group.reconciled ? RECONCILED : 0))
  addPosition(c, group.position)
  addNumber(c, group.left)
  addNumber(c, group.lacking.length)
  for (const item of group.lacking) addItem(c, item)
  addAside(c, group.aside)
  addNumber(c, group.offers.length)
  for (const offer of group.offers) addOffer(c, offer)
  addEntries(c, group.entries)
}

function addOffer(c: Column, { item, reaches, state, roots = [] }: Offer): void {
  addItem(c, item)
  addReaches(c, reaches)
  if (reaches !== undefined) return
  addBytes(c, state ?? new Uint8Array(ELEMENT_LENGTH))
  addNumber(c, roots.length)
  for (const root of roots) addHex(c, root)
}

/**
 * Decodes the body of a group.
 * @throws ProtocolError `damaged`, Failure `corrupted-data` when the bytes are invalid
 */
export function groupFrom(r: Reader): Group {
  const flags = takeByte(r)
  if (flags > (ANSWERS | RECONCILED)) throw damaged('a group of an unknown kind')
  const position = positionFrom(r)
  const left = takeUnsigned(r)
  const lacking: ItemRef[] = []
  for (let left = countFrom(r, r, 2); left > 0; left--) lacking.push(itemFrom(r))
  const aside = asideFrom(r)
  const offers: Offer[] = []
  for (let left = countFrom(r, r, 3); left > 0; left--) offers.push(offerFrom(r))
  const entries = entriesFrom(r)
  if (r.at < r.bytes.length) throw damaged('a group with more bytes than it has parts')
  return {
    type: 'group',
    ...(position === undefined ? {} : { position }),
    entries,
    offers,
    lacking,
    aside,
    answers: (flags & ANSWERS) !== 0,
    reconciled: (flags & RECONCILED) !== 0,
    left,
  }
}

function offerFrom(r: Reader): Offer {
  const item = itemFrom(r)
  const reaches = reachesFrom(r)
  if (reaches !== undefined) return { item, reaches }
  const state = new Uint8Array(takeBytes(r, ELEMENT_LENGTH))
  const roots: string[] = []
  for (let left = countFrom(r, r, HASH_BYTES); left > 0; left--) roots.push(takeHex(r, HASH_BYTES))
  return { item, state, ...(roots.length > 0 ? { roots } : {}) }
}
