import { isDecided, type AccessRequest, type Outcome } from '../../store/model/accessRequest.js'
import type { Node } from '../node.js'

/**
 * Answers a request, be it by a page or by the node itself. The app that asked for a hand-off gets the token all the same:
 * this release makes no shared secrets (accounts supplement 12.5, "fallback").
 * @throws Failure `unknown-access-key`, `invalid-operation`, `payload-too-large`
 */
export function decideRequest(node: Node, request: AccessRequest, outcome: Outcome): AccessRequest {
  const wasDecided = isDecided(request)
  const decided = node.accessRequests.decide(request.key, outcome)
  if (!wasDecided && request.credentialHandoff !== undefined && outcome.status === 'ACCEPTED' && 'token' in outcome.grant) {
    node.log.warn('an app asked to have its token handed off; it gets it inline', { app: request.requestingAppId })
  }
  return decided
}
