/** The fields of an event as options of commands. */
import { isAccountStreamId } from '../../../store/model/slug.js'
import { CommandError, usageError } from '../../framework/exit.js'
import { contentKind, readContent } from '../../terminal/input/content.js'
import { jsonObject } from '../../terminal/input/jsonObject.js'
import { timeOption } from '../../terminal/input/time.js'
import { listOf, recordOf, textOf } from '../../client/answer.js'
import type { Record_ } from '../../client/answer.js'
import type { Authority, NodeClient } from '../../client/nodeClient.js'
import { decimal, list, readDuration, text } from '../../framework/option.js'
import type { Parameter } from '../../framework/option.js'

const lasting: Parameter<number | null | undefined> = {
  ...decimal('How long it lasts, such as 30m; 0 for a moment, running for what goes on', { placeholder: 'duration' }),
  read: (given) => {
    const word = given?.[given.length - 1]
    if (word === undefined) return undefined
    return word === 'running' ? null : readDuration(word)
  },
}

/** What a person can say about an event, new or changed. */
export const eventFields = {
  stream: list('Stream it belongs to', { placeholder: 'id', names: 'stream' }),
  type: text('Type, such as mass/kg', { placeholder: 'class/format' }),
  content: text('Content: a number or a text where the type takes one, else JSON', { placeholder: 'value' }),
  time: timeOption('When it begins'),
  duration: lasting,
  description: text('Words about it'),
  tag: list('Tag', { placeholder: 'tag' }),
  clientData: jsonObject('Data that apps keep with it'),
}

/** The typed values of `eventFields`. */
export type FieldOptions = { [K in keyof typeof eventFields]: ReturnType<(typeof eventFields)[K]['read']> }

/**
 * The fields given, as the API takes them.
 * @param type the type of the event, for reading the content.
 * @throws CommandError 2 for content that the type does not take.
 */
export function fieldsOf(given: FieldOptions, type: string | undefined): Record<string, unknown> {
  const { stream, time, duration, description, tag, clientData } = given
  return {
    ...(stream.length === 0 ? {} : { streamIds: stream }),
    ...(given.type === undefined ? {} : { type: given.type }),
    ...(time === undefined ? {} : { time }),
    ...(duration === undefined ? {} : { duration }),
    ...(given.content === undefined ? {} : { content: contentOf(given.content, type) }),
    ...(description === undefined ? {} : { description }),
    ...(tag.length === 0 ? {} : { tags: tag }),
    ...(clientData === undefined ? {} : { clientData }),
  }
}

function contentOf(word: string, type: string | undefined): unknown {
  const kind = type === undefined ? undefined : contentKind(type)
  try {
    return readContent(word, kind ?? 'json')
  } catch (error) {
    const expected = error instanceof Error ? error.message : String(error)
    const ofType = kind === undefined ? '' : ` for ${type ?? ''}`
    const hint = kind === undefined ? `A text in JSON stands in quotes: --content '"${word}"'` : undefined
    throw usageError(`--content takes ${expected}${ofType}, not ${JSON.stringify(word)}`, hint)
  }
}

/** Whether nothing was given. */
export function isEmpty(fields: Record_): boolean {
  return Object.keys(fields).length === 0
}

/** @throws CommandError for an event that is a field of the account: those have no trash. */
export function assertNotAccountField(id: string): void {
  if (!isAccountStreamId(id)) return
  throw new CommandError(`${id} is a field of the account; it cannot be deleted.`, {
    hint: ['Change it', 'events', 'update', id, '--content', '<value>'],
  })
}

/**
 * Puts an event in the trash; one that is there already stays as it is. Answers `{ event }`.
 * Not events.delete, whose second call deletes for good.
 */
export function trashEvent(client: NodeClient, as: Authority, id: string): Promise<Record<string, unknown>> {
  return client.call('events.update', { id, update: { trashed: true } }, as)
}

/** `62.5`, `Slept well`, `{"systolic":120}`: the content in one line, empty without any. */
export function contentText(content: unknown): string {
  if (content === undefined || content === null) return ''
  return typeof content === 'string' ? content : JSON.stringify(content)
}

/** The streams of an event, parted by spaces. */
export function streamsText(event: Record_): string {
  const ids: unknown = event['streamIds']
  return Array.isArray(ids) ? ids.map(textOf).join(' ') : ''
}

/** The events of an answer. */
export const eventsOf = (answer: Record_): Record_[] => listOf(answer['events'])

/** The event of an answer. */
export const eventOf = (answer: Record_): Record_ => recordOf(answer['event'])
