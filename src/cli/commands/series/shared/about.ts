/** Fields of a series, as returned by the node. */
import type { SeriesField, SeriesFields } from '../../../../store/model/eventTypes/series.js'
import { CommandError } from '../../../framework/exit.js'
import type { AccountAuthority, NodeClient, ParamsOf, ResultOf } from '../../../client/nodeClient.js'

export interface SeriesDetails extends Omit<ResultOf<'series.about'>, 'shape'> {
  /** All fields that points may have. */
  shape: SeriesFields
  /** The result of the node. */
  answer: ResultOf<'series.about'>
}

/** Loads the description of a series; `more` are the parameters of a summary. */
export async function aboutSeries(
  client: NodeClient,
  { user }: AccountAuthority,
  event: string,
  more: Omit<ParamsOf<'series.about'>, 'username' | 'event'> = {},
): Promise<SeriesDetails> {
  const answer = await client.call('series.about', { username: user, event, ...more }, {})
  return { ...answer, shape: new Map(Object.entries(answer.shape)), answer }
}

/**
 * Parses the value of a field; null for an empty text where null is allowed.
 * @throws CommandError 2 for an invalid value
 */
export function valueOf(word: string, field: SeriesField, read: (word: string) => number | undefined): unknown {
  if (field.kind === 'string') return word === '' && field.takesNull ? null : word
  const trimmed = word.trim()
  if (trimmed === '' && field.takesNull) return null
  if (field.kind === 'number') {
    const value = read(trimmed)
    if (value !== undefined) return value
    throw new CommandError(`${JSON.stringify(word)} is not a number.`, { exit: 2 })
  }
  if (field.kind === 'null') return null
  if (trimmed === 'true' || trimmed === 'false') return trimmed === 'true'
  throw new CommandError(`${JSON.stringify(word)} is neither true nor false.`, { exit: 2 })
}
