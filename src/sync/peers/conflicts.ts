/**
 * Reports conflicting edits, refused entries and repairs of an account. Only the location of a conflict is stored. Its
 * values are read from the changes of the item, or the causal state of the access, so deleted values are not kept here.
 */
import { isDeepStrictEqual } from 'node:util'
import type { Account } from '../../store/engine/account.js'
import { each } from '../../store/engine/database.js'
import { accountKeys, under } from '../../store/engine/keys.js'
import type { Conflict as Note } from '../../store/engine/mergeState.js'
import type { Store } from '../../store/index.js'
import { contestedFields } from '../../store/model/accessMerge.js'
import { materialise } from '../crdt/document.js'
import { fromJson } from '../crdt/fieldText.js'
import { createEditFinder, type ValueEdit } from './valueEdits.js'
import { parseItemKey, type ChangesEntry, type Entry, type ItemKind, type ItemRef } from '../wire/entry.js'

/** A field that was set concurrently on two nodes. */
export interface ConflictingField {
  field: string
  /** Value in effect on every node. */
  shown: unknown
  others: unknown[]
  /** Edits that set the values: of the effective one, then of the others; absent for accesses. */
  edits?: ValueEdit[]
}

interface Conflict {
  kind: ItemKind
  id: string
  /** Time at which this node detected it, in seconds. */
  at: number
  fields: ConflictingField[]
}

interface Refusal {
  kind: ItemKind
  id: string
  peer: number
  at: number
  reason: string
  message: string
}

/** A stream whose effective place differs from its declared one. */
interface Repaired {
  id: string
  shown: { name: string; parentId: string | null }
  says: { name?: string; parentId?: string | null }
}

export interface Conflicts {
  conflicts: Conflict[]
  refused: Refusal[]
  repaired: Repaired[]
  /** An item that could not be sent to a peer, or that it refused, because of a limit. */
  putAside: Refusal[]
}

type ReadItem = (store: Store, account: Account, item: ItemRef) => Promise<Entry[]>

/** Reads conflicts, refusals and repairs of an account; at most `limit` of each. */
export async function readConflicts(store: Store, account: Account, readItem: ReadItem, limit: number): Promise<Conflicts> {
  const { db, prefix, tree } = account
  const found: Conflicts = { conflicts: [], refused: [], repaired: [], putAside: [] }
  const conflicts = accountKeys.conflicts(prefix)
  for await (const [key, text] of each(db.entries(under(conflicts), { limit }))) {
    const item = key.slice(conflicts.length)
    // Changes by the tree repair are listed as repairs.
    const { at, fields } = JSON.parse(text) as Note
    const about = parseItemKey(item)
    if (fields.length === 0 || about === undefined) continue
    const values = await valuesOf(await readItem(store, account, about), fields)
    // Concurrent edits with equal or deleted values are omitted.
    if (values.length === 0) continue
    found.conflicts.push({ ...about, at, fields: values })
  }
  found.refused.push(...(await refusalsIn(account, accountKeys.allRefused(prefix), limit)))
  found.putAside.push(...(await refusalsIn(account, accountKeys.allAside(prefix), limit)))
  const repaired = accountKeys.allDeclaredPlaces(prefix)
  for await (const [key, text] of each(db.entries(under(repaired), { limit }))) {
    const id = key.slice(repaired.length)
    const stream = tree.get(id)
    if (stream === undefined) continue
    const label = JSON.parse(text) as Repaired['says']
    found.repaired.push({ id, shown: { name: stream.name, parentId: stream.parentId ?? null }, says: label })
  }
  return found
}

/** Reads a family of refusals by peer and item; omits deleted items. */
async function refusalsIn({ db }: Account, family: string, limit: number): Promise<Refusal[]> {
  const found: Refusal[] = []
  for await (const [key, text] of each(db.entries(under(family), { limit }))) {
    const rest = key.slice(family.length)
    const slash = rest.indexOf('/')
    const { at, reason, message = '' } = JSON.parse(text) as { at: number; reason: string; message?: string }
    const about = parseItemKey(rest.slice(slash + 1))
    if (about !== undefined) found.push({ ...about, peer: Number.parseInt(rest.slice(0, slash), 36), at, reason, message })
  }
  return found
}

async function valuesOf(entries: readonly Entry[], names: readonly string[]): Promise<ConflictingField[]> {
  const [first] = entries
  if (first?.kind === 'access') return contestedFields(first.access)
  const changes = entries.filter((entry): entry is ChangesEntry => 'changes' in entry).flatMap((entry) => entry.changes)
  if (changes.length === 0) return []
  const { fields, conflicts, conflictOps } = materialise(changes)
  const editOf = createEditFinder(changes)
  return names.flatMap((field) => {
    const keys = keysOf(field, Object.keys(conflicts))
    return keys.map((key): ConflictingField => {
      const effective = valueIn(field, fields[key])
      const edits = (conflictOps[key] ?? []).map(editOf)
      const others = (conflicts[key] ?? []).flatMap((value, at) => {
        const other = { value: valueIn(field, value), edit: edits[at] }
        // Two bodies may have the same type or content.
        return value === fields[key] || isDeepStrictEqual(other.value, effective) ? [] : [other]
      })
      const known = [edits.at(-1), ...others.map(({ edit }) => edit)].filter((edit) => edit !== undefined)
      return {
        field: key === 'body' ? field : key,
        shown: effective,
        others: others.map(({ value }) => value),
        ...(known.length === others.length + 1 ? { edits: known } : {}),
      }
    })
  }).filter(({ others }) => others.length > 0)
}

/** Returns the document keys of a conflicting field; each member of client data has its own. */
function keysOf(field: string, met: readonly string[]): string[] {
  if (field === 'content' || field === 'type') return ['body']
  return field === 'clientData' ? met.filter((key) => key.startsWith('c:')) : [field]
}

/** Returns the API value of a field from that of its key. */
function valueIn(field: string, value: unknown): unknown {
  if (field === 'content' || field === 'type') {
    const body = fromJson(value) as Record<string, unknown> | undefined
    return body?.[field] ?? null
  }
  return field === 'clientData' ? (fromJson(value) ?? null) : (value ?? null)
}
