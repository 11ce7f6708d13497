/**
 * Merge state of an account, in memory and in records, as local changes depend on it: declared places of streams and
 * events that tree repair shows elsewhere, conflicts, refusals. Empty, and free of cost, while copies agree.
 */
import type { Transaction } from './account.js'
import { each, type Database } from './database.js'
import { accountKeys, under } from './keys.js'
import type { Seconds } from '../model/event.js'
import type { EffectivePlace } from '../model/treeRepair.js'
import { emptyMergeState, type MergeState } from './mergeStateMaps.js'

/** Reads the merge state of an account. */
export async function readMergeState(db: Database, account: string): Promise<MergeState> {
  const state = emptyMergeState()
  for await (const [key, text] of each(db.entries(under(accountKeys.allDeclaredPlaces(account))))) {
    state.declaredPlace.set(key.slice(accountKeys.allDeclaredPlaces(account).length), JSON.parse(text) as EffectivePlace)
  }
  for await (const key of each(db.keys(under(accountKeys.unplacedEvents(account))))) {
    const [stream = '', event = ''] = key.slice(accountKeys.unplacedEvents(account).length).split('/')
    add(state.unplacedEvents, stream, event)
  }
  for await (const key of each(db.keys(under(accountKeys.conflicts(account))))) {
    state.conflicts.add(key.slice(accountKeys.conflicts(account).length))
  }
  for await (const [key, text] of each(db.entries(under(accountKeys.allRefused(account))))) {
    const [peer = '', item = ''] = key.slice(accountKeys.allRefused(account).length).split('/')
    const { reason } = JSON.parse(text) as Refusal
    state.refused.set(item, (state.refused.get(item) ?? new Map<number, string>()).set(Number.parseInt(peer, 36), reason))
  }
  for await (const key of each(db.keys(under(accountKeys.allAside(account))))) {
    const [peer = '', item = ''] = key.slice(accountKeys.allAside(account).length).split('/')
    add(state.aside, item, Number.parseInt(peer, 36))
  }
  return state
}

function add<K, V>(sets: Map<K, Set<V>>, key: K, value: V): void {
  const set = sets.get(key)
  if (set === undefined) sets.set(key, new Set([value]))
  else set.add(value)
}

function remove<K, V>(sets: Map<K, Set<V>>, key: K, value: V): void {
  const set = sets.get(key)
  set?.delete(value)
  if (set?.size === 0) sets.delete(key)
}

/** Records the declared place of a stream that is shown elsewhere; undefined removes the record. */
export function recordDeclaredPlace(t: Transaction, stream: string, declared: EffectivePlace | undefined): void {
  const { declaredPlace } = t.mergeState
  const former = declaredPlace.get(stream)
  if (declared === undefined && former === undefined) return
  const key = accountKeys.declaredPlace(t.account, stream)
  if (declared === undefined) t.delete(key)
  else t.put(key, JSON.stringify({ name: declared.name, parentId: declared.parentId }))
  if (declared === undefined) declaredPlace.delete(stream)
  else declaredPlace.set(stream, declared)
  t.onUndo(() => (former === undefined ? declaredPlace.delete(stream) : declaredPlace.set(stream, former)))
}

/** Records the missing streams that an event declares, in place of earlier ones. */
export function recordUnplacedEvent(t: Transaction, event: string, streams: readonly string[]): void {
  const { unplacedEvents } = t.mergeState
  if (unplacedEvents.size === 0 && streams.length === 0) return
  const former = [...unplacedEvents].filter(([, events]) => events.has(event)).map(([stream]) => stream)
  for (const stream of former) {
    if (streams.includes(stream)) continue
    t.delete(accountKeys.unplacedEvent(t.account, stream, event))
    remove(unplacedEvents, stream, event)
    t.onUndo(() => void add(unplacedEvents, stream, event))
  }
  for (const stream of streams) {
    if (former.includes(stream)) continue
    t.put(accountKeys.unplacedEvent(t.account, stream, event), '')
    add(unplacedEvents, stream, event)
    t.onUndo(() => void remove(unplacedEvents, stream, event))
  }
}

/** Conflicts of an item: `repair` lists fields changed by tree repair, `edits` fields with conflicting concurrent edits. */
interface ConflictingEdits {
  edits: readonly string[]
  repair: readonly string[]
}

/** Stored conflict of an item, without content. */
export interface Conflict {
  /** Time of detection, in seconds. */
  at: Seconds
  /** Names of fields that concurrent edits set differently. */
  fields: string[]
  /** Names of fields changed by tree repair; a field may be in both lists. */
  repaired?: string[]
}

