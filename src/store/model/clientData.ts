/** Client data: free key-value maps of apps on streams and events (specification, "Shared value types"). */
import type { ClientData } from './event.js'
import { invalidFormat } from './failure.js'

/** Maximum number of keys: each is a field of the CRDT document and costs microseconds per change. */
export const MAX_KEYS = 5000

function assertFewKeys(count: number): void {
  if (count <= MAX_KEYS) return
  const message = `Client data and profile sets have at most ${MAX_KEYS} keys.`
  throw invalidFormat([{ code: 'OBJECT_PROPERTIES_MAXIMUM', message, path: '#/', params: [MAX_KEYS] }])
}

/**
 * Applies an update to client data: a key is set, a null deletes its key, keys that are not mentioned stay, and null as
 * the whole update clears everything. Returns a new map in the order of its keys, or undefined when nothing
 * is left: empty is no client data.
 * Keys are in code-unit order, the order in which every copy of an item has them.
 * Serves events.update and streams.update (data supplement 2.6, 4.4).
 * @throws Failure `invalid-parameters-format` for more than MAX_KEYS keys
 */
export function mergeKeys(existing: ClientData | undefined, update: ClientData | null): ClientData | undefined {
  if (update === null) return undefined
  const merged = new Map(Object.entries(existing ?? {}))
  for (const [key, value] of Object.entries(update)) {
    if (value === null || value === undefined) merged.delete(key)
    else merged.set(key, value)
  }
  // Removing keys is allowed even above the limit.
  if (merged.size > Object.keys(existing ?? {}).length) assertFewKeys(merged.size)
  return merged.size === 0 ? undefined : inKeyOrder([...merged])
}

/** Client data of a new item: as `mergeKeys` makes them of none, so a null key is left out. Undefined when none are left. */
export const newKeys = (data: ClientData | null | undefined): ClientData | undefined =>
  data === null || data === undefined ? undefined : mergeKeys(undefined, data)

/** Client data without the keys that are null, in their order; the map itself where there are none. */
export function withoutNulls(data: ClientData): ClientData {
  const entries = Object.entries(data)
  return entries.some(([, value]) => value === null) ? Object.fromEntries(entries.filter(([, value]) => value !== null)) : data
}

/** Returns a map of entries in code-unit order of their keys. */
export function inKeyOrder(entries: [string, unknown][]): ClientData {
  // fromEntries defines own properties, so a key named __proto__ stays data.
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)))
}
