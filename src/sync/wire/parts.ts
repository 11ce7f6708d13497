/** Encoding of the parts that several messages have in common. */
import { ELEMENT_LENGTH } from '../../store/model/digestElement.js'
import { takeByte, takeBytes, takeUnsigned, type Reader } from '../crdt/bytes.js'
import type { Direction, Scope } from '../peers/peer.js'
import type { Digest, Position } from './itemSet.js'
import { addByte, addBytes, addNumber, addSentence, addText, countFrom, textFrom, type Column } from './columns.js'
import type { ItemKind, ItemRef, RefusalReason } from '../items/entry.js'
import { damaged } from './protocolError.js'
import type { AsideItem } from './limits.js'
import type { ItemRequest } from './message.js'

const KINDS: readonly ItemKind[] = ['event', 'stream', 'profile', 'access', 'series']
const DIRECTIONS: readonly Direction[] = ['send', 'receive', 'both']
const GRANTORS: readonly ('us' | 'them')[] = ['us', 'them']

/** Adds a feed position; an empty epoch stands for none. */
export function addPosition(c: Column, position: Position | undefined): void {
  addText(c, position?.epoch ?? '')
  if (position !== undefined) addNumber(c, position.sequence)
}

export function positionFrom(r: Reader): Position | undefined {
  const epoch = textFrom(r)
  return epoch === '' ? undefined : { epoch, sequence: takeUnsigned(r) }
}

export const addDigest = (c: Column, { state }: Digest): void => addBytes(c, state)

export const digestFrom = (r: Reader): Digest => ({ state: new Uint8Array(takeBytes(r, ELEMENT_LENGTH)) })

export function addItem(c: Column, { kind, id }: ItemRef): void {
  addByte(c, KINDS.indexOf(kind))
  addText(c, id)
}

export function itemFrom(r: Reader): ItemRef {
  const kind = KINDS[takeByte(r)]
  if (kind === undefined) throw damaged('an item of an unknown kind')
  return { kind, id: textFrom(r) }
}

const REASONS: readonly RefusalReason[] = ['damaged', 'invalid', 'out-of-scope', 'taken', 'too-large']

export function addAside(c: Column, items: readonly AsideItem[]): void {
  addNumber(c, items.length)
  for (const { item, reason, message } of items) {
    addItem(c, item)
    addByte(c, REASONS.indexOf(reason))
    addSentence(c, message)
  }
}

export function asideFrom(r: Reader): AsideItem[] {
  const items: AsideItem[] = []
  for (let left = countFrom(r, r, 4); left > 0; left--) {
    const item = itemFrom(r)
    const reason = REASONS[takeByte(r)]
    if (reason === undefined) throw damaged('a refusal without a valid reason')
    items.push({ item, reason, message: textFrom(r) })
  }
  return items
}

/** Adds the version vector of a series; undefined for other items. */
export function addReaches(c: Column, reaches: ReadonlyMap<string, number> | undefined): void {
  addNumber(c, reaches === undefined ? 0 : reaches.size + 1)
  for (const [actor, time] of reaches ?? []) {
    addText(c, actor)
    addNumber(c, time)
  }
}

export function reachesFrom(r: Reader): Map<string, number> | undefined {
  const count = takeUnsigned(r) - 1
  if (count < 0) return undefined
  if (count * 2 > r.bytes.length - r.at) throw damaged('a list that is longer than its bytes')
  const reaches = new Map<string, number>()
  for (let left = count; left > 0; left--) reaches.set(textFrom(r), takeUnsigned(r))
  return reaches
}

/** Maximum number of items of one request. */
export const MAX_WANTED = 256

export function addWanted(c: Column, items: readonly ItemRequest[]): void {
  addNumber(c, items.length)
  for (const { item, reaches } of items) {
    addItem(c, item)
    addReaches(c, reaches)
  }
}

export function wantedFrom(r: Reader): ItemRequest[] {
  const count = countFrom(r, r, 3)
  if (count > MAX_WANTED) throw damaged('a request for too many items')
  const items: ItemRequest[] = []
  for (let left = count; left > 0; left--) {
    const item = itemFrom(r)
    const reaches = reachesFrom(r)
    items.push({ item, ...(reaches === undefined ? {} : { reaches }) })
  }
  return items
}

const MAX_STREAMS = 10_000

export function addScope(c: Column, scope: Scope): void {
  addByte(c, scope.is === 'mirror' ? 0 : 1)
  if (scope.is === 'mirror') return
  addByte(c, DIRECTIONS.indexOf(scope.direction))
  addByte(c, GRANTORS.indexOf(scope.grantor))
  addNumber(c, scope.streams.length)
  for (const stream of scope.streams) addText(c, stream)
}

export function scopeFrom(r: Reader): Scope {
  const kind = takeByte(r)
  if (kind === 0) return { is: 'mirror' }
  const direction = DIRECTIONS[takeByte(r)]
  const grantor = GRANTORS[takeByte(r)]
  if (kind !== 1 || direction === undefined || grantor === undefined) throw damaged('an invalid scope')
  const count = countFrom(r)
  if (count > MAX_STREAMS) throw damaged('a scope with too many streams')
  const streams: string[] = []
  for (let left = count; left > 0; left--) streams.push(textFrom(r))
  return { is: 'share', streams, direction, grantor }
}
