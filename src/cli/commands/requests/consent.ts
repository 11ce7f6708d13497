/** The consent that an app asks for, as a person reads it at the terminal. */
import { usageError } from '../../framework/exit.js'
import { listOf, recordOf, textOf } from '../../client/answer.js'
import type { Record_ } from '../../client/answer.js'

/** The texts of a list. */
export const textsOf = (value: unknown): string[] => (Array.isArray(value) ? value.map(textOf) : [])

/** The consent of an answer of requests.show. */
export const consentOf = (answer: Record_): Record_ => recordOf(answer['consent'])

/** Why it can only be refused; undefined when it can be accepted. */
export function obstacleOf(consent: Record_): string | undefined {
  const obstacles = textsOf(consent['obstacles'])
  return obstacles.length === 0 ? undefined : obstacles.join(' ')
}

/** The lines of a consent; entries in `kept` are ticked. */
export function consentLines(consent: Record_, stored: readonly string[]): string[] {
  const app = recordOf(consent['app'])
  const message = recordOf(consent['message'])
  const rows = listOf(consent['rows'])
  const hasChoice = rows.some((row) => row['isLocked'] !== true)
  return [
    textOf(consent['title']),
    ...(app['description'] === undefined ? [] : [textOf(app['description'])]),
    textOf(app['note']),
    ...(message['text'] === undefined ? [] : [`${textOf(message['heading'])}: ${textOf(message['text'])}`]),
    '',
    textOf(consent['intro']),
    ...rows.map((row) => rowLine(row, hasChoice ? (stored.includes(textOf(row['id'])) ? '[x]' : '[ ]') : '-')),
    ...textsOf(consent['notes']),
    ...textsOf(consent['obstacles']),
  ]
}

/** One entry, behind its box or dash. */
export function rowLine(row: Record_, mark: string): string {
  const details = textsOf(row['details'])
  return `  ${mark} ${textOf(row['what'])}${details.length === 0 ? '' : ` (${details.join('; ')})`}`
}

/** The ids of entries that are ticked as the app wishes. */
export const tickedIn = (consent: Record_): string[] =>
  listOf(consent['rows']).flatMap((row) => (row['isTicked'] === true ? [textOf(row['id'])] : []))

/**
 * The ids of entries that are given: those ticked, without some and with others. `who` asks for them.
 * @throws CommandError 2 for an entry that there is none of, or that cannot be left out
 */
export function storedBy(consent: Record_, without: readonly string[], also: readonly string[], who = 'The app'): string[] {
  const rows = listOf(consent['rows'])
  const ids = rows.map((row) => textOf(row['id']))
  const unknown = [...without, ...also].find((id) => !ids.includes(id))
  if (unknown !== undefined) throw usageError(`${who} does not ask for ${JSON.stringify(unknown)}`, `It asks for: ${ids.join(', ')}`)
  const locked = rows.find((row) => row['isLocked'] === true && without.includes(textOf(row['id'])))
  if (locked !== undefined) {
    const why = rows.some((row) => row['isLocked'] !== true) ? `${who} requires it` : `${who} asks for all or nothing`
    throw usageError(`${textOf(locked['id'])} cannot be left out. ${why}`)
  }
  const stored = new Set([...tickedIn(consent), ...also])
  for (const id of without) stored.delete(id)
  return [...stored]
}
