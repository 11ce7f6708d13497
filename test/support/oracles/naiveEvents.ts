/** Naive events.get, by tests of each event (docs/interface/events.md#queries, docs/interface/permissions.md). */
import type { StreamPermission } from '../../../src/store/model/access.js'
import type { Event } from '../../../src/store/model/event.js'

export interface Known {
  /** Parent and trash of each stream, with account streams and reserved roots by their ids. */
  streams: { id: string; parentId: string | null; trashed?: boolean }[]
  /** Permissions; null for a personal token. */
  permissions: StreamPermission[] | null
  events: Event[]
  deletions: { id: string; deleted: number }[]
  now: number
}

export interface StreamsQuery {
  any: string[]
  all?: string[]
  not?: string[]
}

export type Condition = { path: string } & Record<string, unknown>

export interface Asked {
  fromTime?: number
  toTime?: number
  streams?: string[] | StreamsQuery[]
  types?: string[]
  tags?: string[]
  running?: boolean
  sortAscending?: boolean
  skip?: number
  limit?: number
  state?: 'default' | 'trashed' | 'all'
  modifiedSince?: number
  includeDeletions?: boolean
  content?: Condition[]
  clientData?: Condition[]
}

export interface Expected {
  refusal?: string
  /** All matching events, in the order of the result, before skip and limit. */
  events: Event[]
  deletions?: { id: string; deleted: number }[]
  limit: number
}

const isAccount = (id: string): boolean => id.startsWith(':_system:')
const isSecluded = (id: string): boolean => id.startsWith(':_shared-secrets:') || id.startsWith(':_emails:')

export function naiveGet(known: Known, asked: Asked): Expected {
  const { sortAscending, state = 'default' } = asked
  const bounded = asked.fromTime !== undefined || asked.toTime !== undefined
  const limit = asked.limit ?? (bounded ? Infinity : 20)
  const direction = sortAscending === true ? 1 : -1
  const { refusal, answers } = readStreams(known, asked, state)
  if (refusal !== undefined) return { refusal, events: [], limit }
  const events = known.events
    .filter(({ streamIds }) => answers(streamIds))
    .filter((event) => isInState(event, state) && isInTime(event, asked, known.now) && hasFields(event, asked))
    .sort((a, b) => direction * (a.time < b.time ? -1 : a.time > b.time ? 1 : 0))
  const { modifiedSince } = asked
  if (asked.includeDeletions !== true || modifiedSince === undefined) return { events, limit }
  const deletions = known.deletions
    .filter(({ deleted }) => deleted > modifiedSince)
    .sort((a, b) => direction * (a.deleted - b.deleted))
  return { events, deletions, limit }
}

function isInState(event: Event, state: string): boolean {
  return state === 'all' || (event.trashed === true) === (state === 'trashed')
}

function isInTime({ time, duration }: Event, asked: Asked, now: number): boolean {
  const bounded = asked.fromTime !== undefined || asked.toTime !== undefined
  const to = asked.toTime ?? now
  const from = asked.fromTime ?? to - 86400
  if (asked.running === true) return duration === null && (!bounded || time <= to)
  if (!bounded) return true
  if (time > to) return false
  if (duration === null) return from <= now - 5 && to >= now - 5
  return time + (duration ?? 0) >= from
}

function hasFields(event: Event, { types, tags, modifiedSince, content, clientData }: Asked): boolean {
  if (types && !types.some((type) => type === event.type || type === event.type.replace(/\/.*/, '/*'))) return false
  if (tags && !tags.some((tag) => event.tags.includes(tag))) return false
  if (modifiedSince !== undefined && !(event.modified > modifiedSince)) return false
  return (
    (content ?? []).every((condition) => meets(condition, event.content)) &&
    (clientData ?? []).every((condition) => meets(condition, event.clientData))
  )
}

function meets({ path, ...operators }: Condition, root: unknown): boolean {
  let value = root
  for (const name of path === '$' ? [] : path.split('.')) {
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    value = isObject && Object.hasOwn(value as object, name) ? (value as Record<string, unknown>)[name] : undefined
  }
  const number = typeof value === 'number' ? value : NaN
  const [[operator, operand] = []] = Object.entries(operators)
  if (operator === 'eq') return value === operand
  if (operator === 'neq') return value !== undefined && value !== operand
  if (operator === 'in') return (operand as unknown[]).includes(value)
  if (operator === 'exists') return (value !== undefined) === operand
  if (operator === 'gt') return number > Number(operand)
  if (operator === 'lte') return number <= Number(operand)
  return typeof value === 'string' && value.startsWith(String(operand))
}

