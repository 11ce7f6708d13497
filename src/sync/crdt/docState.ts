/**
 * State of a document needed to write its next change without loading it: visible operations of each key, heads, highest
 * counter and latest sequence number of each actor. Equal documents have equal bytes, independent of their history. `diffOps`
 * converts an edit of an item to operations on the keys of its document.
 */
import type { Item } from '../../store/engine/changeRecorder.js'
import { Failure } from '../../store/model/failure.js'
import {
  putHex,
  putText,
  putUnsigned,
  readerOf,
  takeByte,
  takeHex,
  takeText,
  takeUnsigned,
  textLength,
  writerFor,
  written,
  type Reader,
  type Writer,
} from './bytes.js'
import { LargeText, type FieldValue, type NewOperation, type Operation, type OpId } from './encodeChange.js'
import { scalarToText } from './fieldText.js'
import { eachField, isPosition, largeBody, positionIn } from './fields.js'

/** Visible operations of a key. */
export interface VisibleOp {
  /** In `compareOpIds` order, never empty; more than one after concurrent edits. */
  operations: readonly OpId[]
  /** Position of a list member. */
  position?: number
}

export interface DocState {
  /** Hashes of the latest changes, sorted. */
  heads: readonly string[]
  /** Highest counter of any operation. */
  maxOp: number
  /** Sequence number of the latest change of each actor. */
  seqs: ReadonlyMap<string, number>
  visibleOps: ReadonlyMap<string, VisibleOp>
}

/** First byte: the format version, and whether any key has more than one visible operation. */
const FORMAT = 1
const CONFLICT = 0x80

/** Common keys, encoded as their index in this list. Append only. */
const COMMON_KEYS = [
  'body',
  'time',
  'duration',
  'description',
  'trashed',
  'created',
  'createdBy',
  'modified',
  'modifiedBy',
  'name',
  'parentId',
  'childrenHidden',
]
const CODES = new Map(COMMON_KEYS.map((key, code) => [key, code]))
/** From this number on, a code is LITERAL plus the length of the key in bytes, and the key follows. */
const LITERAL = 32

const damaged = (): Failure => new Failure('corrupted-data', 'The document state of an item is damaged.')

/** Encodes a document state. */
export function encodeDocState(docState: DocState): Uint8Array {
  const actors = [...docState.seqs.keys()].sort()
  const keys = [...docState.visibleOps.keys()].sort()
  const w = writerFor(roomFor(docState))
  w.bytes[w.at++] = FORMAT | (hasConflict(docState) ? CONFLICT : 0)
  putUnsigned(w, docState.heads.length)
  for (const head of docState.heads) putHex(w, head)
  putUnsigned(w, docState.maxOp)
  putUnsigned(w, actors.length)
  for (const actor of actors) {
    putUnsigned(w, actor.length / 2)
    putHex(w, actor)
    putUnsigned(w, docState.seqs.get(actor) ?? 0)
  }
  putUnsigned(w, keys.length)
  for (const key of keys) {
    const visible = docState.visibleOps.get(key)
    if (visible === undefined) continue
    putKey(w, key)
    putUnsigned(w, visible.position === undefined ? 0 : visible.position + 1)
    visible.operations.forEach(({ counter, actor }, i) => {
      const more = i + 1 < visible.operations.length ? 1 : 0
      putUnsigned(w, actors.indexOf(actor) * 2 + more)
      putUnsigned(w, counter)
    })
  }
  return written(w)
}

/**
 * Decodes a document state.
 * @throws Failure `corrupted-data`
 */
export function decodeDocState(bytes: Uint8Array): DocState {
  const r = readerOf(bytes)
  if ((takeByte(r) & ~CONFLICT) !== FORMAT) throw damaged()
  const heads = []
  for (let left = takeUnsigned(r); left > 0; left--) heads.push(takeHex(r, 32))
  const maxOp = takeUnsigned(r)
  const actors: string[] = []
  const seqs = new Map<string, number>()
  for (let left = takeUnsigned(r); left > 0; left--) {
    const actor = takeHex(r, takeUnsigned(r))
    actors.push(actor)
    seqs.set(actor, takeUnsigned(r))
  }
  const visible = new Map<string, VisibleOp>()
  for (let left = takeUnsigned(r); left > 0; left--) {
    const key = takeKey(r)
    const place = takeUnsigned(r)
    const operations = takeOperations(r, actors)
    visible.set(key, place === 0 ? { operations } : { operations, position: place - 1 })
  }
  if (r.at !== bytes.length) throw damaged()
  return { heads, maxOp, seqs, visibleOps: visible }
}

/** Checks that no key of a document has more than one visible operation; reads one byte of its state. */
export function isConflictFree(docState: Uint8Array): boolean {
  return (takeByte(readerOf(docState)) & CONFLICT) === 0
}

