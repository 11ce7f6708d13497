/**
 * What a scope asks, by its kind: which changes of events, streams or accesses (data supplement 8.2). A query is read
 * once; what it means depends on a view, that is, on an access and on one state of the tree of streams.
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
import { filterShape, conditionsFilter, typeFilter } from '../events/filterInput.js'

/** Who looks, and at which tree. Trash hides nothing: that something was trashed must be told. */
export type View = Pick<ExpansionContext, 'scope' | 'tree' | 'systemStreams'>

/** A query that was read. */
export interface Criterion {
  /**
   * Refuses what a new scope may not name.
   * @throws Failure `unknown-referenced-resource`, `forbidden`
   */
  check(view: View): void
  /** Whether the access may not have such a scope, be it new or not. What is merely gone forbids nothing. */
  isForbidden(view: View): boolean
  /**
   * Whether a change matches: its item, before or after, as seen in one of the views, of which there is at least one.
   * Streams that the query names and a view does not know, or does not show, stand for nothing there.
   */
  matches(change: JournalDetail, views: readonly View[]): boolean
}

export type ScopeKind = 'events' | 'streams' | 'accesses'

const ofKind: Record<ScopeKind, (query: unknown) => Criterion> = { events, streams, accesses }

export const isScopeKind = (kind: unknown): kind is ScopeKind => typeof kind === 'string' && Object.hasOwn(ofKind, kind)

/** Queries that were read: many connections have the same, and share what is worked out for them. */
const known = new Map<string, Criterion>()
const MAX_KNOWN = 1000
const MAX_KNOWN_LENGTH = 1000

/**
 * Reads the query of a scope.
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

/** Works something out once for each view. */
function perView<T>(work: (view: View) => T): (view: View) => T {
  const made = new WeakMap<View, T>()
  return (view) => {
    const found = made.get(view)
    if (found !== undefined) return found
    const result = work(view)
    made.set(view, result)
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
 * The views that know every stream of an event: what another says of it may be wrong, since streams above may hide it.
 * A stream that is in none was deleted by a change that is not told yet; then an access that nothing is hidden from
 * goes by the streams that are left.
 */
function viewsOf({ streamIds }: Event, views: readonly View[]): readonly View[] {
  const knows = ({ tree }: View): boolean =>
    streamIds.every((id) => tree.has(id) || splitStorePrefix(id).store !== 'local')
  const knowing = views.filter(knows)
  return knowing.length > 0 ? knowing : views.filter(({ scope }) => !hidesSome(scope))
}

/** Whether there may be streams that take their events out of what the access reads elsewhere. */
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

/** Of streams themselves an access sees more than of their events: those too in which it may only create. */
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
    throw new Failure('invalid-request-structure', 'A scope of accesses names streams, types or accessIds.')
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
      if (!view.scope.personal) throw new Failure('forbidden', 'Scopes of accesses are for personal accesses.')
      if (named !== undefined) resolveStreamsQuery(named, contextOf(view))
    },
    isForbidden: ({ scope }) => !scope.personal,
    matches: ({ access }, views) =>
      access !== undefined && (isWanted(access.before, views) || isWanted(access.after, views)),
  }
}
