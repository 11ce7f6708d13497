/** The error for a new event without a stream or a type: it names the streams and types of the account. */
import { isPeopleStream } from '../../../store/model/peopleStreams.js'
import type { Context } from '../../command.js'
import { textOf } from '../../client/answer.js'
import type { Authority, NodeClient } from '../../client/nodeClient.js'
import { placedStreams } from '../../client/streams.js'
import { usageError, type CommandError } from '../../framework/exit.js'
import { typeExamples, typesInUse } from './types.js'

/** Maximum number of streams in a message. */
const MAX_STREAMS = 6

/** Returns the error for an event whose stream, type or both are missing. */
export async function missingFields(
  { commandFor }: Context,
  client: NodeClient,
  as: Authority,
  missing: { stream: boolean; type: boolean },
): Promise<CommandError> {
  const options = [...(missing.stream ? ['--stream <id>'] : []), ...(missing.type ? ['--type <class/format>'] : [])]
  const { streams } = await client.call('streams.get', {}, as)
  const ids = placedStreams(streams)
    .map(({ stream }) => textOf(stream['id']))
    .filter(isPeopleStream)
  const list = `${ids.slice(0, MAX_STREAMS).join(', ')}${ids.length > MAX_STREAMS ? ', …' : ''}`
  const steps = [
    `For example: ${commandFor('events', 'create', '--stream', ids[0] ?? 'weight', '--type', 'mass/kg', '--content', '62.5')}`,
    ...(missing.stream ? [ids.length === 0 ? `Create a stream first: ${commandFor('streams', 'create', 'Weight', '--id', 'weight')}` : `Streams of this account: ${list}`] : []),
    ...(missing.type ? [typeExamples(await typesInUse(client, as))] : []),
  ]
  return usageError(`${options.join(' and ')} ${options.length === 1 ? 'is' : 'are'} missing`, steps.join('\n'))
}
