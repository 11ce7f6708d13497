/**
 * Streams queries: select events by their streams (docs/interface/events.md#streams-queries). Parses client input;
 * streamsExpansion.ts expands it for one access and one tree.
 */
import { Failure } from './failure.js'
import { isJsonObject } from './json.js'
import { isReachedByStar } from './permission.js'
import { isSecretsStream, SECRETS_ROOT } from './sharedSecret.js'
import { hasForbiddenCharacter, isAccountStreamId, splitStorePrefix } from './slug.js'
import {
  coversAuditStream,
  createExpansion,
  reference,
  type Expansion,
  type ExpansionContext,
  type ResolvedStreamsQuery,
  type StreamsQuery,
} from './streamsExpansion.js'

export type { ExpansionContext, ResolvedStreamsQuery }

/** Queries of which an event must match at least one. Empty: nothing matches. */
export type ResolvedQuery = readonly ResolvedStreamsQuery[]

/**
 * Maximum number of streams named by the queries of one call or scope, without duplicates in a list. Each stream is
 * expanded, and each record is matched against all of them.
 */
export const MAX_NAMED_STREAMS = 1000

/** Maximum number of stream ids after expansion, or this multiple of the account's tree if greater. */
const MAX_EXPANDED = 100_000
const MAX_TREES_EXPANDED = 10

const unstructured = 'should be an array of streamIds or JSON logical query'

/**
 * Parses the `streams` parameter in every form of docs/interface/events.md#streams-queries: an id, ids (regrouped by store), a
 * query, queries, or the JSON text of one of these. Absent: everything readable. An empty array selects nothing. Duplicate
 * queries and ids are removed. In a query string, `raw` is a string, an array of strings, or the result of bracket syntax: of
 * that, an array of queries is accepted, and a single query is refused.
 * @throws Failure `invalid-request-structure`
 */
export function parseStreamsQuery(raw: unknown, transport: 'query' | 'json'): StreamsQuery[] {
  if (raw === undefined) return [{ any: ['*'], all: [], not: [] }]
  const structured = typeof raw === 'string' ? fromText(raw) : raw
  const items: unknown[] = Array.isArray(structured) ? structured : [structured]
  if (transport === 'query' && typeof raw === 'object' && !Array.isArray(raw)) throw refusal(unstructured)
  if (items.every((item) => typeof item === 'string')) {
    return bounded(byStore(items).map((any) => ({ any, all: [], not: [] }))).map(checked)
  }
  if (items.some((item) => typeof item === 'string')) throw refusal('streams queries and streamIds cannot be mixed')
  return bounded(items.map(toQuery)).map(checked)
}

/** Removes duplicate queries. @throws Failure `invalid-request-structure` when too many streams are left */
function bounded(queries: readonly StreamsQuery[]): StreamsQuery[] {
  const different = new Map<string, StreamsQuery>()
  let named = 0
  for (const { any, all, not } of queries) {
    const query = { any: [...new Set(any)], all: [...new Set(all)], not: [...new Set(not)] }
    const key = JSON.stringify(query)
    if (different.has(key)) continue
    different.set(key, query)
    named += query.any.length + query.all.length + query.not.length
    if (named > MAX_NAMED_STREAMS) throw refusal(`at most ${MAX_NAMED_STREAMS} streamIds can be named, each counted once in a list`)
  }
  return [...different.values()]
}

/** Parses the JSON text of a list or query; other texts are ids. Scalars but null stay ids, so a stream may be named 123. */
function fromText(text: string): unknown {
  const first = text.trimStart().charAt(0)
  if (text === 'null') return null
  if (first !== '[' && first !== '{' && first !== '"') return text
  try {
    const parsed: unknown = JSON.parse(text)
    return parsed
  } catch {
    throw refusal(unstructured)
  }
}

function byStore(ids: string[]): string[][] {
  const groups = new Map<string, string[]>()
  for (const id of ids) {
    const { store } = splitStorePrefix(id)
    const group = groups.get(store)
    if (group) group.push(id)
    else groups.set(store, [id])
  }
  return [...groups.values()]
}

function toQuery(item: unknown): StreamsQuery {
  if (!isJsonObject(item)) throw refusal(unstructured)
  const lists = new Map<string, string[]>()
  for (const [key, value] of Object.entries(item)) {
    if (value === undefined) continue
    if (key !== 'any' && key !== 'all' && key !== 'not') throw refusal(`unknown property '${key.slice(0, 50)}'`)
    if (!Array.isArray(value)) throw refusal(`'${key}' must be an array of streamIds`)
    if (!value.every((id) => typeof id === 'string')) throw refusal(`items of '${key}' must be streamIds`)
    lists.set(key, value)
  }
  const any = lists.get('any') ?? []
  if (any.length === 0) throw refusal("must contain at least one of 'any'")
  return { any, all: lists.get('all') ?? [], not: lists.get('not') ?? [] }
}

