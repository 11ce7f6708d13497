/** Display of the consent screen of an app request on the terminal. */
import { usageError } from '../../framework/exit.js'
import { recordOf, textOf, textsOf } from '../../client/answer.js'
import type { ResultOf } from '../../client/nodeClient.js'

/** Texts of an access request for the user. */
export type Consent = ResultOf<'requests.show'>['consent']

/** Returns the consent of a result of requests.show. */
export const consentOf = ({ consent }: { consent: Consent }): Consent => consent

/** Returns the reasons why the request can only be refused; undefined when it can be approved. */
export function obstacleOf(consent: Consent): string | undefined {
  const obstacles = textsOf(consent.obstacles)
  return obstacles.length === 0 ? undefined : obstacles.join(' ')
}

/** Formats a consent; entries in `granted` are ticked. */
export function consentLines(consent: Consent, granted: readonly string[]): string[] {
  const { app } = consent
  const message = recordOf(consent.message)
  const { rows } = consent
  const hasChoice = rows.some((row) => !row.isLocked)
  return [
    consent.title,
    ...(app.description === undefined ? [] : [app.description]),
    app.note,
    ...(message['text'] === undefined ? [] : [`${textOf(message['heading'])}: ${textOf(message['text'])}`]),
    '',
    consent.intro,
    ...rows.map((row) => rowLine(row, hasChoice ? (granted.includes(row.id) ? '[x]' : '[ ]') : '-')),
    ...textsOf(consent.notes),
    ...textsOf(consent.obstacles),
  ]
}

/** Formats one entry after its box or dash. */
export function rowLine(row: Consent['rows'][number], mark: string): string {
  const details = textsOf(row.details)
  return `  ${mark} ${row.what}${details.length === 0 ? '' : ` (${details.join('; ')})`}`
}

/** Returns the ids of the entries that are ticked by default. */
export const tickedIn = (consent: Pick<Consent, 'rows'>): string[] =>
  consent.rows.flatMap((row) => (row.isTicked ? [row.id] : []))

/**
 * Returns the ids of the entries to grant: the ticked ones, minus `without`, plus `also`. `who` names the requester in errors.
 * @throws CommandError 2 for an unknown entry, or one that cannot be left out
 */
export function entriesToGrant(consent: Pick<Consent, 'rows'>, without: readonly string[], also: readonly string[], who = 'The app'): string[] {
  const { rows } = consent
  const ids = rows.map((row) => row.id)
  const unknown = [...without, ...also].find((id) => !ids.includes(id))
  if (unknown !== undefined) throw usageError(`${who} does not request ${JSON.stringify(unknown)}`, `It requests: ${ids.join(', ')}`)
  const locked = rows.find((row) => row.isLocked && without.includes(row.id))
  if (locked !== undefined) {
    const why = rows.some((row) => !row.isLocked) ? `${who} requires it` : `${who} allows no choice`
    throw usageError(`${locked.id} cannot be left out. ${why}`)
  }
  const granted = new Set([...tickedIn(consent), ...also])
  for (const id of without) granted.delete(id)
  return [...granted]
}
