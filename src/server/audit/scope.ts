/** What the record of a query tells of its streams (data supplement 13.1). */
import type { ResolvedQuery } from '../../store/model/streamsQuery.js'

/** So many streams are named; beyond, their number is. */
const MOST_NAMED = 100

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
  if (ids.size <= MOST_NAMED) return `,"scopedStreamIds":${JSON.stringify([...ids])}`
  const named = [...ids].slice(0, MOST_NAMED)
  return `,"scopedStreamIds":${JSON.stringify(named)},"scopedStreamCount":${ids.size}`
}
