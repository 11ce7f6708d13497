/** Validates received changes of a document and materialises them together with the stored ones. */
import type { Transaction } from '../../store/engine/account.js'
import { findDeletion } from '../../store/events/events.js'
import { findTombstone } from '../../store/streams/tombstones.js'
import { storedChanges } from '../../store/replication/applyRemote.js'
import { Failure } from '../../store/model/failure.js'
import type { Item } from '../../store/engine/changeRecorder.js'
import { materialiseRead, type Materialised } from '../crdt/document.js'
import type { FieldValue } from '../crdt/encodeChange.js'
import type { ChangesEntry, Outcome } from '../wire/entry.js'
import { MAX_ENTRY_BYTES, MAX_OPERATIONS } from '../wire/limits.js'
import { fromJson } from '../crdt/fieldText.js'
import { fieldsToItem } from '../crdt/fields.js'
import { isCompressed } from '../crdt/parseChange.js'
import { inOrder, linksOf, type Links } from '../crdt/links.js'
import { survivors } from './deletion.js'
import { fieldsObjection, idObjectionOf, itemObjection, type TypeRules } from '../crdt/validate.js'

/** Validated changes, ready to be written. */
export interface AppliedChanges {
  /** The item as materialised from its changes. `mergeEvent` changes it in place. */
  declared: Item
  /** The new changes, in causal order. */
  changes: Uint8Array[]
  /** Sequence of the item's latest journal entry. */
  latest?: number | undefined
  /** The document state, when there is more than one change in total. */
  docState?: Uint8Array | undefined
  /** Fields with conflicting concurrent edits. */
  conflicts: string[]
}

export type Reading = { ready: AppliedChanges } | { outcome: Outcome }

const refused = (reason: 'damaged' | 'too-large', message: string): Reading => ({ outcome: { is: 'refused', reason, message } })
const known: Reading = { outcome: { is: 'known' } }

/** Returns the refusal of changes that are too large or compressed; undefined when they can be read. */
export function bytesRefusal({ changes }: ChangesEntry): Outcome | undefined {
  if (changes.some(({ length }) => length > MAX_ENTRY_BYTES)) return { is: 'refused', reason: 'too-large', message: 'One of its changes exceeds the size limit of sync.' }
  // A few compressed bytes can expand to megabytes; no node sends such a change.
  return changes.some(isCompressed) ? { is: 'refused', reason: 'damaged', message: 'A change is compressed.' } : undefined
}

/** Returns the refusal of changes that set more fields than the limit. */
export function operationsRefusal(changes: Links): Outcome | undefined {
  const operations = [...changes.values()].reduce((sum, link) => sum + link.operations, 0)
  if (operations <= MAX_OPERATIONS) return undefined
  return { is: 'refused', reason: 'too-large', message: `More than ${MAX_OPERATIONS} fields are set at once. Create several smaller items instead, and delete this one.` }
}

/** Reads and validates received changes; stages nothing. */
export function readChanges(t: Transaction, entry: ChangesEntry, types: TypeRules): Reading {
  const { kind, id } = entry
  const objection = idObjectionOf(kind, id)
  if (objection !== undefined) return { outcome: { is: 'refused', ...objection } }
  if (kind === 'event' && findDeletion(t, t.account, id) !== undefined) return known
  const unfit = bytesRefusal(entry)
  if (unfit !== undefined) return { outcome: unfit }
  try {
    return mergeWithStored(t, entry, types)
  } catch (error) {
    if (error instanceof Failure && error.id === 'corrupted-data') return refused('damaged', error.message)
    if (error instanceof RangeError) return refused('damaged', 'The changes cannot be read.')
    throw error
  }
}

function mergeWithStored(t: Transaction, { kind, id, changes: came }: ChangesEntry, types: TypeRules): Reading {
  const stored = storedChanges(t, kind, id)
  const here = linksOf(stored.changes)
  const fresh = linksOf(came)
  for (const hash of here.keys()) fresh.delete(hash)
  if (fresh.size === 0) return known
  const unfit = operationsRefusal(fresh)
  if (unfit !== undefined) return { outcome: unfit }
  const ordered = inOrder(fresh, (hash) => here.has(hash))
  if (ordered === undefined) return { outcome: { is: 'incomplete' } }
  // No stored change is covered, so changes that build on stored ones are not covered either.
  const alive = kind === 'stream' ? survivors(findTombstone(t, t.account, id), ordered) : ordered
  if (alive.length === 0) return known
  const changes = alive.map(({ bytes }) => bytes)
  const merged = materialiseRead([...here.values(), ...alive])
  if (merged.missing.length > 0) return { outcome: { is: 'incomplete' } }
  const declared = valueOf(kind, id, merged)
  const objection = fieldsObjection(merged.fields) ?? itemObjection(declared, types)
  if (objection !== undefined) return { outcome: { is: 'refused', ...objection } }
  const docState = here.size + alive.length > 1 ? merged.docState : undefined
  return { ready: { declared, changes, latest: stored.latest, docState, conflicts: conflictsIn(merged.conflicts) } }
}

/**
 * Materialises the complete changes of an item without other stored data; undefined when some are missing.
 * @throws Failure `corrupted-data` when one is damaged
 */
export function materialiseAll(kind: Item['kind'], id: string, bytes: readonly Uint8Array[]): AppliedChanges | undefined {
  const links = linksOf(bytes)
  const ordered = inOrder(links, () => false)
  if (ordered === undefined || ordered.length === 0) return undefined
  const merged = materialiseRead(ordered)
  if (merged.missing.length > 0) return undefined
  const changes = ordered.map((link) => link.bytes)
  return { declared: valueOf(kind, id, merged), changes, docState: changes.length > 1 ? merged.docState : undefined, conflicts: conflictsIn(merged.conflicts) }
}

/**
 * Returns the item of a materialised document.
 * @throws Failure `corrupted-data`
 */
export const valueOf = (kind: Item['kind'], id: string, { fields }: Materialised): Item => fieldsToItem(kind, id, fields)

const UNREPORTED_FIELDS = new Set(['modified', 'modifiedBy'])
const LISTS: Record<string, string> = { 'c:': 'clientData', 'p:': 'keys' }

/** Returns the fields of an item whose concurrent edits set different values. */
export function conflictsIn(conflicts: Materialised['conflicts']): string[] {
  const fields = new Set<string>()
  for (const [key, values] of Object.entries(conflicts)) {
    if (UNREPORTED_FIELDS.has(key) || new Set(values).size < 2) continue
    const prefix = key.charAt(1) === ':' ? key.slice(0, 2) : ''
    if (prefix === '') for (const field of key === 'body' ? bodyFields(values) : [key]) fields.add(field)
    // Members of lists differ only by their positions.
    else if (LISTS[prefix] !== undefined) fields.add(LISTS[prefix])
  }
  return [...fields].sort()
}

function bodyFields(bodies: readonly FieldValue[]): string[] {
  const types = new Set(bodies.map((body) => (fromJson(body) as { type?: unknown } | undefined)?.type))
  return types.size > 1 ? ['content', 'type'] : ['content']
}
