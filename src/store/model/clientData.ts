/** Client data: free key-value maps of apps on streams and events (docs/interface/events.md#fields). */
import type { ClientData } from './event.js'
import { invalidFormat } from './failure.js'

/** Maximum number of keys: each is a field of the CRDT document and costs microseconds per change. */
const MAX_KEYS = 5000

function assertFewKeys(count: number): void {
  if (count <= MAX_KEYS) return
  const message = `Client data and profile sets have at most ${MAX_KEYS} keys.`
  throw invalidFormat([{ code: 'OBJECT_PROPERTIES_MAXIMUM', message, path: '#/', params: [MAX_KEYS] }])
}

/**
 * Applies an update to client data: sets keys, deletes keys whose value is null, and keeps the other keys; null as the whole
 * update clears everything. Returns a new map, or undefined when it is empty. Keys are in code-unit order, the same on every
 * replica. Serves events.update and streams.update (docs/interface/events.md#updates, docs/interface/streams.md#updates).
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

/** Returns the client data of a new item, without null keys; undefined when none are left. */
export const newKeys = (data: ClientData | null | undefined): ClientData | undefined =>
  data === null || data === undefined ? undefined : mergeKeys(undefined, data)

/** Removes the keys that are null, keeping the order; returns the map itself if there are none. */
export function withoutNulls(data: ClientData): ClientData {
  const entries = Object.entries(data)
  return entries.some(([, value]) => value === null) ? Object.fromEntries(entries.filter(([, value]) => value !== null)) : data
}

/** Builds a map with keys in code-unit order. */
export function inKeyOrder(entries: [string, unknown][]): ClientData {
  // fromEntries defines own properties, so a key named __proto__ stays data.
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)))
}
