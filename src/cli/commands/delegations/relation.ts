/** Delegation relationships as commands display them. */
import { recordOf, textOf } from '../../client/answer.js'
import type { Record_ } from '../../client/answer.js'

/** Returns the username of the other account of a relationship, from either list of the API. */
export const otherOf = (relation: Record_): string =>
  textOf(recordOf(relation['delegate'] ?? relation['controlled'])['username'])

/** Display texts of the status, from the side of the account that stores it. */
export const statusText: Readonly<Record<string, string>> = { invite: 'invited', active: 'active', stale: 'ended there' }
