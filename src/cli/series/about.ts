/** Fields of a series, as returned by the node. */
import type { SeriesField, SeriesFields } from '../../store/model/eventTypes/series.js'
import { CommandError } from '../framework/exit.js'
import { numberOf, recordOf, textOf } from '../client/answer.js'
import type { Record_ } from '../client/answer.js'
import type { Authority, NodeClient } from '../client/nodeClient.js'

export interface SeriesDetails {
  id: string
  type: string
  /** Time of the event, in seconds. */
  time: number
  /** All fields that points may have. */
  shape: SeriesFields
  /** Fields that occur, in the order of answers, without the time. */
  fields: string[]
  answer: Record_
}

/** Loads the description of a series; `more` are the parameters of a summary. */
export async function aboutSeries(client: NodeClient, { user }: Authority, event: string, more: object = {}): Promise<SeriesDetails> {
  const answer = await client.call('series.about', { username: user, event, ...more }, {})
  const { fields } = answer
  const shape = Object.entries(recordOf(answer['shape'])).map(([name, field]): [string, SeriesField] => [name, fieldOf(field)])
  return {
    id: textOf(answer['id']),
    type: textOf(answer['type']),
    time: numberOf(answer['time']) ?? 0,
    shape: new Map(shape),
    fields: Array.isArray(fields) ? fields.map(textOf) : [],
    answer,
  }
}

function fieldOf(value: unknown): SeriesField {
  const { kind, isWhole, isRequired, takesNull } = recordOf(value)
  const known = kind === 'number' || kind === 'string' || kind === 'boolean' ? kind : 'null'
  return { kind: known, isWhole: isWhole === true, isRequired: isRequired === true, takesNull: takesNull === true }
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