function checked(query: StreamsQuery): StreamsQuery {
  const { any, all, not } = query
  const ids = [...any, ...all, ...not]
  if (ids.some(hasForbiddenCharacter)) throw refusal('a streamId has a forbidden character')
  if (ids.some((id) => id === '#*' || id === '#*!' || id === '*!')) throw refusal("only '*' stands for all streams")
  if (all.includes('*') || not.includes('*')) throw refusal("'*' is only allowed in 'any'")
  if (any.includes('*') && any.length > 1) throw refusal("'*' must be the only item of 'any'")
  if (any.includes('*') && all.length > 0) throw refusal("'*' cannot be combined with 'all'")
  // '*' covers local and account streams, so that both can be excluded from it.
  const stores = new Set(ids.map((id) => splitStorePrefix(id).store))
  if (any.includes('*')) stores.delete('_system')
  if (stores.size > 1) throw refusal('all streamIds of one query must be in one store')
  return query
}

function refusal(reason: string): Failure {
  return new Failure('invalid-request-structure', `Error in 'streams' parameter: ${reason}`)
}

/**
 * Applies defaults, permissions, trash and the tree to parsed queries (docs/interface/events.md#streams-queries,
 * docs/interface/permissions.md#read-exclusions).
 * @throws Failure `unknown-referenced-resource` with `data.streams`, the unknown ids of `any`
 * @throws Failure `forbidden` when a stream of `any` is not readable
 * @throws Failure `invalid-request-structure` when the queries expand to too many streams
 */
export function resolveStreamsQuery(queries: readonly StreamsQuery[], context: ExpansionContext): ResolvedQuery {
  const expansion = createExpansion(context)
  const named = [...new Set(queries.flatMap((query) => query.any))]
  const judged = (verdict: string): string[] =>
    named.filter((text) => expansion.judge(text) === verdict).map((text) => reference(text).id)
  const unknown = judged('unknown')
  if (unknown.length > 0) {
    throw new Failure('unknown-referenced-resource', 'Some of the streams do not exist.', { streams: unknown })
  }
  if (judged('forbidden').length > 0) throw new Failure('forbidden', 'Some of the streams may not be read.')
  return resolvedIn(expansion, queries, Math.max(MAX_EXPANDED, MAX_TREES_EXPANDED * context.tree.size))
}

/**
 * Resolves queries that were valid once and outlive changes of the tree: members of `any` that no longer exist or are no
 * longer readable are ignored.
 */
export function resolveRemaining(queries: readonly StreamsQuery[], context: ExpansionContext): ResolvedQuery {
  const expansion = createExpansion(context)
  const remaining = queries.map((query) => ({
    ...query,
    any: query.any.filter((text) => expansion.judge(text) === 'fine'),
  }))
  return resolvedIn(expansion, remaining)
}

/** Checks whether a query names a stream in `any` that exists and is not readable. */
export function namesForbidden(queries: readonly StreamsQuery[], context: ExpansionContext): boolean {
  const expansion = createExpansion(context)
  return queries.some(({ any }) => any.some((text) => expansion.judge(text) === 'forbidden'))
}

function resolvedIn(expansion: Expansion, queries: readonly StreamsQuery[], max = Infinity): ResolvedQuery {
  const resolved: ResolvedStreamsQuery[] = []
  let expanded = 0
  for (const query of queries) {
    const one = expansion.resolve(query)
    resolved.push(one)
    expanded += expandedSize(one)
    if (expanded > max && resolved.length > 1) throw refusal('these queries expand to too many streams; name fewer, or split them into several calls')
  }
  for (const query of queries) {
    const tagged = expansion.resolveTagged(query)
    if (tagged !== undefined) resolved.push(tagged)
  }
  return resolved
}

function expandedSize({ any, all, not }: ResolvedStreamsQuery): number {
  const included = any === 'everything' ? 0 : 'except' in any ? any.except.size : any.size
  return all.reduce((sum, { size }) => sum + size, included + not.size)
}

const untagged = (): readonly string[] => []

/** Checks whether an event with these streams matches a resolved query. Tags are read only if they decide. */
export function matches(
  resolved: ResolvedQuery,
  streamIds: readonly string[],
  tags: () => readonly string[] = untagged,
): boolean {
  return resolved.some((query) => matchesOne(query, streamIds) && (query.tagged === undefined || query.tagged(tags())))
}

/** Checks whether an event with these streams matches one query, apart from its tags. */
export function matchesOne({ any, account, all, not }: ResolvedStreamsQuery, streamIds: readonly string[]): boolean {
  if (!streamIds.some((id) => isIn(any, account, id))) return false
  if (!all.every((set) => streamIds.some((id) => holds(set, id)))) return false
  // An audit stream named by `any` is not excluded by a list above it.
  const isExcluded = (id: string): boolean => not.has(id) || (holds(not, id) && !(any instanceof Set && any.has(id)))
  return not.size === 0 || !streamIds.some(isExcluded)
}

/** Checks whether the part `any` of a query covers a stream. */
export const coversStream = ({ any, account }: ResolvedStreamsQuery, id: string): boolean => isIn(any, account, id)

function isIn(any: ResolvedStreamsQuery['any'], account: ReadonlySet<string>, id: string): boolean {
  if (any !== 'everything') {
    if (!('except' in any)) return holds(any, id)
    if (any.except.has(id)) return false
  }
  if (!id.startsWith(':')) return true
  return isAccountStreamId(id) ? account.has(id) : isReachedByStar(id)
}

function holds(set: ReadonlySet<string>, id: string): boolean {
  if (set.has(id)) return true
  if (!id.startsWith(':')) return false
  return (id.startsWith(':_audit:') && coversAuditStream(set, id)) || (isSecretsStream(id) && set.has(SECRETS_ROOT))
}
