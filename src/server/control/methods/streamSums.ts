/** Operator method that summarises the streams of an account. */
import * as z from 'zod'
import { isAuditId } from '../../../store/model/auditStreams.js'
import { recordToEvent } from '../../../store/model/eventRecord.js'
import { mayRead } from '../../../store/model/permission.js'
import { parseInput } from '../../../store/model/validation.js'
import { createYielder } from '../../../store/engine/yield.js'
import { countEvents, latestEvent, type ForestStream, type LatestEvent } from '../../../store/events/streamStats.js'
import type { NodeMethod } from '../control.js'
import { callerOf } from '../../guard/authenticate.js'
import type { Result } from '../../method.js'
import { loadedOf } from './loaded.js'

/** Maximum time in milliseconds for which other calls wait for this one. */
const SLICE_MS = 8

const Asked = z.object({
  username: z.string(),
  /** The access whose rights apply; default: the owner's. */
  access: z.string().optional(),
  /** Parents precede their children; `parent` is an index in this list. */
  streams: z.array(z.object({ id: z.string(), parent: z.int().min(0).optional() })),
  counts: z.boolean().default(false),
  last: z.boolean().default(false),
  /** True when the last event may be trashed. */
  trashed: z.boolean().default(false),
  /** Number of recent values, up to and including the last one. */
  recent: z.int().min(0).max(100).default(0),
})

export const streamSumMethods: Readonly<Record<string, NodeMethod>> = {
  /** Returns counts and last events of streams, in their order. Streams that the access may not read appear empty. */
  async 'streams.sums'(node, params) {
    const input = parseInput(Asked, params)
    const { account } = await loadedOf(node, params)
    const scope = input.access === undefined ? undefined : callerOf(node, account, input.access).scope
    const reads = (id: string): boolean => scope === undefined || scope.personal || mayRead(scope, id, account.tree)
    const pause = createYielder(SLICE_MS)
    // No stream has an empty id, so unreadable streams appear empty.
    const forest = input.streams.map(({ id, parent }, place): ForestStream => ({
      id: reads(id) ? id : '',
      ...(parent === undefined || parent >= place ? {} : { parent }),
    }))
    const snapshot = account.db.snapshot()
    try {
      const counts = input.counts ? await countEvents(account, forest, snapshot, pause) : []
      const streams: Result[] = []
      for (const [place, { id }] of input.streams.entries()) {
        const latest =
          input.last && forest[place]?.id === id
            ? await latestEvent(account, id, { most: input.recent, trashed: input.trashed }, snapshot, pause)
            : undefined
        streams.push({
          id,
          // Audit records have no index by stream.
          ...(input.counts ? { events: isAuditId(id) ? null : counts[place] } : {}),
          ...(input.last ? lastOf(latest) : {}),
        })
      }
      return { streams }
    } finally {
      await snapshot.close()
    }
  },
}

function lastOf(latest: LatestEvent | undefined): Result {
  if (latest === undefined) return { last: null }
  const { id, type, time, duration, content } = recordToEvent(latest.record)
  const numbers = latest.alike.map((record) => recordToEvent(record).content).filter((value) => typeof value === 'number')
  return {
    last: { id, type, time, ...(duration === undefined ? {} : { duration }), ...(content === undefined ? {} : { content }) },
    ...(numbers.length > 1 ? { recent: numbers.reverse() } : {}),
  }
}
