/** Streams that lines name and that are not there. */
import { Failure } from '../../store/model/failure.js'
import { MAX_ID_LENGTH, slugifyStreamId } from '../../store/model/slug.js'
import { textOf } from '../client/answer.js'
import type { Authority, NodeClient } from '../client/nodeClient.js'
import { placedStreams } from '../client/streams.js'
import type { EventLine, Problem } from './line.js'

/** Answers why the streams of a line are not there; undefined when they are, perhaps only now. */
export type ProvideStreams = (line: EventLine) => Promise<Problem | undefined>

/**
 * Looks at the streams of an account.
 * @param missing what becomes of streams that are not there: they are made as roots named by their id, or only taken
 *   for made, or missed.
 */
export async function provideStreams(
  client: NodeClient,
  as: Authority,
  missing: 'make' | 'pretend' | 'miss',
): Promise<ProvideStreams> {
  const { streams } = await client.call('streams.get', { state: 'all' }, as)
  const known = new Set(placedStreams(streams).map(({ stream }) => textOf(stream['id'])))
  /** Ids of which no stream can be made, and why. */
  const refused = new Map<string, Problem>()

  async function provide(id: string): Promise<Problem | undefined> {
    // Streams of the node's own are not all listed; it knows them.
    if (known.has(id) || id.startsWith(':')) return undefined
    if (missing === 'miss') {
      return { id: 'unknown-referenced-resource', message: `Unknown stream: ${id}`, data: { streamIds: [id] } }
    }
    if (id.length > MAX_ID_LENGTH) {
      const message = `The id of a stream has ${id.length} characters, and ids at most ${MAX_ID_LENGTH}.`
      return { id: 'invalid-parameters-format', message, data: { length: id.length, max: MAX_ID_LENGTH } }
    }
    const slug = slugifyStreamId(id)
    if (slug !== id) {
      const message = `${JSON.stringify(id)} cannot be the id of a stream; ${JSON.stringify(slug)} could.`
      return { id: 'invalid-item-id', message, data: { streamIds: [id] } }
    }
    try {
      if (missing === 'make') await client.call('streams.create', { id, name: id }, as)
      known.add(id)
      return undefined
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      return { id: error.id, message: `Stream ${id} cannot be made: ${error.message}`, data: error.data }
    }
  }

  return async ({ event: { streamIds } }) => {
    for (const id of streamIds) {
      const problem = refused.get(id) ?? (await provide(id))
      if (problem === undefined) continue
      refused.set(id, problem)
      return problem
    }
    return undefined
  }
}
