/** Display of the consent screen of an app request on the terminal. */
import { usageError } from '../../framework/exit.js'
import { listOf, recordOf, textOf } from '../../client/answer.js'
import type { Record_ } from '../../client/answer.js'

/** Returns the texts of a list. */
export const textsOf = (value: unknown): string[] => (Array.isArray(value) ? value.map(textOf) : [])

/** Returns the consent of a result of requests.show. */
export const consentOf = (answer: Record_): Record_ => recordOf(answer['consent'])

/** Returns the reasons why the request can only be refused; undefined when it can be approved. */
export function obstacleOf(consent: Record_): string | undefined {
  const obstacles = textsOf(consent['obstacles'])
  return obstacles.length === 0 ? undefined : obstacles.join(' ')
}

/** Formats a consent; entries in `kept` are ticked. */
export function consentLines(consent: Record_, granted: readonly string[]): string[] {
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
    ...rows.map((row) => rowLine(row, hasChoice ? (granted.includes(textOf(row['id'])) ? '[x]' : '[ ]') : '-')),
    ...textsOf(consent['notes']),
    ...textsOf(consent['obstacles']),
  ]
}

/** Formats one entry after its box or dash. */
export function rowLine(row: Record_, mark: string): string {
  const details = textsOf(row['details'])
  return `  ${mark} ${textOf(row['what'])}${details.length === 0 ? '' : ` (${details.join('; ')})`}`
}

/** Returns the ids of the entries that are ticked by default. */
export const tickedIn = (consent: Record_): string[] =>
  listOf(consent['rows']).flatMap((row) => (row['isTicked'] === true ? [textOf(row['id'])] : []))

/**
 * Returns the ids of the entries to grant: the ticked ones, minus `without`, plus `also`. `who` names the requester in errors.
 * @throws CommandError 2 for an unknown entry, or one that cannot be left out
 */
export function storedBy(consent: Record_, without: readonly string[], also: readonly string[], who = 'The app'): string[] {
  const rows = listOf(consent['rows'])
  const ids = rows.map((row) => textOf(row['id']))
  const unknown = [...without, ...also].find((id) => !ids.includes(id))
  if (unknown !== undefined) throw usageError(`${who} does not request ${JSON.stringify(unknown)}`, `It requests: ${ids.join(', ')}`)
  const locked = rows.find((row) => row['isLocked'] === true && without.includes(textOf(row['id'])))
  if (locked !== undefined) {
    const why = rows.some((row) => row['isLocked'] !== true) ? `${who} requires it` : `${who} allows no choice`
    throw usageError(`${textOf(locked['id'])} cannot be left out. ${why}`)
  }
  const granted = new Set([...tickedIn(consent), ...also])
  for (const id of without) granted.delete(id)
  return [...granted]
}
