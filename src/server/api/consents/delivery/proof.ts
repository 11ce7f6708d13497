/**
 * Verification that a response to a link comes from the account that it names (docs/interface/consents.md#responses). The
 * endpoint in the response must lie at the account's address and confirm, when called back, that its access is the account's
 * consent to this offer. Nothing is granted before.
 */
import { findLink } from '../../../../store/accesses/accesses.js'
import { findEvent, isEventIdTaken } from '../../../../store/events/events.js'
import { offerStreamOf, responsesStreamOf, type CmcIdentity } from '../../../../store/model/cmc.js'
import { capabilityOf, counterpartyOf, isSameAccount } from '../../../../store/model/consentAccess.js'
import type { ClientData } from '../../../../store/model/event.js'
import { Failure } from '../../../../store/model/failure.js'
import { namesOf, type User } from '../../../../store/accounts/users.js'
import { isAddressOf } from '../address.js'
import { identityOf, unknownCounterparty } from '../identity.js'
import { objectOf, textOf } from '../objects.js'
import { answerOf, assertLinkOpen } from '../response.js'
import type { Call } from '../../../call/method.js'
import type { Context } from '../../../call/context.js'
import type { Answer } from '../../../httpClient/http.js'
import type { Consents, AnswerInput } from '../service.js'
import { readAccess } from './peerClient.js'
import type { PeerDeps } from './peerClient.js'
import { isTemporary } from './undelivered.js'

/** Timeout in milliseconds. The other side waits for its response meanwhile, at most 15 s. */
const TIMEOUT_MS = 5_000
/** Concurrent callbacks per link, so that its holder cannot make this node call many endpoints. */
const MAX_CALLS = 8

/** An accept by a link, with its sender. */
interface Claim {
  call: Call
  capabilityId: string
  from: CmcIdentity
  endpoint: string
  /** The offer that the response names, if any. */
  offerEventId: string | undefined
}

/** Creates the verifier of responses to links; `signal` aborts callbacks. */
export function createProof(nodeOf: () => Context & PeerDeps, signal: AbortSignal): Consents['proveAnswer'] {
  const calls = new Map<string, number>()

  /**
   * Runs a callback for a link.
   * @throws Failure `consent-check-unavailable` when there are too many
   */
  async function limited(link: string, work: () => Promise<Answer>): Promise<Answer> {
    const running = calls.get(link) ?? 0
    if (running >= MAX_CALLS) throw unavailable()
    calls.set(link, running + 1)
    try {
      return await work()
    } finally {
      const left = (calls.get(link) ?? 1) - 1
      if (left === 0) calls.delete(link)
      else calls.set(link, left)
    }
  }

  async function prove(claim: Claim): Promise<true> {
    const { call, capabilityId, endpoint } = claim
    const link = `${call.account.prefix}/${capabilityId}`
    const answer = await readAccess({ node: nodeOf(), signal }, endpoint, { timeoutMs: TIMEOUT_MS, limited: (call) => limited(link, call) })
    assertConfirmed(claim, answer)
    return true
  }

  return (call, streamIds, input) => {
    const claim = claimIn(call, streamIds, input)
    return claim === undefined ? false : prove(claim)
  }
}

/**
 * Returns the claim to verify. Undefined for events that grant nothing: other types, accepts without a sender or endpoint, and
 * repeats of an accepted response. A closed link causes no call.
 * @throws Failure `invalid-operation`
 */
function claimIn(call: Call, streamIds: readonly string[], input: AnswerInput): Claim | undefined {
  const { node, account, user, caller } = call
  const link = capabilityOf(caller.access)
  const answer = link === undefined || streamIds[0] !== responsesStreamOf(link.capabilityId) ? undefined : answerOf(input)
  if (link === undefined || answer === undefined) return undefined
  if (input.id !== undefined && isEventIdTaken(account.db, account.prefix, input.id)) return undefined
  const { capabilityId } = link
  const present = findLink(account.db, node.store.seal, account.prefix, capabilityId)
  assertLinkOpen((present === undefined ? undefined : capabilityOf(present.access)) ?? link)
  const { from, endpoint } = answer
  if (isNameOf(node, user, from)) throw unknownCounterparty('An account cannot accept its own offer.')
  if (!isAddressOf(node, from, endpoint)) throw unknownCounterparty('The endpoint does not match the address of the account named in the response.')
  return { call, capabilityId, from, endpoint, offerEventId: textOf(objectOf(input.content)['originalEventId']) }
}

/**
 * Checks that an endpoint's access belongs to the account named in the response and is its consent to this offer. Only nodes
 * write these marks, so no other access qualifies.
 * @throws Failure `invalid-operation`; `consent-check-unavailable` when the endpoint was not reached
 */
function assertConfirmed({ call, capabilityId, from, offerEventId }: Claim, answer: Answer): void {
  const { node, account, user } = call
  if (!('body' in answer) || answer.status !== 200 || answer.isCut === true) {
    const { status, cause } = { cause: undefined, ...answer }
    node.log.warn('the account that accepted an offer did not confirm it', { status, ...(cause === undefined ? {} : { cause }) })
    throw isTemporary(cause === undefined ? { status } : { cause }) ? unavailable() : unknownCounterparty('The endpoint does not confirm the response.')
  }
  const username = textOf(objectOf(answer.body['user'])['username'])
  if (username?.toLowerCase() !== from.username.toLowerCase()) {
    throw unknownCounterparty('The endpoint belongs to a different account than the one named in the response.')
  }
  const mark = counterpartyOf({ clientData: objectOf(answer.body['clientData']) as ClientData })
  const offer = findEvent(account.db, account.prefix, textOf(mark?.offerEventId) ?? '')
  const isOffer = offer?.streamIds.includes(offerStreamOf(capabilityId)) === true && (offerEventId ?? offer.id) === offer.id
  if (!isOffer || mark === undefined || !isNameOf(node, user, mark.counterparty)) {
    throw unknownCounterparty('The access of the endpoint is not a consent to this offer.')
  }
}

/** Checks whether a name belongs or belonged to an account of this node. */
const isNameOf = (node: Context, user: User, named: CmcIdentity): boolean =>
  namesOf(user).usernames.some((username) => isSameAccount(identityOf(node, username), named))

const unavailable = (): Failure =>
  new Failure('consent-check-unavailable', 'The account that responds could not be reached for confirmation; try again.', { reason: 'core-unreachable' })