/** Records the conflicts of an item, or removes the record when there are none. Absent parts keep their stored value. */
export function noteConflict(t: Transaction, item: string, conflicting: Partial<ConflictingEdits>, at: Seconds): void {
  const { conflicts } = t.mergeState
  const had = conflicts.has(item)
  if (!had && (conflicting.edits ?? []).length === 0 && (conflicting.repair ?? []).length === 0) return
  const key = accountKeys.conflict(t.account, item)
  const text = had ? t.get(key) : undefined
  const former = text === undefined ? undefined : (JSON.parse(text) as Conflict)
  const repaired = [...(conflicting.repair ?? former?.repaired ?? [])].sort()
  const fields = [...(conflicting.edits ?? former?.fields ?? [])].sort()
  if (fields.length === 0 && repaired.length === 0) {
    t.delete(key)
    conflicts.delete(item)
    t.onUndo(() => void (had && conflicts.add(item)))
    return
  }
  const isSame = former?.fields.join() === fields.join() && (former.repaired ?? []).join() === repaired.join()
  const next: Conflict = { at: isSame ? former.at : at, fields, ...(repaired.length > 0 ? { repaired } : {}) }
  t.put(key, JSON.stringify(next))
  conflicts.add(item)
  t.onUndo(() => void (had || conflicts.delete(item)))
}

/** Stored refusal of a remote change: the entry and the reason. */
interface Refusal {
  reason: string
  message: string
  /** Seconds. */
  at: Seconds
  /** The refused entry, unless it is too long to store; see sync/merge. */
  entry?: unknown
}

/** Maximum number of items with stored refusals per account, so that a faulty peer cannot fill the disk. */
export const MAX_REFUSED = 1000

/** Records a refusal for an item; above MAX_REFUSED items, drops the oldest. */
export function noteRefusal(t: Transaction, peer: number, item: string, refusal: Refusal): void {
  t.put(accountKeys.refused(t.account, peer, item), JSON.stringify(refusal))
  const { refused } = t.mergeState
  const former = refused.get(item)?.get(peer)
  setReason(refused, item, peer, refusal.reason)
  t.onUndo(() => setReason(refused, item, peer, former))
  const [earliest] = refused.keys()
  if (refused.size > MAX_REFUSED && earliest !== undefined) forgetRefusals(t, earliest)
}

/** Removes the refusals of an item, from one peer or from all. */
export function forgetRefusals(t: Transaction, item: string, from?: number): void {
  const { refused } = t.mergeState
  for (const [peer, reason] of [...(refused.get(item) ?? [])]) {
    if (from !== undefined && from !== peer) continue
    t.delete(accountKeys.refused(t.account, peer, item))
    setReason(refused, item, peer, undefined)
    t.onUndo(() => setReason(refused, item, peer, reason))
  }
}

function setReason(refused: MergeState['refused'], item: string, peer: number, reason: string | undefined): void {
  const peers = refused.get(item) ?? new Map<number, string>()
  if (reason === undefined) peers.delete(peer)
  else peers.set(peer, reason)
  if (peers.size === 0) refused.delete(item)
  else refused.set(item, peers)
}

/** Prefix of deleted items in `aside`: their deletion cannot be sent either. */
export const ASIDE_DELETED = '!'

/** Records that an item is not exchanged with a peer; above MAX_REFUSED items, drops the oldest. */
export function noteAside(t: Transaction, peer: number, item: string, { reason, message, at }: Omit<Refusal, 'entry'>): void {
  t.put(accountKeys.aside(t.account, peer, item), JSON.stringify({ reason, message, at }))
  const { aside } = t.mergeState
  if (aside.get(item)?.has(peer) === true) return
  add(aside, item, peer)
  t.onUndo(() => void remove(aside, item, peer))
  const [earliest] = aside.keys()
  if (aside.size > MAX_REFUSED && earliest !== undefined) forgetAside(t, earliest)
}

/** Removes the record that an item is not exchanged, for one peer or for all. */
export function forgetAside(t: Transaction, item: string, from?: number): void {
  const { aside } = t.mergeState
  for (const peer of [...(aside.get(item) ?? [])]) {
    if (from !== undefined && from !== peer) continue
    t.delete(accountKeys.aside(t.account, peer, item))
    remove(aside, item, peer)
    t.onUndo(() => void add(aside, item, peer))
  }
}

/** Removes all merge state of a deleted item. */
export function forgetMergeState(t: Transaction, item: string): void {
  forgetRefusals(t, item)
  forgetAside(t, item)
  noteConflict(t, item, { edits: [], repair: [] }, 0)
  if (item.startsWith('e')) recordUnplacedEvent(t, item.slice(1), [])
  else if (item.startsWith('s')) recordDeclaredPlace(t, item.slice(1), undefined)
}
