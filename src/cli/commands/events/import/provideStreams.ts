/** Handles streams that lines name and that do not exist. */
import { Failure } from '../../../../store/model/failure.js'
import { MAX_ID_LENGTH, slugifyStreamId } from '../../../../store/model/slug.js'
import { textOf } from '../../../client/answer.js'
import type { Authority, NodeClient } from '../../../client/nodeClient.js'
import { placedStreams } from '../../../client/streams.js'
import type { EventLine, Problem } from './line.js'

/** Returns the reason why the streams of a line do not exist; undefined when they exist or were created. */
type ProvideStreams = (line: EventLine) => Promise<Problem | undefined>

/**
 * Loads the streams of an account and returns a function that checks the streams of a line.
 * @param missing action for missing streams: create them as root streams named by their id, treat them as created, or refuse the line
 */
export async function provideStreams(
  client: NodeClient,
  as: Authority,
  missing: 'create' | 'assume' | 'refuse',
): Promise<ProvideStreams> {
  const { streams } = await client.call('streams.get', { state: 'all' }, as)
  const known = new Set(placedStreams(streams).map(({ stream }) => textOf(stream['id'])))
  /** Ids for which no stream can be created, with the reason. */
  const refused = new Map<string, Problem>()

  async function provide(id: string): Promise<Problem | undefined> {
    // Streams of the node are not all listed, but the node accepts them.
    if (known.has(id) || id.startsWith(':')) return undefined
    if (missing === 'refuse') {
      return { id: 'unknown-referenced-resource', message: `Unknown stream: ${id}`, data: { streamIds: [id] } }
    }
    if (id.length > MAX_ID_LENGTH) {
      const message = `The stream id has ${id.length} characters; the maximum is ${MAX_ID_LENGTH}.`
      return { id: 'invalid-parameters-format', message, data: { length: id.length, max: MAX_ID_LENGTH } }
    }
    const slug = slugifyStreamId(id)
    if (slug !== id) {
      const message = `${JSON.stringify(id)} is not a valid stream id; ${JSON.stringify(slug)} would be.`
      return { id: 'invalid-item-id', message, data: { streamIds: [id] } }
    }
    try {
      if (missing === 'create') await client.call('streams.create', { id, name: id }, as)
      known.add(id)
      return undefined
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      return { id: error.id, message: `Cannot create stream ${id}: ${error.message}`, data: error.data }
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
