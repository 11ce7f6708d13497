/** Converts access requests to JSON with revealed tokens, for apps, pages and size checks. */
import { isDecided, type AccessRequest, type Accepted, type Outcome } from '../../../store/model/accessRequest.js'
import type { Result } from '../../call/method.js'

/** Poll interval for apps, in milliseconds. */
export const POLL_RATE_MS = 1000

/** Converts an answer with its secrets to the members of a poll response (docs/interface/access-requests.md#flow). */
export function plainOutcome(outcome: Outcome): Result {
  switch (outcome.status) {
    case 'ACCEPTED':
      return plainAccepted(outcome)
    case 'REDIRECTED': {
      const { status, redirectUrl } = outcome
      return redirectUrl === undefined ? { status } : { status, redirectUrl }
    }
    default: {
      const { status, reasonId, message } = outcome
      // Clients read either spelling.
      return { status, reasonId, reasonID: reasonId, message }
    }
  }
}

function plainAccepted({ status, username, apiEndpoint, grant, delegation, cmcInvites }: Accepted): Result {
  return {
    status,
    username,
    ...('token' in grant ? { token: grant.token.reveal() } : { handoff: grant.handoff.reveal() }),
    apiEndpoint: apiEndpoint.reveal(),
    ...(delegation === undefined ? {} : { delegation }),
    ...(cmcInvites === undefined ? {} : { cmcInvites }),
  }
}

/** Converts a complete request. */
export function plainRequest({ token, outcome, ...request }: AccessRequest): Result {
  return {
    ...request,
    ...(token === undefined ? {} : { token: token.reveal() }),
    ...(outcome === undefined ? {} : { outcome: plainOutcome(outcome) }),
  }
}

/** Body of a pending request for its app and its page, without absent members; `info` is the service information. */
export function pendingBody(request: AccessRequest, info: Result): Result {
  return {
    status: 'NEED_SIGNIN',
    key: request.key,
    url: request.authUrl,
    authUrl: request.authUrl,
    poll: request.pollUrl,
    poll_rate_ms: POLL_RATE_MS,
    requestingAppId: request.requestingAppId,
    requestedPermissions: request.requestedPermissions,
    lang: request.languageCode,
    returnURL: request.returnURL,
    oauthState: request.oauthState,
    clientData: request.clientData,
    serviceInfo: request.serviceInfo ?? info,
    consent: request.consent,
    deviceName: request.deviceName,
    expireAfter: request.expireAfter,
    token: request.token?.reveal(),
    actAs: request.actAs,
    actAsManagedOnly: request.actAsManagedOnly,
    credentialHandoff: request.credentialHandoff,
    cmcInvites: request.cmcInvites,
  }
}

/** Returns the body of a poll response (docs/interface/access-requests.md#flow). */
export function pollBody(request: AccessRequest, info: Result): Result {
  const { outcome, serviceInfo } = request
  if (outcome === undefined) return pendingBody(request, info)
  if (!isDecided(request)) return { ...plainOutcome(outcome), poll: request.pollUrl }
  return { ...plainOutcome(outcome), ...(serviceInfo === undefined ? {} : { serviceInfo }) }
}

/** Returns the HTTP status of each body. */
export function statusOfBody({ status }: Result): 200 | 201 | 403 {
  if (status === 'ACCEPTED') return 200
  return status === 'REFUSED' || status === 'ERROR' ? 403 : 201
}
