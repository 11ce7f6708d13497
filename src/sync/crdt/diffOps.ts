/** Edits as operations on the keys of a document. */
import type { Item } from '../../store/engine/changeRecorder.js'
import type { VisibleOp } from './docState.js'
import { LargeText, type FieldValue, type NewOperation, type OpId, type Operation } from './encodeChange.js'
import { isPosition, itemToFields, largeBody, positionIn, type Fields } from './fields.js'

/** What a document shows, by key. */
export type VisibleOpsByKey = ReadonlyMap<string, VisibleOp>

const NOTHING: readonly OpId[] = []

/** The operations that set every field of a new item. */
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
 * The operations that turn one state of an item into another. Keys that both states agree on stay untouched, also when
 * the document shows otherwise: what repair shows in place of it is never written back.
 */
export function diffOps(before: Item, after: Item, displayed: VisibleOpsByKey): Operation[] {
  const positionOf = (key: string): number | undefined => displayed.get(key)?.position
  const from = itemToFields(before, positionOf)
  const to = itemToFields(after, positionOf)
  const operations: Operation[] = []
  const moves = before.kind === 'event' && after.kind === 'event' && !isSame(before.item.streamIds, after.item.streamIds)
  for (const key of Object.keys(to)) {
    const was = displayed.get(key)
    // A stream that an event is shown in for want of its own is its own once the list is changed around it.
    const isTaken = moves && was === undefined && key.startsWith('s:')
    if (isTaken || from[key] !== to[key]) operations.push(setting(to, key, was?.operations ?? NOTHING))
  }
  for (const key of Object.keys(from)) {
    const was = displayed.get(key)
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

/** What a document shows after operations, the first of which has the id `first`. */
export function visibleAfter(before: VisibleOpsByKey, operations: readonly Operation[], first: OpId): VisibleOpsByKey {
  const displayed = new Map(before)
  operations.forEach(({ key, value }, i) => {
    if (value === undefined) displayed.delete(key)
    else displayed.set(key, showing(key, value, [{ counter: first.counter + i, actor: first.actor }]))
  })
  return displayed
}

/** What a key shows that holds `value`, by one operation or several that met. */
export function showing(key: string, value: FieldValue, operations: readonly OpId[]): VisibleOp {
  const position = positionIn(key, value)
  return position === undefined ? { operations } : { operations, position }
}
