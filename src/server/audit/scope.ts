/** Formats the streams of a query for its audit record (docs/interface/audit.md#records). */
import type { ResolvedQuery } from '../../store/model/streamsQuery.js'

/** Maximum number and total length of stream ids listed; beyond, their number is recorded. */
const MAX_NAMED = 100
const MAX_NAMED_CHARACTERS = 8192

/**
 * Returns record members as JSON text after a comma: the streams selected by a query within the access's permissions, or
 * `*` for all.
 */
export function auditScope(queries: ResolvedQuery): string {
  const ids = new Set<string>()
  for (const { any } of queries) {
    if (!(any instanceof Set)) return ',"scopedStreamIds":["*"]'
    for (const id of any as ReadonlySet<string>) ids.add(id)
  }
  const named: string[] = []
  let characters = 0
  for (const id of ids) {
    characters += id.length
    if (named.length === MAX_NAMED || characters > MAX_NAMED_CHARACTERS) break
    named.push(id)
  }
  if (named.length === ids.size) return `,"scopedStreamIds":${JSON.stringify(named)}`
  return `,"scopedStreamIds":${JSON.stringify(named)},"scopedStreamCount":${ids.size}`
}
