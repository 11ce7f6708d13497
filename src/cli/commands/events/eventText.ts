/** Events of results, and their fields as text. */
import { listOf, recordOf, textOf, type Record_ } from '../../client/answer.js'

/** Returns the name of a field with an initial capital. */
export const capitalised = (field: string): string => field.charAt(0).toUpperCase() + field.slice(1)

/** Formats the content in one line, empty without any: `62.5`, `Slept well`, `{"systolic":120}`. */
export function contentText(content: unknown): string {
  if (content === undefined || content === null) return ''
  return typeof content === 'string' ? content : JSON.stringify(content)
}

/**
 * Formats the value of an event in a list: its content, or the names of its files if it has some. On a terminal, a text or number
 * precedes them: `On the lake (boat.jpg)`; in a pipe it stands alone, for programs.
 */
export function valueText(event: Record_, isTerminal: boolean): string {
  const { content } = event
  const names = listOf(event['attachments']).map((file) => textOf(file['fileName'])).join(', ')
  if (names === '') return contentText(content)
  // The object of an encrypted event says nothing to people.
  if (textOf(content) === '') return names
  return isTerminal ? `${textOf(content)} (${names})` : textOf(content)
}

/** Returns the stream ids of an event, separated by spaces. */
export function streamsText(event: Record_): string {
  const ids: unknown = event['streamIds']
  return Array.isArray(ids) ? ids.map(textOf).join(' ') : ''
}

/** Returns the events of a result. */
export const eventsOf = (answer: Record_): Record_[] => listOf(answer['events'])

/** Returns the event of a result. */
export const eventOf = (answer: Record_): Record_ => recordOf(answer['event'])
