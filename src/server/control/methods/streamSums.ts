/** Operator method that summarises the streams of an account. */
import * as z from 'zod'
import { isAuditId } from '../../../store/model/auditStreams.js'
import { recordToEvent } from '../../../store/model/eventRecord.js'
import { mayRead } from '../../../store/model/permission.js'
import { createYielder } from '../../../store/engine/yield.js'
import { latestEvent, sumStreams, type ForestStream, type LatestEvent, type StreamStats } from '../../../store/events/streamStats.js'
import { callerOf } from '../../auth/authenticate.js'
import { operatorMethod } from '../operatorMethod.js'
import { loadedOf, OfAccount } from './loaded.js'

/** Maximum time in milliseconds for which other calls wait for this one. */
const SLICE_MS = 8

const Sums = z.object({
  id: z.string().describe('Id of the stream.'),
  events: z.object({
    own: z.number().describe('Number of events in the stream itself, including trashed ones.'),
    total: z.number().describe('Number of events in the stream and below it.'),
  }).nullable().optional().describe('Counts of events; null for streams of audit records.'),
  last: z.object({
    id: z.string().describe('Id of the event.'),
    type: z.string().describe('Event type.'),
    time: z.number().describe('Time, in seconds since 1970.'),
    duration: z.number().nullable().optional().describe('Duration in seconds; null while in progress.'),
    content: z.unknown().optional().describe('Content.'),
  }).nullable().optional().describe('The last event; null for none.'),
  recent: z.array(z.number()).optional().describe('Recent numbers of the same type, up to and including the last one.'),
})

const sums = operatorMethod({
  id: 'streams.sums',
  summary: 'Returns counts and last events of streams. Streams that the access may not read appear empty.',
  input: z.strictObject({
    ...OfAccount,
    access: z.string().optional().describe("Id of the access whose rights apply; default: the owner's."),
    streams: z.array(z.object({
      id: z.string().describe('Id of the stream.'),
      parent: z.int().min(0).optional().describe('Index of its parent in this list, which precedes it.'),
    })).describe('The streams.'),
    counts: z.boolean().default(false).describe('true: count events.'),
    last: z.boolean().default(false).describe('true: return the last event.'),
    trashed: z.boolean().default(false).describe('true: the last event may be trashed.'),
    recent: z.int().min(0).max(100).default(0).describe('Number of recent values, up to and including the last one.'),
  }),
  output: () => z.object({ streams: z.array(Sums).describe('The streams, in the order of the request.') }),
  fails: ['unknown-user'],
  async run({ node }, input) {
    const { account } = await loadedOf(node, input)
    const scope = input.access === undefined ? undefined : callerOf(node, account, input.access).scope
    const reads = (id: string): boolean => scope === undefined || scope.personal || mayRead(scope, id, account.tree)
    const pause = createYielder(SLICE_MS)
    // No stream has an empty id, so unreadable streams appear empty.
    const forest = input.streams.map(({ id, parent }, place): ForestStream => ({
      id: reads(id) ? id : '',
      ...(parent === undefined || parent >= place ? {} : { parent }),
    }))
    const counts = input.counts ? sumStreams(forest, (await node.streamCounts.of(account)).sets.values()) : []
    const snapshot = account.db.snapshot()
    try {
      const streams: z.output<typeof Sums>[] = []
      for (const [place, { id }] of input.streams.entries()) {
        const latest =
          input.last && forest[place]?.id === id
            ? await latestEvent(account, id, { max: input.recent, trashed: input.trashed }, snapshot, pause)
            : undefined
        streams.push({
          id,
          // Audit records have no index by stream.
          ...(input.counts ? { events: isAuditId(id) ? null : countsOf(counts[place]) } : {}),
          ...(input.last ? lastOf(latest) : {}),
        })
      }
      return { streams }
    } finally {
      await snapshot.close()
    }
  },
})

export const streamSumMethods = [sums] as const

/** Returns the numbers of events, trashed ones included. */
const countsOf = (sums: StreamStats | undefined): { own: number; total: number } | undefined =>
  sums === undefined ? undefined : { own: sums.own.live + sums.own.trashed, total: sums.total.live + sums.total.trashed }

function lastOf(latest: LatestEvent | undefined): Pick<z.output<typeof Sums>, 'last' | 'recent'> {
  if (latest === undefined) return { last: null }
  const { id, type, time, duration, content } = recordToEvent(latest.record)
  const numbers = latest.sameType.map((record) => recordToEvent(record).content).filter((value) => typeof value === 'number')
  return {
    last: { id, type, time, ...(duration === undefined ? {} : { duration }), ...(content === undefined ? {} : { content }) },
    ...(numbers.length > 1 ? { recent: numbers.reverse() } : {}),
  }
}
