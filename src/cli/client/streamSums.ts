/** How much is in the streams of an answer, and what came last. */
import { listOf, recordOf, textOf } from './answer.js'
import type { Record_ } from './answer.js'
import type { Authority, NodeClient } from './nodeClient.js'
import type { PlacedStream } from './streams.js'

export interface SumsWanted {
  counts: boolean
  last: boolean
  /** Whether the last event may lie in the trash. */
  trashed: boolean
  /** So many of the last numbers. */
  recent: number
}

/** What is in placed streams, in their order, as the node tells it. */
export async function streamSums(client: NodeClient, { user, access }: Authority, placed: readonly PlacedStream[], wanted: SumsWanted): Promise<Record_[]> {
  /** The place of the stream above, for each level. */
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

/** A tree of streams with what is told of each put into it; `sums` are in the order of `placedStreams`. */
export function withSums(streams: unknown, sums: readonly Record_[]): Record_[] {
  let place = 0
  const filled = (stream: Record_): Record_ => {
    const { id: _, ...described } = recordOf(sums[place++])
    // What is below comes last, as in the answer of the API.
    const { children, ...own } = stream
    return { ...own, ...described, ...(children === undefined ? {} : { children: listOf(children).map(filled) }) }
  }
  return listOf(streams).map(filled)
}
