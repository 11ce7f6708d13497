/** Fills an account through the interface, many items in one call. */
import type { Stage } from '../http/methodTable.js'

type Json = Record<string, unknown>

/** Calls methods by the owner, in order, in one batch; throws unless all succeed. Returns their results. */
export async function callAll(s: Stage, calls: [method: string, params: Json][]): Promise<Json[]> {
  const results: Json[] = []
  for (let at = 0; at < calls.length; at += 500) {
    const part = calls.slice(at, at + 500).map(([method, params]) => ({ method, params }))
    results.push(...((await s.arrange('callBatch', part))['results'] as Json[]))
  }
  const failed = results.findIndex((result) => 'error' in result)
  if (failed >= 0) throw new Error(`${JSON.stringify(calls[failed])} failed: ${JSON.stringify(results[failed])}`)
  return results
}

/**
 * Creates streams, written as `id` or `child<parent`, with a final `!` for one in the trash, and events by name: the name is
 * their content.
 */
export async function fill(s: Stage, streams: string[], events: Record<string, Json>): Promise<void> {
  const calls: [string, Json][] = []
  const trashed: [string, Json][] = []
  for (const text of streams) {
    const [id = '', parentId] = text.replace('!', '').split('<')
    calls.push(['streams.create', { id, name: id, ...(parentId === undefined ? {} : { parentId }) }])
    if (text.endsWith('!')) trashed.push(['streams.delete', { id }])
  }
  for (const [name, fields] of Object.entries(events)) {
    calls.push(['events.create', { type: 'test/name', content: name, ...fields }])
  }
  await callAll(s, [...calls, ...trashed])
}

/** Returns the names of the events of a result that `fill` created, in their order. */
export function namesIn(result: Json): string[] {
  const events = result['events'] as { content: unknown; type: string }[]
  const ordinary = events.filter(({ type }) => !/^(language|email|data-quantity)\//.test(type))
  return ordinary.map(({ content }) => String(content))
}
