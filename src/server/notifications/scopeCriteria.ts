/**
 * Criteria of notification scopes, for changes of events, streams or accesses (docs/interface/notifications.md#scopes). A query
 * is parsed once; its meaning depends on a view, an access with one state of the stream tree.
 */
import * as z from 'zod'
import type { JournalDetail } from '../../store/engine/journal.js'
import { parseAccessId, type Access } from '../../store/model/access.js'
import type { Event } from '../../store/model/event.js'
import { Failure } from '../../store/model/failure.js'
import { allowsReading, mayList, type Scope } from '../../store/model/permission.js'
import { isAccountStreamId, splitStorePrefix } from '../../store/model/slug.js'
import {
  matches,
  namesForbidden,
  parseStreamsQuery,
  resolveRemaining,
  resolveStreamsQuery,
  type ExpansionContext,
  type ResolvedQuery,
} from '../../store/model/streamsQuery.js'
import { parseInput } from '../../store/model/validation.js'
import { filterShape, conditionsFilter, typeFilter } from '../api/events/filterInput.js'

/** An access and a stream tree. Trashed items are visible, since trashing must be notified. */
export type View = Pick<ExpansionContext, 'scope' | 'tree' | 'systemStreams'>

/** A parsed query. */
export interface Criterion {
  /**
   * Checks the references of a new scope.
   * @throws Failure `unknown-referenced-resource`, `forbidden`
   */
  check(view: View): void
  /** True when the access may not have such a scope, new or existing. Deleted references forbid nothing. */
  isForbidden(view: View): boolean
  /**
   * Checks whether a change matches: its item, before or after, as seen in any of the views (at least one). Streams in the query
   * that a view does not contain or show match nothing there.
   */
  matches(change: JournalDetail, views: readonly View[]): boolean
}

export type ScopeKind = 'events' | 'streams' | 'accesses'

const ofKind: Record<ScopeKind, (query: unknown) => Criterion> = { events, streams, accesses }

export const isScopeKind = (kind: unknown): kind is ScopeKind => typeof kind === 'string' && Object.hasOwn(ofKind, kind)

/** Cache of parsed queries, shared by connections with the same query. */
const known = new Map<string, Criterion>()
const MAX_KNOWN = 1000
const MAX_KNOWN_LENGTH = 1000

/**
 * Parses the query of a scope.
 * @throws Failure `invalid-parameters-format`, `invalid-request-structure`
 */
export function criterionOf(kind: ScopeKind, query: unknown): Criterion {
  const text = kind + JSON.stringify(query)
  const found = known.get(text)
  if (found !== undefined) return found
  const criterion = ofKind[kind](query)
  if (text.length > MAX_KNOWN_LENGTH) return criterion
  if (known.size >= MAX_KNOWN) known.clear()
  known.set(text, criterion)
  return criterion
}

const contextOf = (view: View): ExpansionContext => ({ ...view, state: 'all' })

/** Memoises a function by view. */
function perView<T>(work: (view: View) => T): (view: View) => T {
  const cache = new WeakMap<View, T>()
  return (view) => {
    const found = cache.get(view)
    if (found !== undefined) return found
    const result = work(view)
    cache.set(view, result)
    return result
  }
}

const EventsInput = z.strictObject(filterShape)

function events(query: unknown): Criterion {
  const input = parseInput(EventsInput, query)
  const named = parseStreamsQuery(input.streams, 'json')
  const isOfType = input.types === undefined ? undefined : typeFilter(input.types)
  const meetsConditions = conditionsFilter(input)
  const resolvedIn = perView((view) => resolveRemaining(named, contextOf(view)))
  const isIn = (event: Event, view: View): boolean => matches(resolvedIn(view), event.streamIds, () => event.tags)
  const isWanted = (event: Event | undefined, views: readonly View[]): boolean =>
    event !== undefined &&
    (isOfType === undefined || isOfType(event.type)) &&
    viewsOf(event, views).some((view) => isIn(event, view)) &&
    (meetsConditions === undefined || meetsConditions(event))
  return {
    check: (view) => void resolveStreamsQuery(named, contextOf(view)),
    isForbidden: perView((view) => namesForbidden(named, contextOf(view))),
    matches: ({ event }, views) => event !== undefined && (isWanted(event.before, views) || isWanted(event.after, views)),
  }
}

