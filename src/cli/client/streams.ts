/** Walks the streams of an account for commands. */
import type { NodeClient, Authority } from './nodeClient.js'
import { listOf, recordOf, textOf } from './answer.js'
import type { Record_ } from './answer.js'

/** A stream with its position in the tree, in drawing order. */
export interface PlacedStream {
  stream: Record_
  /** True for each level, including its own, at which the stream is the last sibling. */
  lasts: readonly boolean[]
}

/** Lists all streams of a `streams` result in drawing order, parents first. */
export function placedStreams(streams: unknown): PlacedStream[] {
  const placed: PlacedStream[] = []
  const waiting: PlacedStream[] = level(streams, [])
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    placed.push(next)
    waiting.push(...level(next.stream['children'], next.lasts))
  }
  return placed
}

/** Returns siblings in reverse order. */
function level(streams: unknown, above: readonly boolean[]): PlacedStream[] {
  return listOf(streams)
    .map((stream, index, { length }) => ({ stream, lasts: [...above, index === length - 1] }))
    .reverse()
}

/**
 * Returns one stream with its descendants, including trashed ones.
 * @throws Failure when the id is unknown
 */
export async function streamWithBelow(client: NodeClient, as: Authority, id: string): Promise<Record_> {
  const { streams } = await client.call('streams.get', { id, state: 'all' }, as)
  return recordOf(streams[0])
}

/** Lists the ids of a stream and its descendants. */
export function idsOf(stream: Record_): string[] {
  return placedStreams([stream]).map((each) => textOf(each.stream['id']))
}
