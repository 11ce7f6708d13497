/**
 * What a peer of a share has of an item that holds more than what is shared: a document of its own, which begins with the
 * state in which the item came into the share. Later changes of this node go into it as the difference that they make to
 * what the peer may see.
 */
import type { FieldValue, Operation } from '../encodeChange.js'
import { isPosition } from '../fields.js'
import type { ItemRef } from '../entry.js'
import { inOrder, type Link, type Links } from '../history/links.js'
import { isMarked, markOf, versionOf, type Side } from './marks.js'
import type { Projection } from './projection.js'
import { encodeAlone, headsOf, versionBy } from './documentVersion.js'

export interface Given {
  item: ItemRef
  /** The changes of this node. */
  own: Links
  /** Those of the peer's document. */
  there: Links
  projection: Projection
  side: Side
}

/**
 * The change that brings the peer's document to the present state; undefined when it is there. All nodes with the same
 * changes make the same one.
 * @throws Failure `corrupted-data`
 */
export function nextGiven({ item, own, there, projection, side }: Given): Uint8Array | undefined {
  const now = versionBy([...own.values()]).fields
  const wanted = projection.fields(item, now)
  const { fields, book } = versionBy([...there.values()])
  const operations: Operation[] = []
  const pred = (key: string): Operation['pred'] => book.shown.get(key)?.operations ?? []
  for (const [key, value] of wanted) if (fields[key] !== value) operations.push(setting(key, value, pred(key)))
  for (const key of Object.keys(fields).sort()) {
    if (!wanted.has(key) && !projection.hides(item, key)) operations.push({ key, pred: pred(key) })
  }
  if (operations.length === 0) return undefined
  const time = typeof now['modified'] === 'number' ? Math.floor(now['modified']) : 0
  return encodeAlone({
    startOp: book.maxOp + 1,
    time: Number.isSafeInteger(time) ? time : 0,
    deps: book.heads,
    message: markOf(side, headsOf(own)),
    operations,
  })
}

export const setting = (key: string, value: FieldValue, pred: Operation['pred']): Operation =>
  isPosition(key) ? { key, value, whole: true, pred } : { key, value, pred }

/** The changes that may go to a peer as they are: none of them says anything of what is hidden, nor builds on one that does. */
export function openChanges(item: ItemRef, own: Links, projection: Projection): Link[] {
  const open = new Set<string>()
  // Of those that build on what is not among them, nothing goes.
  for (const link of inOrder(own, (dep) => !own.has(dep)) ?? []) {
    if (link.deps.every((dep) => open.has(dep)) && projection.isOpen(item, link.bytes)) open.add(link.hash)
  }
  return [...own.values()].filter(({ hash }) => open.has(hash))
}

/**
 * The change that takes back what stood in for versions which have come by now: a peer gave their copy before a mirror gave
 * themselves. Undefined when there is nothing to take back.
 */
export function withoutStandIns({ own, there, side }: Pick<Given, 'own' | 'there' | 'side'>, taken: Readonly<Record<string, string>>): Uint8Array | undefined {
  const standIns = [...there.values()].filter((link) => isMarked(link, side) && own.has(taken[link.hash] ?? '') && versionOf(link, own) !== undefined)
  if (standIns.length === 0) return undefined
  const actors = new Set(standIns.map(({ hash }) => own.get(taken[hash] ?? '')?.actor))
  const { book } = versionBy([...own.values()])
  const operations: Operation[] = []
  for (const [key, { operations: shown }] of [...book.shown].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const pred = shown.filter(({ actor }) => actors.has(actor))
    // Where nothing else is shown, what the version said was changed since.
    if (pred.length > 0) operations.push({ key, pred })
  }
  if (operations.length === 0) return undefined
  const time = Math.max(...headsOf(own).map((link) => link.time))
  return encodeAlone({ startOp: book.maxOp + 1, time, deps: book.heads, operations })
}