/**
 * Returns the views that contain every stream of an event; others may be wrong about it, since parent streams can hide it. If no
 * view contains a stream, a pending change deleted it; then an access without hidden streams is judged by the remaining ones.
 */
function viewsOf({ streamIds }: Event, views: readonly View[]): readonly View[] {
  const knows = ({ tree }: View): boolean =>
    streamIds.every((id) => tree.has(id) || splitStorePrefix(id).store !== 'local')
  const knowing = views.filter(knows)
  return knowing.length > 0 ? knowing : views.filter(({ scope }) => !hidesSome(scope))
}

/** Checks whether some streams may exclude their events from what the access reads elsewhere. */
function hidesSome({ levels }: Scope): boolean {
  for (const [id, level] of levels) if (!allowsReading(level) && !isAccountStreamId(id)) return true
  return false
}

const StreamsInput = z.strictObject({ streams: z.unknown().optional() })

function streams(query: unknown): Criterion {
  const input = parseInput(StreamsInput, query)
  const named = input.streams === undefined ? undefined : parseStreamsQuery(input.streams, 'json')
  const resolvedIn = perView((view) => named && resolveRemaining(named, listingOf(view)))
  return {
    check(view) {
      if (named !== undefined) resolveStreamsQuery(named, listingOf(view))
    },
    isForbidden: perView((view) => named !== undefined && namesForbidden(named, listingOf(view))),
    matches({ stream }, views) {
      const { before, after } = stream ?? {}
      const id = (after ?? before)?.id
      if (id === undefined) return false
      return views.some((view) => {
        if (!view.tree.has(id) || !mayList(view.scope, id, view.tree)) return false
        const resolved = resolvedIn(view)
        return resolved === undefined || [id, before?.parentId, after?.parentId].some((one) => isAmong(resolved, one))
      })
    },
  }
}

const isAmong = (resolved: ResolvedQuery, id: string | null | undefined): boolean => id != null && matches(resolved, [id])

/** Returns the view of stream listings, which include streams where the access may only create events. */
function listingOf(view: View): ExpansionContext {
  const { scope } = view
  const levels = new Map([...scope.levels].map(([id, level]) => [id, level === 'create-only' ? 'read' : level]))
  return contextOf({ ...view, scope: { ...scope, levels, tags: new Map(), forcedStreams: [] } })
}

const AccessesInput = z.strictObject({
  streams: z.unknown().optional(),
  types: z.array(z.enum(['personal', 'app', 'shared'])).optional(),
  accessIds: z.array(z.string()).optional(),
})

function accesses(query: unknown): Criterion {
  const input = parseInput(AccessesInput, query)
  if (input.streams === undefined && input.types === undefined && input.accessIds === undefined) {
    throw new Failure('invalid-request-structure', 'A scope of accesses requires streams, types or accessIds.')
  }
  const named = input.streams === undefined ? undefined : parseStreamsQuery(input.streams, 'json')
  const types = input.types && new Set(input.types)
  const ids = input.accessIds && new Set(input.accessIds.map((id) => parseAccessId(id).base))
  const resolvedIn = perView((view) => named && resolveRemaining(named, contextOf(view)))
  const isAbout = ({ permissions = [] }: Access, view: View): boolean => {
    const resolved = resolvedIn(view)
    return (
      resolved === undefined ||
      permissions.some((permission) => 'streamId' in permission && matches(resolved, [permission.streamId]))
    )
  }
  const isWanted = (access: Access | undefined, views: readonly View[]): boolean =>
    access !== undefined &&
    types?.has(access.type) !== false &&
    ids?.has(access.id) !== false &&
    views.some((view) => isAbout(access, view))
  return {
    check(view) {
      if (!view.scope.personal) throw new Failure('forbidden', 'Scopes of accesses require a personal access.')
      if (named !== undefined) resolveStreamsQuery(named, contextOf(view))
    },
    isForbidden: ({ scope }) => !scope.personal,
    matches: ({ access }, views) =>
      access !== undefined && (isWanted(access.before, views) || isWanted(access.after, views)),
  }
}
