/**
 * Copies of access requests of other cores. The person who answers a request signs in at the core of the account, whose host has
 * the session cookie, and that core creates the access: its pages show a copy, and it posts the answer as any page does.
 */
import type { AccessRequest, Accepted, Outcome } from '../../../store/model/accessRequest.js'
import { Secret } from '../../../store/model/secret.js'
import { operatorOf } from '../../platform/cores/atHome.js'
import { forward, type CoreCallDeps } from '../../platform/cores/coreCalls.js'
import { coreOfHolder } from '../../platform/cores/wrongCore.js'
import type { Context } from '../../call/context.js'
import { coreOfRequest, isState, MAX_REQUEST_BYTES, unanswered } from './otherCore.js'
import type { AccessRequestDeps } from './requests.js'
import { plainOutcome } from './toJson.js'

/** Timeouts of calls to the core of a request, in milliseconds. For an answer, it may ask the core of the account twice. */
const READ_MS = 5000
const DECIDE_MS = 10_000

type Parts = Context & AccessRequestDeps & CoreCallDeps

/**
 * Returns a request of any core. `isOpen` protects it from eviction until it is answered, because a person looks at it.
 * @throws Failure `unknown-access-key`, `platform-unavailable`
 */
export async function findRequest(node: Parts, key: string, { isOpen = false } = {}): Promise<AccessRequest> {
  const { accessRequests } = node
  if (accessRequests.has(key)) return isOpen ? accessRequests.open(key) : accessRequests.find(key)
  const core = await coreOfRequest(node, key)
  const path = `/system/access-requests/${key}${isOpen ? '?isOpen=true' : ''}`
  const credentials = operatorOf({ node, origin: { transport: 'http', source: 'http', base: node.publicBase() } })
  const { request } = await forward(node, core, { verb: 'GET', path, ...credentials, timeoutMs: READ_MS, maxBytes: MAX_REQUEST_BYTES }, { unanswered: unanswered(core) })
  return { ...requestOf(request as PlainRequest), heldBy: core.id }
}

/**
 * Posts the outcome of a copy to the core of the request. That core checks the consent and hands the token off, if asked to.
 * @throws Failure of `accessRequest.decide`; `platform-unavailable`
 */
export async function decideCopy(node: Context & CoreCallDeps, request: AccessRequest & { heldBy: string }, outcome: Outcome): Promise<AccessRequest> {
  const core = coreOfHolder(node, { core: request.heldBy })
  const call = { verb: 'POST', path: `/reg/access/${request.key}`, body: plainOutcome(outcome), timeoutMs: DECIDE_MS, maxBytes: MAX_REQUEST_BYTES } as const
  await forward(node, core, call, { unanswered: unanswered(core), isResult: isState })
  return { ...request, outcome }
}

/** Checks whether a request is a copy. */
export const isCopy = (request: AccessRequest): request is AccessRequest & { heldBy: string } => request.heldBy !== undefined

/** Throws what answering the request would throw now. Copies are checked by the core that has the request. */
export function assertDecidable({ accessRequests }: AccessRequestDeps, request: AccessRequest, outcome: Outcome): void {
  if (!isCopy(request)) accessRequests.assertDecidable(request.key, outcome)
}

/** A request as `plainRequest` converts it. */
interface PlainRequest extends Omit<AccessRequest, 'token' | 'outcome'> {
  token?: string
  outcome?: PlainOutcome
}

type PlainOutcome = Exclude<Outcome, Accepted> | PlainAccepted

interface PlainAccepted extends Pick<Accepted, 'status' | 'username' | 'delegation' | 'cmcInvites'> {
  apiEndpoint: string
  token?: string
  handoff?: { type: 'shared-secret'; key: string }
}

/** Converts the JSON form of a request back. */
function requestOf({ token, outcome, ...request }: PlainRequest): AccessRequest {
  return {
    ...request,
    ...(token === undefined ? {} : { token: new Secret(token) }),
    ...(outcome === undefined ? {} : { outcome: outcome.status === 'ACCEPTED' ? acceptedOf(outcome) : outcome }),
  }
}

function acceptedOf({ apiEndpoint, token = '', handoff, ...accepted }: PlainAccepted): Accepted {
  const grant = handoff === undefined ? { token: new Secret(token) } : { handoff: new Secret(handoff) }
  return { ...accepted, apiEndpoint: new Secret(apiEndpoint), grant }
}
