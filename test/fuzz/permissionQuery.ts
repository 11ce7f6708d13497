/** Random streams queries, and their meaning for the naive evaluator (docs/interface/events.md#streams-queries). */
import type { Grant } from '../support/oracles/naivePermissions.js'
import { pick, type Next } from './oddJson.js'
import type { Verdict } from './permissionCalls.js'
import type { Model, ModelEvent, State } from './permissionModel.js'

/** Query object; an id that ends with `!` means that stream without its descendants. */
export interface Query {
  any: string[]
  all: string[]
  not: string[]
  /** Flag of queries sent as a list of ids. */
  isPlain: boolean
}

const some = (next: Next, from: readonly string[], most: number): string[] =>
  Array.from({ length: next(most + 1) }, () => pick(next, from) + (next(5) === 0 ? '!' : ''))

export function randomStreams(next: Next, streams: readonly string[]): Query[] {
  const ids = (): string[] => [pick(next, streams), ...some(next, streams, 1)]
  const none = { all: [], not: [], isPlain: false }
  switch (next(6)) {
    case 0:
      return [{ ...none, any: [pick(next, streams)], isPlain: true }]
    case 1:
      return [{ ...none, any: [...ids(), ...(next(3) === 0 ? ['never-made'] : [])], isPlain: true }]
    case 2:
      return [{ ...none, any: [pick(next, [':_system:account', ':_system:language', ':system:email'])], isPlain: true }]
    case 3:
      return [{ ...none, any: ['*'], not: some(next, streams, 2) }]
    case 4:
      return [{ ...none, any: ids(), all: some(next, [...streams, 'never-made'], 2), not: some(next, streams, 1) }]
    default:
      return [
        { ...none, any: ids() },
        { ...none, any: [pick(next, streams)], not: some(next, streams, 1) },
      ]
  }
}

const bare = (id: string): string => (id.endsWith('!') ? id.slice(0, -1) : id)

/** Returns the reason for which a query is refused; undefined when it is accepted. */
export function refusedQuery(queries: readonly Query[], grant: Grant, model: Model): Verdict | undefined {
  const named = queries.flatMap(({ any }) => any.map(bare)).filter((id) => id !== '*')
  const unknown = named.find((id) => !model.streams.has(id) && !id.startsWith(':'))
  if (unknown !== undefined) return { expected: 'refused', why: `${unknown} is unknown` }
  const closed = named.find((id) => !model.mayStream(grant, 'read', id))
  return closed === undefined ? undefined : { expected: 'refused', why: `${closed} may not be read` }
}

/**
 * Tests whether the meaning of queries is unambiguous. Other tests cover streams of `not` above a stream of `any`, and trashed
 * streams of `all`, `not` and forcedStreams.
 */
export function isExact(queries: readonly Query[], state: State, model: Model): boolean {
  return queries.every(({ any, all, not }) => {
    const isAbove = not.some((cut) => any.some((id) => model.line(bare(id)).includes(bare(cut))))
    const isHidden = state === 'default' && [...all, ...not].some((id) => !model.isVisible(bare(id)))
    return !isAbove && !isHidden
  })
}

/** Tests whether events.get returns an event. */
export function isFound(
  event: ModelEvent,
  state: State,
  queries: readonly Query[] | undefined,
  grant: Grant,
  model: Model,
): boolean {
  if (state !== 'all' && event.trashed !== (state === 'trashed')) return false
  if (!model.mayEvent(grant, 'find', event)) return false
  const visible = event.streamIds.filter((id) => state !== 'default' || model.isVisible(id))
  if (!hasForcedVisible(grant, visible, model)) return false
  return (queries ?? [{ any: ['*'], all: [], not: [], isPlain: false }]).some((query) => {
    const isIn = (id: string): boolean => visible.some((one) => covers(id, one, query.not, model))
    const hasAny = query.any.some((id) => (id === '*' ? isOpen(event, visible, grant, model) : isIn(id)))
    const isCut = visible.some((one) => query.not.some((cut) => covers(cut, one, [], model)))
    return hasAny && query.all.every(isIn) && !isCut
  })
}

/** Tests whether `*` includes an event: by a readable stream outside of the trash, or by a tag. */
function isOpen(event: ModelEvent, visible: readonly string[], grant: Grant, model: Model): boolean {
  const byStream = visible.some((id) => model.mayStream(grant, 'read', id))
  return byStream || (visible.length > 0 && model.isReadByTag(grant, event))
}

/** Tests whether an id of a query includes a stream, without descendants of the streams of `not`. */
function covers(id: string, stream: string, not: readonly string[], model: Model): boolean {
  if (id.endsWith('!')) return bare(id) === stream
  const line = model.line(stream)
  if (!line.includes(id)) return false
  return !not.some((cut) => covers(cut, stream, [], model) && model.line(bare(cut)).includes(id) && bare(cut) !== id)
}

/** Forced streams are members of `all` (7.5): they too include nothing in the trash. */
function hasForcedVisible({ permissions = [] }: Grant, visible: readonly string[], model: Model): boolean {
  const forced = permissions.filter((one) => 'feature' in one && one.feature === 'forcedStreams').at(-1)
  const streams: unknown = forced !== undefined && 'streams' in forced ? forced.streams : []
  if (!Array.isArray(streams)) return true
  return streams.every((wanted) => visible.some((id) => model.line(id).includes(String(wanted))))
}
