/**
 * Share documents: the copy that a share peer gets of an item with private data. `openChanges` builds one. It begins with the
 * item's state on entering the share. Later changes of this node are added as their difference in the fields visible to the
 * peer.
 *
 * Changes that one side of a share makes for the other are marked with the version of its own item (`Version`: a set of
 * changes with their dependencies). A mark names the last change number of each process, so that every node of the account
 * can resolve it. It contains no hashes: a hash of private data would let guesses be verified.
 */
import type { Scope } from '../../../store/replication/peers.js'
import { decodeDocState, type DocState } from '../../crdt/docState.js'
import { materialiseRead } from '../../crdt/document.js'
import { compareOpIds, encodeChange, type FieldValue, type NewChange, type Operation, type OpId } from '../../crdt/encodeChange.js'
import { isPosition, type Fields } from '../../crdt/fields.js'
import { inOrder, type Link, type Links } from '../../crdt/links.js'
import type { ReadChange } from '../../crdt/parseChange.js'
import { readOperations } from '../../crdt/readOperations.js'
import type { ItemRef } from '../../wire/entry.js'
import type { Projection } from './projection.js'

interface SentItem {
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
  const now = versionAfter([...own.values()]).fields
  const wanted = projection.fields(item, now)
  const { fields, docState } = versionAfter([...there.values()])
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
 * Returns the change that reverts stand-ins: copies of versions received from a peer before a mirror sent the originals.
 * Undefined when there is nothing to revert. A stand-in replaces the values of the version that it builds on, so two mirrors can
 * replace each other's values by stand-ins: a key without any other value gets that of the originals again.
 */
export function withoutStandIns({ own, there, side }: Pick<SentItem, 'own' | 'there' | 'side'>, taken: Readonly<Record<string, string>>): Uint8Array | undefined {
  const standIns = [...there.values()].filter((link) => isMarked(link, side) && own.has(taken[link.hash] ?? '') && versionOf(link, own) !== undefined)
  if (standIns.length === 0) return undefined
  const copies = standIns.flatMap(({ hash }) => own.get(taken[hash] ?? '') ?? [])
  const actors = new Set(copies.map(({ actor }) => actor))
  const { docState, fields } = versionAfter([...own.values()])
  const valueWithout = visibleValues([...own.values()].filter((link) => !copies.includes(link)))
  const operations: Operation[] = []
  for (const [key, { operations: visible }] of [...docState.visibleOps].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const pred = visible.filter(({ actor }) => actors.has(actor))
    if (pred.length === 0) continue
    // Another visible value is that of the version, or of a later change.
    const value = pred.length < visible.length ? undefined : valueWithout(key, fields[key])
    operations.push(value === undefined ? { key, pred } : setting(key, value, pred))
  }
  if (operations.length === 0) return undefined
  const time = Math.max(...headsOf(own).map((link) => link.time))
  return encodeAlone({ startOp: docState.maxOp + 1, time, deps: docState.heads, operations })
}

/**
 * Returns a function for the value of a key after some changes of a document, as if there were no others: undefined for none,
 * `otherwise` when a change cannot be read. The changes are read once, at the first call.
 */
function visibleValues(changes: readonly Link[]): (key: string, otherwise: FieldValue | undefined) => FieldValue | undefined {
  let read: { actor: string; startOp: number; operations: Operation[] | undefined }[] | undefined
  return (key, otherwise) => {
    read ??= changes.map(({ bytes, actor, startOp }) => ({ actor, startOp, operations: readOperations(bytes) }))
    const set = new Map<string, { id: OpId; value: FieldValue }>()
    const replaced = new Set<string>()
    for (const { actor, startOp, operations } of read) {
      if (operations === undefined) return otherwise
      for (const [at, operation] of operations.entries()) {
        if (operation.key !== key) continue
        const id = { counter: startOp + at, actor }
        if (operation.value !== undefined) set.set(nameOfOp(id), { id, value: operation.value })
        for (const before of operation.pred) replaced.add(nameOfOp(before))
      }
    }
    const visible = [...set].filter(([name]) => !replaced.has(name)).map(([, operation]) => operation)
    return visible.sort((a, b) => compareOpIds(a.id, b.id)).at(-1)?.value
  }
}

const nameOfOp = ({ counter, actor }: OpId): string => `${counter}@${actor}`

/** Side of a share that made a change: the grantor or the other. */
export type Side = 'host' | 'guest'

export const sideOf = (scope: Extract<Scope, { is: 'share' }>): Side => (scope.grantor === 'us' ? 'host' : 'guest')

const nameOf = ({ actor, seq }: Pick<ReadChange, 'actor' | 'seq'>): string => `${actor}.${seq}`

/** Encodes the mark of a change that shows the version with these heads. */
const markOf = (side: Side, heads: readonly ReadChange[]): string => [side, ...heads.map(nameOf).sort()].join(' ')

/** Checks that a given side made a change for the other. */
export const isMarked = ({ message }: ReadChange, side: Side): boolean => message.startsWith(`${side} `)

/** Returns the hashes of the version that a marked change shows; undefined when `own` lacks part of it. */
export function versionOf({ message }: ReadChange, own: ReadonlyMap<string, ReadChange>): string[] | undefined {
  const names = new Set(message.split(' ').slice(1))
  const found = [...own.values()].filter((change) => names.has(nameOf(change))).map(({ hash }) => hash)
  return found.length === names.size && found.length > 0 ? found : undefined
}

interface Version {
  fields: Fields
  docState: DocState
}

const EMPTY: Version = { fields: {}, docState: { heads: [], maxOp: 0, seqs: new Map(), visibleOps: new Map() } }

/**
 * Computes the combined state of changes.
 * @throws Failure `corrupted-data` when they are inconsistent
 */
export function versionAfter(changes: readonly Link[]): Version {
  if (changes.length === 0) return EMPTY
  const { fields, docState } = materialiseRead(changes)
  return { fields, docState: decodeDocState(docState) }
}

/** Returns changes with all their available dependencies. */
export function withAncestors(links: Links, heads: Iterable<string>): Link[] {
  const found = new Map<string, Link>()
  const waiting = [...heads]
  for (let hash = waiting.pop(); hash !== undefined; hash = waiting.pop()) {
    const link = links.get(hash)
    if (link === undefined || found.has(hash)) continue
    found.set(hash, link)
    waiting.push(...link.deps)
  }
  return [...found.values()]
}

/** Returns the heads: changes on which no other builds. */
export function headsOf(links: Links): Link[] {
  const inner = new Set([...links.values()].flatMap(({ deps }) => deps))
  return [...links.values()].filter(({ hash }) => !inner.has(hash))
}

/**
 * Encodes the single change of an actor derived from its contents: nodes with equal contents produce equal bytes, and
 * different contents never share a sequence number.
 */
export function encodeAlone(change: Omit<NewChange, 'actor' | 'seq'>): Uint8Array {
  const { hash } = encodeChange({ ...change, actor: '0'.repeat(32), seq: 1 })
  return encodeChange({ ...change, actor: hash.slice(0, 32), seq: 1 }).bytes
}
