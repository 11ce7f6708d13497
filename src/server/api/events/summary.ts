import * as z from 'zod'
import { Failure, invalidFormat } from '../../../store/model/failure.js'
import { TooManyGroups } from '../../../store/events/eventGroups.js'
import { TooManyBuckets, type Buckets, type GroupSummary, type Period } from '../../../store/events/eventSummary.js'
import type { EventColumnDeps } from '../../../store/events/eventColumns.js'
import type { EventPageDeps } from '../../../store/events/eventPageCache.js'
import { createYielder } from '../../../store/engine/yield.js'
import { anyAccess } from '../../call/callers.js'
import { method, type Call, type Result } from '../../call/method.js'
import { RawJson } from '../../call/results.js'
import { refreshStorageUsed } from '../shared/noteStorageUsed.js'
import { filterShape } from './filterInput.js'
import { asksForStorage, queryShape } from './plan.js'
import { summarise, type EventSummary } from './summarise.js'

const DEFAULT_POINTS = 500
const MAX_POINTS = 4000
const MAX_EDGES = 2001
/** Maximum length of edges as text. */
const MAX_EDGES_LENGTH = 100_000
/** Maximum number of groups of an answer. */
const MAX_GROUPS = 200
/** Maximum number of buckets of all groups of an answer. */
const MAX_BUCKETS = 200_000
const MAX_PERIODS = 2000
/** Maximum time in milliseconds for which other calls wait while an answer is written. */
const SLICE_MS = 5

const column = (meaning: string) => z.array(z.number().nullable()).optional().describe(meaning)

const Group = z.object({
  streamId: z.string().optional().describe('Id of the stream; absent for events found by their tags.'),
  type: z.string().describe('Event type.'),
  field: z.string().describe('Name of the member of the content with the values; empty for the content itself.'),
  count: z.int().describe('Number of events.'),
  min: z.number().optional().describe('Smallest value; absent for events without numbers, as are max and mean.'),
  max: z.number().optional().describe('Greatest value.'),
  mean: z.number().nullable().optional().describe('Mean of the values.'),
  last: z.object({
    id: z.string().optional().describe('Id of the event.'),
    time: z.number().describe('Time, in seconds since 1970.'),
    value: z.number().optional().describe('Value; absent without a number.'),
  }).describe('The last event.'),
  buckets: z.object({
    index: z.array(z.int()).describe('Indexes of the buckets with events, from 0.'),
    count: z.array(z.int()).describe('Number of events in each of these.'),
    min: column('Smallest value in each, or null; absent for a group without numbers, as are max and mean.'),
    max: column('Greatest value in each, or null.'),
    mean: column('Mean of the values in each, or null.'),
  }).describe('Figures by bucket, as lists of equal length.'),
})

const Summary = z.object({
  fromTime: z.number().optional().describe('Begin of the span, in seconds since 1970; absent without bounds and events.'),
  toTime: z.number().optional().describe('End of the span, in seconds since 1970.'),
  count: z.int().describe('Number of events.'),
  groups: z.array(Group).describe('Figures by stream, type and field of the content; those with the most events first.'),
  periods: z.array(z.object({
    streamId: z.string().optional().describe('Id of the stream.'),
    type: z.string().describe('Event type.'),
    from: z.number().describe('Begin, in seconds since 1970.'),
    to: z.number().describe('End, in seconds since 1970; now for one in progress.'),
    count: z.int().describe('Number of events.'),
  })).describe('Events with a duration, merged where they touch or are nearer than a bucket.'),
  more: z.boolean().optional().describe('true: groups or periods were left out.'),
})

const Query = z.strictObject({
  fromTime: z.number().optional().describe('Earliest time, in seconds since 1970; default: that of the first event, or the first edge.'),
  toTime: z.number().optional().describe('Latest time, in seconds since 1970; default: that of the last event, or the last edge.'),
  ...filterShape,
  ...queryShape,
  points: z.int().min(1).max(MAX_POINTS).optional().describe('Number of buckets of equal length; default 500.'),
  edges: z.union([z.array(z.number()), z.string().max(MAX_EDGES_LENGTH)]).optional()
    .describe('Boundaries of buckets in place of points, such as days: 2 to 2001 ascending times, in a query string separated by commas.'),
  auth: z.string().optional(),
})

type Input = z.output<typeof Query>

