/**
 * Builds the share document of an item that holds private data. It begins with the item's state on entering the share.
 * Later changes of this node are added as their difference in the fields visible to the peer.
 */
import type { FieldValue, Operation } from '../crdt/encodeChange.js'
import { isPosition } from '../crdt/fields.js'
import type { ItemRef } from '../items/entry.js'
import { inOrder, type Link, type Links } from '../crdt/links.js'
import { isMarked, markOf, versionOf, type Side } from './marks.js'
import type { Projection } from './projection.js'
import { encodeAlone, headsOf, versionBy } from './documentVersion.js'

export interface SentItem {
  item: ItemRef
  /** Changes of this node. */
  own: Links
  /** Changes of the peer's document. */
  there: Links
  projection: Projection
  side: Side
}

/**
 * Returns the change that updates the peer's document to the present state; undefined when it is up to date. All nodes
 * with the same changes produce the same one.
 * @throws Failure `corrupted-data`
 */
export function nextSentItem({ item, own, there, projection, side }: SentItem): Uint8Array | undefined {
  const now = versionBy([...own.values()]).fields
  const wanted = projection.fields(item, now)
  const { fields, docState } = versionBy([...there.values()])
  const operations: Operation[] = []
  const pred = (key: string): Operation['pred'] => docState.visibleOps.get(key)?.operations ?? []
  for (const [key, value] of wanted) if (fields[key] !== value) operations.push(setting(key, value, pred(key)))
  for (const key of Object.keys(fields).sort()) {
    if (!wanted.has(key) && !projection.hides(item, key)) operations.push({ key, pred: pred(key) })
  }
  if (operations.length === 0) return undefined
  const time = typeof now['modified'] === 'number' ? Math.floor(now['modified']) : 0
  return encodeAlone({
    startOp: docState.maxOp + 1,
    time: Number.isSafeInteger(time) ? time : 0,
    deps: docState.heads,
    message: markOf(side, headsOf(own)),
    operations,
  })
}

export const setting = (key: string, value: FieldValue, pred: Operation['pred']): Operation =>
  isPosition(key) ? { key, value, whole: true, pred } : { key, value, pred }

/** Returns the changes that may be sent as they are: neither they nor their dependencies contain private data. */
export function openChanges(item: ItemRef, own: Links, projection: Projection): Link[] {
  const open = new Set<string>()
  // Changes that build on withheld ones are withheld too.
  for (const link of inOrder(own, (dep) => !own.has(dep)) ?? []) {
    if (link.deps.every((dep) => open.has(dep)) && projection.isOpen(item, link.bytes)) open.add(link.hash)
  }
  return [...own.values()].filter(({ hash }) => open.has(hash))
}

/**
 * Returns the change that reverts stand-ins for versions that have arrived by now: a peer sent its copy of them before a
 * mirror sent the originals. Undefined when there is nothing to revert.
 */
export function withoutStandIns({ own, there, side }: Pick<SentItem, 'own' | 'there' | 'side'>, taken: Readonly<Record<string, string>>): Uint8Array | undefined {
  const standIns = [...there.values()].filter((link) => isMarked(link, side) && own.has(taken[link.hash] ?? '') && versionOf(link, own) !== undefined)
  if (standIns.length === 0) return undefined
  const actors = new Set(standIns.map(({ hash }) => own.get(taken[hash] ?? '')?.actor))
  const { docState } = versionBy([...own.values()])
  const operations: Operation[] = []
  for (const [key, { operations: visible }] of [...docState.visibleOps].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const pred = visible.filter(({ actor }) => actors.has(actor))
    // A different visible value means that a later change replaced the version's value.
    if (pred.length > 0) operations.push({ key, pred })
  }
  if (operations.length === 0) return undefined
  const time = Math.max(...headsOf(own).map((link) => link.time))
  return encodeAlone({ startOp: docState.maxOp + 1, time, deps: docState.heads, operations })
}