/** Returns the visible streams of an event in the order of their positions. */
export function streamsIn(visible: DocState['visibleOps']): string[] {
  const members = [...visible].filter(([key]) => key.startsWith('s:'))
  members.sort(([a, { position: at = 0 }], [b, { position: bt = 0 }]) => at - bt || (a < b ? -1 : 1))
  return members.map(([key]) => scalarToText(key.slice(2)))
}

function takeOperations(r: Reader, actors: readonly string[]): OpId[] {
  const operations: OpId[] = []
  for (let more = true; more; ) {
    const code = takeUnsigned(r)
    const actor = actors[Math.floor(code / 2)]
    if (actor === undefined) throw damaged()
    operations.push({ counter: takeUnsigned(r), actor })
    more = code % 2 === 1
  }
  return operations
}

function putKey(w: Writer, key: string): void {
  const code = CODES.get(key)
  if (code !== undefined) {
    putUnsigned(w, code)
    return
  }
  putUnsigned(w, textLength(key) + LITERAL)
  putText(w, key)
}

function takeKey(r: Reader): string {
  const code = takeUnsigned(r)
  if (code >= LITERAL) return takeText(r, code - LITERAL)
  const key = COMMON_KEYS[code]
  if (key === undefined) throw damaged()
  return key
}

function hasConflict({ visibleOps: visible }: DocState): boolean {
  for (const { operations } of visible.values()) if (operations.length > 1) return true
  return false
}

/** Returns an upper bound of the encoded length. */
function roomFor({ heads, seqs, visibleOps: visible }: DocState): number {
  let room = 64 + heads.length * 32 + seqs.size * 16
  for (const actor of seqs.keys()) room += actor.length
  for (const [key, { operations }] of visible) room += 32 + key.length * 3 + operations.length * 16
  return room
}

/** Visible operations of a document by key. */
type VisibleOpsByKey = ReadonlyMap<string, VisibleOp>

const NOTHING: readonly OpId[] = []

/** Returns the operations that set every field of a new item. */
export function creationOperations(item: Item): NewOperation[] {
  const operations: NewOperation[] = []
  const body = item.kind === 'event' ? largeBody(item.item) : undefined
  if (body === undefined || item.kind !== 'event') {
    eachField(item, (key, value) => operations.push(setOperation(key, value, NOTHING)))
    return operations
  }
  const { content: _, ...others } = item.item
  const large = new LargeText(...body)
  eachField({ kind: 'event', item: others }, (key, value) =>
    operations.push(key === 'body' ? { key, value: large, pred: NOTHING } : setOperation(key, value, NOTHING)),
  )
  return operations
}

/**
 * Returns the operations that turn one version of an item into another. Keys with equal values in both stay untouched, even
 * if the document has another value, so repaired values are never written back.
 */
export function diffOps(before: Item, after: Item, visible: VisibleOpsByKey): Operation[] {
  const positionOf = (key: string): number | undefined => visible.get(key)?.position
  const from = new Map<string, FieldValue>()
  eachField(before, (key, value) => from.set(key, value), positionOf)
  const operations: Operation[] = []
  const moves = before.kind === 'event' && after.kind === 'event' && !isSame(before.item.streamIds, after.item.streamIds)
  eachField(
    after,
    (key, value) => {
      const was = visible.get(key)
      // A fallback stream of the event becomes a declared one when the list is edited around it.
      const isTaken = moves && was === undefined && key.startsWith('s:')
      if (isTaken || from.get(key) !== value) operations.push(setOperation(key, value, was?.operations ?? NOTHING))
      from.delete(key)
    },
    positionOf,
  )
  for (const key of from.keys()) {
    const was = visible.get(key)
    if (was !== undefined) operations.push({ key, pred: was.operations })
  }
  return operations
}

const isSame = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((id, i) => id === b[i])

function setOperation(key: string, value: FieldValue, pred: readonly OpId[]): Operation {
  return isPosition(key) ? { key, value, whole: true, pred } : { key, value, pred }
}

/** Returns the visible operations after more operations, the first of which has the id `first`. */
export function visibleAfter(before: VisibleOpsByKey, operations: readonly Operation[], first: OpId): VisibleOpsByKey {
  const visible = new Map(before)
  operations.forEach(({ key, value }, i) => {
    if (value === undefined) visible.delete(key)
    else visible.set(key, visibleOpOf(key, value, [{ counter: first.counter + i, actor: first.actor }]))
  })
  return visible
}

/** Returns the visible operations of a key that holds `value`, set by one operation or by concurrent ones. */
export function visibleOpOf(key: string, value: FieldValue, operations: readonly OpId[]): VisibleOp {
  const position = positionIn(key, value)
  return position === undefined ? { operations } : { operations, position }
}
