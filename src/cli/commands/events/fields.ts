/** Options for the fields of an event. */
import { eventTexts, type EventText } from '../../../store/model/events/fields.js'
import { errorMessage } from '../../../store/model/errorMessage.js'
import { isAccountStreamId } from '../../../store/model/slug.js'
import { CommandError, usageError } from '../../framework/exit.js'
import { contentKind, readContent } from '../../terminal/input/content.js'
import { jsonObject } from '../../terminal/input/jsonObject.js'
import { timeOption } from '../../terminal/input/time.js'
import type { Record_ } from '../../client/answer.js'
import type { Authority, NodeClient } from '../../client/nodeClient.js'
import { decimal, list, readDuration, text } from '../../framework/option.js'
import type { Parameter } from '../../framework/option.js'
import { capitalised } from './eventText.js'
import { typeOption } from './types.js'

const durationOption: Parameter<number | null | undefined> = {
  ...decimal('Duration, such as 30m; 0 for a point in time, running for an event that has not ended', { placeholder: 'duration' }),
  read: (values) => {
    const word = values?.[values.length - 1]
    if (word === undefined) return undefined
    return word === 'running' ? null : readDuration(word)
  },
}

/** One option for each optional text of events, with its name. */
const textOptions = Object.fromEntries(eventTexts.map((field) => [field, text(capitalised(field))])) as Record<EventText, Parameter<string | undefined>>

/** Options for the fields of an event, new or changed. */
export const eventFields = {
  stream: list('Stream that the event belongs to', { placeholder: 'id', names: 'stream' }),
  type: typeOption('Type, such as mass/kg'),
  content: text('Content: a number or text if the type takes one, else JSON', { placeholder: 'value' }),
  time: timeOption('Start time'),
  duration: durationOption,
  ...textOptions,
  tag: list('Tag', { placeholder: 'tag' }),
  clientData: jsonObject('Data that apps store with the event'),
}

/** Parsed values of `eventFields`. */
type FieldOptions = { [K in keyof typeof eventFields]: ReturnType<(typeof eventFields)[K]['read']> }

/**
 * Converts the options into fields of the API.
 * @param type the event type, which determines how the content is parsed.
 * @throws CommandError 2 for content that the type does not accept.
 */
export function fieldsOf(options: FieldOptions, type: string | undefined): Record<string, unknown> {
  const { stream, time, duration, tag, clientData } = options
  return {
    ...(stream.length === 0 ? {} : { streamIds: stream }),
    ...(options.type === undefined ? {} : { type: options.type }),
    ...(time === undefined ? {} : { time }),
    ...(duration === undefined ? {} : { duration }),
    ...(options.content === undefined ? {} : { content: contentOf(options.content, type) }),
    ...Object.fromEntries(eventTexts.flatMap((field) => (options[field] === undefined ? [] : [[field, options[field]]]))),
    ...(tag.length === 0 ? {} : { tags: tag }),
    ...(clientData === undefined ? {} : { clientData }),
  }
}

function contentOf(word: string, type: string | undefined): unknown {
  const kind = type === undefined ? undefined : contentKind(type)
  try {
    return readContent(word, kind ?? 'json')
  } catch (error) {
    const expected = errorMessage(error)
    const ofType = kind === undefined ? '' : ` for ${type ?? ''}`
    const hint = kind === undefined ? `Quote a text as JSON: --content '"${word}"'` : undefined
    throw usageError(`--content takes ${expected}${ofType}, not ${JSON.stringify(word)}`, hint)
  }
}

/** True when no field was given. */
export function isEmpty(fields: Record_): boolean {
  return Object.keys(fields).length === 0
}

/** Rejects events that are account fields: those cannot be trashed. @throws CommandError */
export function assertNotAccountField(id: string): void {
  if (!isAccountStreamId(id)) return
  throw new CommandError(`${id} is an account field and cannot be deleted.`, {
    hint: ['Change it', 'events', 'update', id, '--content', '<value>'],
  })
}

/**
 * Moves an event to the trash; does nothing if it is there already. Returns `{ event }`.
 * Not events.delete, whose second call deletes permanently.
 */
export function trashEvent(client: NodeClient, as: Authority, id: string): Promise<Record<string, unknown>> {
  return client.call('events.update', { id, update: { trashed: true } }, as)
}
