/** Converts edits of items to operations on the keys of a document. */
import type { Item } from '../../store/engine/changeRecorder.js'
import type { VisibleOp } from './docState.js'
import { LargeText, type FieldValue, type NewOperation, type OpId, type Operation } from './encodeChange.js'
import { isPosition, itemToFields, largeBody, positionIn, type Fields } from './fields.js'

/** Visible operations of a document by key. */
export type VisibleOpsByKey = ReadonlyMap<string, VisibleOp>

const NOTHING: readonly OpId[] = []

/** Returns the operations that set every field of a new item. */
export function creation(item: Item): NewOperation[] {
  const body = item.kind === 'event' ? largeBody(item.item) : undefined
  if (body === undefined || item.kind !== 'event') {
    const fields = itemToFields(item)
    return Object.keys(fields).map((key) => setting(fields, key, NOTHING))
  }
  const { content: _, ...others } = item.item
  const fields = itemToFields({ kind: 'event', item: others })
  const value = new LargeText(...body)
  return Object.keys(fields).map((key) => (key === 'body' ? { key, value, pred: NOTHING } : setting(fields, key, NOTHING)))
}

/**
 * Returns the operations that turn one version of an item into another. Keys with equal values in both stay untouched, even
 * if the document has another value, so repaired values are never written back.
 */
export function diffOps(before: Item, after: Item, visible: VisibleOpsByKey): Operation[] {
  const positionOf = (key: string): number | undefined => visible.get(key)?.position
  const from = itemToFields(before, positionOf)
  const to = itemToFields(after, positionOf)
  const operations: Operation[] = []
  const moves = before.kind === 'event' && after.kind === 'event' && !isSame(before.item.streamIds, after.item.streamIds)
  for (const key of Object.keys(to)) {
    const was = visible.get(key)
    // A fallback stream of the event becomes a declared one when the list is edited around it.
    const isTaken = moves && was === undefined && key.startsWith('s:')
    if (isTaken || from[key] !== to[key]) operations.push(setting(to, key, was?.operations ?? NOTHING))
  }
  for (const key of Object.keys(from)) {
    const was = visible.get(key)
    if (was !== undefined && !(key in to)) operations.push({ key, pred: was.operations })
  }
  return operations
}

const isSame = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((id, i) => id === b[i])

function setting(fields: Fields, key: string, pred: readonly OpId[]): Operation {
  const value = fields[key] ?? null
  return isPosition(key) ? { key, value, whole: true, pred } : { key, value, pred }
}

/** Returns the visible operations after more operations, the first of which has the id `first`. */
export function visibleAfter(before: VisibleOpsByKey, operations: readonly Operation[], first: OpId): VisibleOpsByKey {
  const visible = new Map(before)
  operations.forEach(({ key, value }, i) => {
    if (value === undefined) visible.delete(key)
    else visible.set(key, showing(key, value, [{ counter: first.counter + i, actor: first.actor }]))
  })
  return visible
}

/** Returns the visible operations of a key that holds `value`, set by one operation or by concurrent ones. */
export function showing(key: string, value: FieldValue, operations: readonly OpId[]): VisibleOp {
  const position = positionIn(key, value)
  return position === undefined ? { operations } : { operations, position }
}
