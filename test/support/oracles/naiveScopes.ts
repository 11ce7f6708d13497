/**
 * Naive matching of scopes, from docs/interface/notifications.md#scopes: nothing compiled, each state of each item tested in
 * the tree before the changes and in the tree after them.
 */
import type { Access, StreamPermission } from '../../../src/store/model/access.js'
import type { Event } from '../../../src/store/model/event.js'
import { naiveGet, type Condition, type StreamsQuery } from './naiveEvents.js'
import { lineOf, mayWithStream } from './naivePermissions.js'

/** Parents of all streams at one time. */
export type Parents = ReadonlyMap<string, string | null>

export interface NaiveScope {
  kind: 'events' | 'streams' | 'accesses'
  query: {
    streams?: string[] | StreamsQuery[]
    types?: string[]
    content?: Condition[]
    accessIds?: string[]
  }
}

/** Change of an item, with its states before and after. */
export type NaiveChange =
  | { kind: 'event'; states: Event[] }
  | { kind: 'access'; states: Access[] }
  | { kind: 'stream'; id: string; parents: (string | null)[] }

/** Permissions; null for a personal access. */
export type Permissions = StreamPermission[] | null

const grantOf = (permissions: Permissions): { accessId: string; permissions: StreamPermission[] | undefined } => ({
  accessId: 'x',
  permissions: permissions ?? undefined,
})

const bare = (id: string): string => id.replace('!', '')

/** Returns the reason for which a scope of an access is refused; undefined when it is accepted. */
export function naiveRefusal({ kind, query }: NaiveScope, permissions: Permissions, parents: Parents): string | undefined {
  if (kind === 'accesses' && permissions !== null) return 'forbidden'
  const named = namedIn(query).filter((id) => id !== '*')
  if (named.some((id) => !parents.has(bare(id)))) return 'unknown-referenced-resource'
  return named.some((id) => !isOpen(kind, bare(id), permissions, parents)) ? 'forbidden' : undefined
}

/** Tests whether an existing scope is dropped. */
export const naiveDrop = (scope: NaiveScope, permissions: Permissions, parents: Parents): boolean =>
  (scope.kind === 'accesses' && permissions !== null) ||
  namedIn(scope.query).some((id) => id !== '*' && parents.has(bare(id)) && !isOpen(scope.kind, bare(id), permissions, parents))

const namedIn = ({ streams = [] }: NaiveScope['query']): string[] =>
  streams.flatMap((one) => (typeof one === 'string' ? [one] : one.any))

const isOpen = (kind: NaiveScope['kind'], id: string, permissions: Permissions, parents: Parents): boolean =>
  mayWithStream(grantOf(permissions), kind === 'streams' ? 'list' : 'read', id, parents)

/** Tests whether a scope matches a change between two trees. */
export function naiveMatch(scope: NaiveScope, permissions: Permissions, change: NaiveChange, parentMaps: Parents[]): boolean {
  if (`${change.kind}${change.kind === 'access' ? 'es' : 's'}` !== scope.kind) return false
  return parentMaps.some((parents) => {
    if (change.kind === 'event') return change.states.some((event) => isEventIn(scope, permissions, event, parents))
    if (change.kind === 'access') return change.states.some((access) => isAccessIn(scope, access, parents))
    return isStreamIn(scope, permissions, change, parents)
  })
}

function isEventIn({ query }: NaiveScope, permissions: Permissions, event: Event, parents: Parents): boolean {
  if (event.streamIds.some((id) => !parents.has(id))) return false
  const isLeft = (id: string): boolean =>
    id === '*' || (parents.has(bare(id)) && isOpen('events', bare(id), permissions, parents))
  const streams = query.streams
    ?.map((one) => (typeof one === 'string' ? one : { ...one, any: one.any.filter(isLeft) }))
    .filter((one) => (typeof one === 'string' ? isLeft(one) : one.any.length > 0)) as typeof query.streams
  const known = {
    streams: [...parents].map(([id, parentId]) => ({ id, parentId })),
    permissions,
    events: [event],
    deletions: [],
    now: 0,
  }
  const asked = { ...query, ...(streams === undefined ? {} : { streams }), state: 'all' as const }
  const { refusal, events } = naiveGet(known, asked)
  if (refusal !== undefined) throw new Error(refusal)
  return events.length > 0
}

/** Tests whether a list of ids includes a stream, by itself or an ancestor. */
function isInList(streams: readonly string[], id: string, parents: Parents): boolean {
  return streams.some((one) => (one.endsWith('!') ? one === `${id}!` : lineOf(id, parents).includes(one)))
}

function isStreamIn(
  { query }: NaiveScope,
  permissions: Permissions,
  { id, parents }: { id: string; parents: (string | null)[] },
  tree: Parents,
): boolean {
  const isShown = (one: string): boolean => tree.has(one) && isOpen('streams', one, permissions, tree)
  if (!isShown(id)) return false
  const streams = (query.streams as string[] | undefined)?.filter((one) => isShown(bare(one)))
  if (streams === undefined) return true
  return [id, ...parents].some((one) => one !== null && isShown(one) && isInList(streams, one, tree))
}

function isAccessIn({ query }: NaiveScope, access: Access, parents: Parents): boolean {
  const { streams, types, accessIds } = query
  if (types !== undefined && !types.includes(access.type)) return false
  if (accessIds !== undefined && !accessIds.includes(access.id)) return false
  const named = (streams as string[] | undefined)?.filter((one) => parents.has(bare(one)))
  const granted = (access.permissions ?? []).flatMap((one) => ('streamId' in one ? [one.streamId] : []))
  return named === undefined || granted.some((id) => parents.has(id) && isInList(named, id, parents))
}
