/**
 * Where edits met, and what was not taken, for the person who asks. What is kept says where alone; the values come from
 * the items' changes, so nothing lives on here that was deleted.
 */
import type { Account } from '../../store/account.js'
import { each } from '../../store/database.js'
import { accountKeys, under } from '../../store/keys.js'
import type { Store } from '../../store/store.js'
import { materialise } from '../document.js'
import type { ChangesEntry, Entry, ItemKind } from '../entry.js'

/** A field that was set on two nodes, neither knowing of the other. */
export interface MetField {
  field: string
  /** What every node shows. */
  shown: unknown
  others: unknown[]
}

export interface Conflict {
  kind: ItemKind
  id: string
  /** When this node learnt of it, in seconds. */
  at: number
  fields: MetField[]
}

export interface Refusal {
  kind: ItemKind
  id: string
  peer: number
  at: number
  reason: string
  message: string
}

/** A stream that is shown otherwise than its edits say. */
export interface Repaired {
  id: string
  shown: { name: string; parentId: string | null }
  says: { name?: string; parentId?: string | null }
}

export interface Met {
  conflicts: Conflict[]
  refused: Refusal[]
  repaired: Repaired[]
}

const KINDS: Readonly<Record<string, ItemKind>> = { e: 'event', s: 'stream', p: 'profile', a: 'access', m: 'series' }

const kindOf = (item: string): ItemKind => KINDS[item.charAt(0)] ?? 'event'

export type ReadItem = (store: Store, account: Account, item: { kind: ItemKind; id: string }) => Promise<Entry[]>

/** What met, what was refused and what was repaired in an account; at most `limit` of each. */
export async function readConflicts(store: Store, account: Account, readItem: ReadItem, limit: number): Promise<Met> {
  const { db, prefix, tree } = account
  const met: Met = { conflicts: [], refused: [], repaired: [] }
  const conflicts = accountKeys.conflicts(prefix)
  for await (const [key, text] of each(db.entries(under(conflicts), { limit }))) {
    const item = key.slice(conflicts.length)
    const { at, fields } = JSON.parse(text) as { at: number; fields: string[] }
    const about = { kind: kindOf(item), id: item.slice(1) }
    const values = await valuesOf(await readItem(store, account, about), fields)
    met.conflicts.push({ ...about, at, fields: values })
  }
  const refused = accountKeys.allRefused(prefix)
  for await (const [key, text] of each(db.entries(under(refused), { limit }))) {
    const rest = key.slice(refused.length)
    const slash = rest.indexOf('/')
    const { at, reason, message = '' } = JSON.parse(text) as { at: number; reason: string; message?: string }
    const item = rest.slice(slash + 1)
    met.refused.push({ kind: kindOf(item), id: item.slice(1), peer: Number.parseInt(rest.slice(0, slash), 36), at, reason, message })
  }
  const repaired = accountKeys.allUnrepaired(prefix)
  for await (const [key, text] of each(db.entries(under(repaired), { limit }))) {
    const id = key.slice(repaired.length)
    const stream = tree.get(id)
    if (stream === undefined) continue
    const says = JSON.parse(text) as Repaired['says']
    met.repaired.push({ id, shown: { name: stream.name, parentId: stream.parentId ?? null }, says })
  }
  return met
}

async function valuesOf(entries: readonly Entry[], names: readonly string[]): Promise<MetField[]> {
  const changes = entries.filter((entry): entry is ChangesEntry => 'changes' in entry).flatMap((entry) => entry.changes)
  if (changes.length === 0) return names.map((field) => ({ field, shown: null, others: [] }))
  const { fields, conflicts } = materialise(changes)
  return names.map((field) => {
    const shown = fields[field] ?? null
    const all = conflicts[field] ?? []
    return { field, shown, others: all.filter((value) => value !== shown) }
  })
}
