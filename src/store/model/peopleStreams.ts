/**
 * Separates the streams of people from those that the node has in every account: account fields, messages and consents, audit
 * records, shared secrets, addresses, delegations. Lists, counts, plots and exports for people leave the latter out.
 */
import { AUDIT_ROOT } from './auditStreams.js'
import { CMC_ROOT } from './cmc.js'
import { isDelegationStream } from './delegation.js'
import { isSecretsStream } from './sharedSecret.js'
import { isAccountStreamId } from './slug.js'
import { ACCOUNT_ROOT } from './systemStreams.js'
import type { Tree } from './tree.js'

/** Streams of verified e-mail addresses. */
const EMAILS_ROOT = ':_emails:'

/** Checks whether a stream belongs to people, by its id alone. */
export const isPeopleStream = (id: string): boolean =>
  !id.startsWith(':') ||
  !(isAccountStreamId(id) || [CMC_ROOT, AUDIT_ROOT, EMAILS_ROOT].some((root) => id.startsWith(root)) || isDelegationStream(id) || isSecretsStream(id))

/** Checks whether an event is one of people: it is in at least one of their streams. */
export const isPeopleEvent = (streamIds: readonly string[]): boolean => streamIds.some(isPeopleStream)

/**
 * Query of the events of people, as `streams` of events.get. `*` never covers the other streams of the node
 * (docs/interface/events.md#streams-queries).
 */
export const peopleStreamsQuery = { any: ['*'], not: [ACCOUNT_ROOT, CMC_ROOT] } as const

/** Numbers of streams by version of the tree. */
const counts = new WeakMap<object, number>()

/** Counts the streams of people in a tree, without trashed ones. Cached until the tree changes. */
export function countPeopleStreams(tree: Tree): number {
  let count = counts.get(tree.version)
  if (count === undefined) {
    const hidden = tree.hidden()
    count = 0
    for (const { id } of tree.all()) if (isPeopleStream(id) && !hidden.has(id)) count += 1
    counts.set(tree.version, count)
  }
  return count
}
