/** Relationships as commands show them: an account and its delegate. */
import { recordOf, textOf } from '../../client/answer.js'
import type { Record_ } from '../../client/answer.js'

/** The other account of a relationship, as either list of the interface names it. */
export const otherOf = (relation: Record_): string =>
  textOf(recordOf(relation['delegate'] ?? relation['controlled'])['username'])

/** What the status means for a person, from the side of the account that holds it. */
export const statusText: Readonly<Record<string, string>> = { invite: 'invited', active: 'active', stale: 'ended there' }
