import { isDecided, type Accepted, type AccessRequest, type Outcome } from '../../store/model/accessRequest.js'
import type { Node } from '../node.js'
import { handOff } from './handOff.js'

/**
 * Answers a request, be it by a page or by the node itself. An app that asked for a hand-off gets a key in place of the
 * token, or, where that cannot be, the token all the same (accounts supplement 12.5, "fallback").
 * @throws Failure `unknown-access-key`, `invalid-operation`, `payload-too-large`
 */
export async function decideRequest(node: Node, request: AccessRequest, outcome: Outcome): Promise<AccessRequest> {
  const { accessRequests } = node
  const asksForHandOff = request.credentialHandoff !== undefined && !isDecided(request)
  if (!asksForHandOff || !carriesToken(outcome)) return accessRequests.decide(request.key, outcome)
  const handed = await handOff(node, request, outcome)
  if ('why' in handed) {
    const decided = accessRequests.decide(request.key, outcome)
    const { why } = handed
    node.log.warn('an app asked to have its token handed off; it gets it inline', { app: request.requestingAppId, why })
    return decided
  }
  try {
    return accessRequests.decide(request.key, handed.outcome, outcome)
  } catch (error) {
    await handed.undo()
    throw error
  }
}

const carriesToken = (outcome: Outcome): outcome is Accepted => outcome.status === 'ACCEPTED' && 'token' in outcome.grant