function readStreams(
  { streams, permissions }: Known,
  asked: Asked,
  state: string,
): { refusal?: string; answers: (streamIds: string[]) => boolean } {
  const find = (id: string): Known['streams'][number] | undefined => streams.find((stream) => stream.id === id)
  const pathOf = (id: string): string[] => [id, ...above(id).flatMap(pathOf)]
  const above = (id: string): string[] => {
    if (isAccount(id)) return id === ':_system:account' ? [] : [':_system:account']
    return [find(id)?.parentId ?? []].flat()
  }
  const exists = (id: string): boolean => isAccount(id) || find(id) !== undefined
  const isTrashed = (id: string): boolean => pathOf(id).some((step) => find(step)?.trashed === true)
  const isSearched = (id: string): boolean => exists(id) && (state !== 'default' || !isTrashed(id))

  const granted: StreamPermission[] = [{ streamId: ':_system:account', level: 'none' }, ...(permissions ?? [])]
  const levelOf = (id: string): string | undefined => {
    if (permissions === null) return 'manage'
    const reach = isAccount(id) || isSecluded(id) ? pathOf(id) : [...pathOf(id), '*']
    const levels = reach.map((step) => granted.findLast((one) => one.streamId === step)?.level)
    return levels.find((level) => level !== undefined)
  }
  const isReadable = (id: string): boolean => ['read', 'contribute', 'manage'].includes(levelOf(id) ?? '')
  const isDenied = (id: string): boolean => ['none', 'create-only'].includes(levelOf(id) ?? '')

  const isWithin = (id: string, member: string): boolean =>
    isSearched(id) && (member.endsWith('!') ? id === member.slice(0, -1) : pathOf(id).includes(member))
  /** Tests whether `not` excludes a stream below a named member. */
  const isCut = (id: string, member: string, not: string[]): boolean => {
    const way = pathOf(id)
    const between = way.slice(0, way.indexOf(member.replace('!', '')))
    if (between.length === 0) return false
    return not.some((other) => (other.endsWith('!') ? `${id}!` === other : between.includes(other)))
  }
  const isIn = (id: string, { any, not = [] }: StreamsQuery): boolean => {
    if (!isReadable(id) || !isSearched(id)) return false
    if (any.includes('*')) return !isSecluded(id) && !not.some((member) => isWithin(id, member))
    return any.some((member) => isWithin(id, member) && !isCut(id, member, not))
  }
  const isExcluded = (id: string, query: StreamsQuery): boolean => {
    if (isIn(id, query)) return false
    if (!isAccount(id) && isDenied(id)) return true
    if (isSecluded(id) && (query.any.includes('*') || permissions !== null)) return true
    return (query.not ?? []).some((member) => isWithin(id, member))
  }

  const queries = queriesOf(asked.streams)
  const named = queries.flatMap(({ any }) => any.map((id) => id.replace('!', ''))).filter((id) => id !== '*')
  if (named.some((id) => !exists(id))) return { refusal: 'unknown-referenced-resource', answers: () => false }
  if (named.some((id) => !isReadable(id))) return { refusal: 'forbidden', answers: () => false }
  return {
    answers: (streamIds) =>
      queries.some(
        (query) =>
          streamIds.some((id) => isIn(id, query)) &&
          (query.all ?? []).every((member) =>
            streamIds.some((id) => isWithin(id, member) && !isCut(id, member, query.not ?? [])),
          ) &&
          !streamIds.some((id) => isExcluded(id, query)),
      ),
  }
}

/** Splits a list of ids into one query for each store. */
function queriesOf(streams: Asked['streams']): StreamsQuery[] {
  if (streams === undefined) return [{ any: ['*'] }]
  const ids = streams.filter((one) => typeof one === 'string')
  const stores = [ids.filter(isAccount), ids.filter((id) => !isAccount(id))]
  const lists = stores.filter((list) => list.length > 0).map((any) => ({ any }))
  return [...lists, ...streams.filter((one) => typeof one !== 'string')]
}