/** The method events.summary (docs/interface/events.md#summaries). */
export const summary = method({
  id: 'events.summary',
  summary: 'Summarises events for charts: counts, extremes and means by stream, type and span of time.',
  http: {
    verb: 'GET',
    path: '/events/summary',
    query: { fromTime: 'number', toTime: 'number', types: 'array', tags: 'array', running: 'boolean', modifiedSince: 'number', points: 'number' },
  },
  caller: anyAccess,
  input: Query,
  output: () => z.object({ summary: Summary.describe('The summary.') }),
  fails: ['invalid-parameters-format', 'invalid-request-structure', 'unknown-referenced-resource', 'forbidden', 'too-many-results'],
  async run(call: Call<EventColumnDeps & EventPageDeps>, input): Promise<Result> {
    const edges = edgesOf(input)
    if (asksForStorage(call, input)) await refreshStorageUsed(call.node, call.account).catch(() => undefined)
    const points = input.points ?? DEFAULT_POINTS
    try {
      const found = await summarise(call, input, edges ?? points)
      return { summary: new RawJson(await textOf(call, found, edges === undefined ? points : edges.length - 1)) }
    } catch (error) {
      if (error instanceof TooManyGroups || error instanceof TooManyBuckets) {
        throw new Failure('too-many-results', `${error.message} Choose fewer streams, types or points.`)
      }
      throw error
    }
  },
})

/** @throws Failure `invalid-parameters-format`, `invalid-request-structure` */
function edgesOf({ edges, points }: Input): number[] | undefined {
  if (edges === undefined) return undefined
  if (points !== undefined) throw new Failure('invalid-request-structure', 'Use either points or edges, not both.')
  const times = typeof edges === 'string' ? numbersIn(edges) : edges
  const isAscending = times.every((time, at) => Number.isFinite(time) && (at === 0 || time > (times[at - 1] ?? 0)))
  if (times.length >= 2 && times.length <= MAX_EDGES && isAscending) return times
  const message = `edges must be 2 to ${MAX_EDGES} ascending times, separated by commas in a query string.`
  throw invalidFormat([{ code: 'INVALID_FORMAT', message, path: '#/edges', params: [] }])
}

/** Returns the numbers of a list, in brackets or not. */
const numbersIn = (text: string): number[] =>
  text.replace(/^\[(.*)\]$/s, '$1').split(',').map((part) => (part.trim() === '' ? Number.NaN : Number(part)))

/** Returns a summary as JSON text. */
async function textOf(call: Call, { fromTime, toTime, builder, lastIds }: EventSummary, points: number): Promise<string> {
  const pause = createYielder(SLICE_MS, call.origin.reader?.assertConnected)
  const all = builder.groups()
  const groups = all.slice(0, Math.min(MAX_GROUPS, Math.max(1, Math.floor(MAX_BUCKETS / points))))
  const { periods, more } = builder.periods(MAX_PERIODS)
  const ids = await lastIds(groups)
  const texts: string[] = []
  for (const [at, group] of groups.entries()) {
    texts.push(groupText(group, ids[at]))
    const pausing = pause()
    if (pausing !== undefined) await pausing
  }
  const span = fromTime === undefined ? '' : `"fromTime":${fromTime},"toTime":${toTime ?? fromTime},`
  const rest = more || groups.length < all.length ? ',"more":true' : ''
  return `{${span}"count":${builder.count},"groups":[${texts.join(',')}],"periods":${JSON.stringify(periods satisfies Period[])}${rest}}`
}

/** Returns a mean; null where the sum is too large for a number. */
const mean = (sum: number, count: number): number | null => (count > 0 && Number.isFinite(sum) ? sum / count : null)

function groupText(summary: GroupSummary, lastId: string | undefined): string {
  const { group, count, valued, min, max, sum, buckets, lastTime, lastValue } = summary
  const { streamId, type } = group.kind
  const last = { ...(lastId === undefined ? {} : { id: lastId }), time: lastTime, ...(Number.isNaN(lastValue) ? {} : { value: lastValue }) }
  return JSON.stringify({
    ...(streamId === undefined ? {} : { streamId }),
    type,
    field: group.field,
    count,
    ...(valued === 0 ? {} : { min, max, mean: mean(sum, valued) }),
    last,
    buckets: { index: buckets.index, count: buckets.count, ...(valued === 0 ? {} : columnsOf(buckets)) },
  } satisfies z.output<typeof Group>)
}

/** Infinite extremes of buckets without numbers become null. */
const finite = (numbers: readonly number[]): (number | null)[] => numbers.map((number) => (Number.isFinite(number) ? number : null))

const columnsOf = ({ valued, min, max, sum }: Buckets): Required<Pick<z.output<typeof Group>['buckets'], 'min' | 'max' | 'mean'>> => ({
  min: finite(min),
  max: finite(max),
  mean: sum.map((total, at) => mean(total, valued[at] ?? 0)),
})
