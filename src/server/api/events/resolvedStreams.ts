/**
 * Resolves the streams of queries, and keeps the results of small ones per access until the account's tree changes: resolving takes
 * a fifteenth of a query of 20 events.
 */
import type { Scope } from '../../../store/model/permission.js'
import { parseStreamsQuery, resolveStreamsQuery, type ExpansionContext, type ResolvedQuery } from '../../../store/model/streamsQuery.js'

/** Results for one version of a tree. */
interface ResolvedQueries {
  version: object
  queries: Map<string, ResolvedQuery>
}

const kept = new WeakMap<Scope, ResolvedQueries>()

/** Maximum number of kept queries of an access; then all are dropped. */
const MAX_QUERIES = 32
/** Maximum number of characters of a kept query, and of stream ids in its result. */
const MAX_TEXT = 500
const MAX_STREAMS = 500

/**
 * Returns the resolved form of the parameter `streams`. `context.systemStreams` is the same for all queries of a scope.
 * @throws Failure as `parseStreamsQuery` and `resolveStreamsQuery`
 */
export function resolvedStreams(streams: unknown, transport: 'query' | 'json', context: ExpansionContext): ResolvedQuery {
  const { scope, tree, state } = context
  const key = `${transport}/${state}/${streams === undefined ? '' : JSON.stringify(streams)}`
  let known = kept.get(scope)
  if (known?.version !== tree.version) {
    known = { version: tree.version, queries: new Map() }
    kept.set(scope, known)
  }
  let found = known.queries.get(key)
  if (found === undefined) {
    found = resolveStreamsQuery(parseStreamsQuery(streams, transport), context)
    if (known.queries.size >= MAX_QUERIES) known.queries.clear()
    if (key.length <= MAX_TEXT && sizeOf(found) <= MAX_STREAMS) known.queries.set(key, found)
  }
  return found
}

/** Returns the number of stream ids in a resolved query. */
function sizeOf(queries: ResolvedQuery): number {
  let size = 0
  for (const { any, account, all, not } of queries) {
    size += any === 'everything' ? 0 : 'except' in any ? any.except.size : any.size
    size += account.size + not.size
    for (const set of all) size += set.size
  }
  return size
}
