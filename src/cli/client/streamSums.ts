/** Statistics of the streams in a response: event counts and latest events. */
import { listOf, recordOf, textOf } from './answer.js'
import type { Record_ } from './answer.js'
import type { Authority, NodeClient } from './nodeClient.js'
import type { PlacedStream } from './streams.js'

export interface SumsWanted {
  counts: boolean
  last: boolean
  /** True to include trashed events. */
  trashed: boolean
  /** Number of recent numeric values. */
  recent: number
}

/** Returns the statistics of placed streams, in order. */
export async function streamSums(client: NodeClient, { user, access }: Authority, placed: readonly PlacedStream[], wanted: SumsWanted): Promise<Record_[]> {
  /** Index of the current stream at each level. */
  const above: number[] = []
  const streams = placed.map(({ stream, lasts }, place) => {
    const level = lasts.length - 1
    above[level] = place
    const parent = level === 0 ? undefined : above[level - 1]
    return { id: textOf(stream['id']), ...(parent === undefined ? {} : { parent }) }
  })
  const options = { username: user, ...(access === undefined ? {} : { access }), streams, ...wanted }
  return listOf((await client.call('streams.sums', options, {}))['streams'])
}

/** Merges statistics into a tree of streams; `sums` are in the order of `placedStreams`. */
export function withSums(streams: unknown, sums: readonly Record_[]): Record_[] {
  let place = 0
  const filled = (stream: Record_): Record_ => {
    const { id: _, ...described } = recordOf(sums[place++])
    // Children come last, as in API responses.
    const { children, ...own } = stream
    return { ...own, ...described, ...(children === undefined ? {} : { children: listOf(children).map(filled) }) }
  }
  return listOf(streams).map(filled)
}
