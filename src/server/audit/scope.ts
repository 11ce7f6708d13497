/** What the record of a query tells of its streams (data supplement 13.1). */
import type { ResolvedQuery } from '../../store/model/streamsQuery.js'

/** So many streams are named, in so many characters; beyond, their number is. */
const MAX_NAMED = 100
const MAX_NAMED_CHARACTERS = 8192

/**
 * Members of a record's content, as JSON text after a comma: the streams that a query came to with the permissions of
 * its access, or `*` for everything.
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
