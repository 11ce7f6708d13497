/** The streams of an account, as commands look at them. */
import type { NodeClient, Authority } from './nodeClient.js'
import { listOf, recordOf, textOf } from './answer.js'
import type { Record_ } from './answer.js'

/** A stream of an answer with how deep it lies, in the order in which a tree is drawn. */
export interface PlacedStream {
  stream: Record_
  /** For each level above and its own: whether the stream there is the last among its siblings. */
  lasts: readonly boolean[]
}

/** All streams of a `streams` result, each before what is below it. */
export function placedStreams(streams: unknown): PlacedStream[] {
  const placed: PlacedStream[] = []
  const waiting: PlacedStream[] = level(streams, [])
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    placed.push(next)
    waiting.push(...level(next.stream['children'], next.lasts))
  }
  return placed
}

/** Siblings, the first one at the end. */
function level(streams: unknown, above: readonly boolean[]): PlacedStream[] {
  return listOf(streams)
    .map((stream, index, { length }) => ({ stream, lasts: [...above, index === length - 1] }))
    .reverse()
}

/** One stream with everything below it, trashed ones too. @throws Failure when there is none of this id. */
export async function streamWithBelow(client: NodeClient, as: Authority, id: string): Promise<Record_> {
  const { streams } = await client.call('streams.get', { id, state: 'all' }, as)
  return recordOf(listOf(streams)[0])
}

/** The ids of a stream and of everything below it. */
export function idsOf(stream: Record_): string[] {
  return placedStreams([stream]).map((each) => textOf(each.stream['id']))
}
