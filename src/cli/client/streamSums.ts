/** Statistics of streams: event counts and latest events. */
import { listOf, textOf } from './answer.js'
import type { Record_ } from './answer.js'
import type { AccountAuthority, NodeClient, ResultOf } from './nodeClient.js'
import type { PlacedStream } from './streams.js'

/** Statistics of one stream. */
type StreamSums = ResultOf<'streams.sums'>['streams'][number]

interface SumsWanted {
  counts: boolean
  last: boolean
  /** True to include trashed events. */
  trashed: boolean
  /** Number of recent numeric values. */
  recent: number
}

/** Returns the statistics of placed streams, in order. */
export async function streamSums(client: NodeClient, { user, access }: AccountAuthority, placed: readonly PlacedStream[], wanted: SumsWanted): Promise<StreamSums[]> {
  /** Index of the current stream at each level. */
  const above: number[] = []
  const streams = placed.map(({ stream, lasts }, place) => {
    const level = lasts.length - 1
    above[level] = place
    const parent = level === 0 ? undefined : above[level - 1]
    return { id: textOf(stream['id']), ...(parent === undefined ? {} : { parent }) }
  })
  const options = { username: user, ...(access === undefined ? {} : { access }), streams, ...wanted }
  return (await client.call('streams.sums', options, {})).streams
}

/** Merges statistics into a tree of streams; `sums` are in the order of `placedStreams`. */
export function withSums(streams: unknown, sums: readonly StreamSums[]): Record_[] {
  let place = 0
  const withStats = (stream: Record_): Record_ => {
    const { id: _, ...stats }: Partial<StreamSums> = sums[place++] ?? {}
    // Children come last, as in API responses.
    const { children, ...own } = stream
    return { ...own, ...stats, ...(children === undefined ? {} : { children: listOf(children).map(withStats) }) }
  }
  return listOf(streams).map(withStats)
}
