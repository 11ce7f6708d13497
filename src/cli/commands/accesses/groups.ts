/** Groups the accesses of an account for people: those granted to apps and persons, of delegations, of messages and consents. */
import { capabilityOf, counterpartyOf, isCounterparty } from '../../../store/model/consentAccess.js'
import { isManaged, markerOf } from '../../../store/model/delegation.js'
import { recordOf } from '../../client/answer.js'
import type { Record_ } from '../../client/answer.js'

interface AccessGroup<A> {
  heading: string
  accesses: A[]
}

const marks = (access: Record_): { clientData: Record<string, unknown> } => ({ clientData: { ...recordOf(access['clientData']) } })

/** Returns the accesses that people granted, and the groups of those that the node created, without empty ones. */
export function groupAccesses<A extends Record_>(accesses: readonly A[]): { granted: A[]; groups: AccessGroup<A>[] } {
  const granted: A[] = []
  const delegations: A[] = []
  const consents: A[] = []
  for (const access of accesses) {
    const marked = marks(access)
    if (isManaged(marked)) delegations.push(access)
    else if (capabilityOf(marked) !== undefined || isCounterparty(marked)) consents.push(access)
    else granted.push(access)
  }
  const groups = [
    { heading: 'Of delegations (coffer delegations list)', accesses: delegations },
    { heading: 'Of messages and consents (coffer consents list)', accesses: consents },
  ]
  return { granted, groups: groups.filter((group) => group.accesses.length > 0) }
}

/** Describes an access that the node created: `consent given to ben-turing at example.org`. */
export function purposeOf(access: Record_): string {
  const marked = marks(access)
  const marker = markerOf(marked)
  switch (marker?.kind) {
    case 'invite-capability':
      return 'invitation of a delegate'
    case 'control':
      return `lets ${marker.delegate.username} request tokens`
    case 'notify':
      return 'receives the end of a delegation'
    case 'delegate-pat':
      return `token of the delegate ${marker.delegate.username}`
    default:
  }
  const link = capabilityOf(marked)
  if (link !== undefined) return `link to a request, ${link.capability.state}`
  const peer = counterpartyOf(marked)
  if (peer === undefined) return 'consent'
  const { username, host } = peer.counterparty
  return `${peer.acceptEventId === undefined ? 'messages from' : 'consent given to'} ${username} at ${host}`
}
