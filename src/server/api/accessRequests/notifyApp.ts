import { isDecided, type Accepted, type AccessRequest, type Outcome } from '../../../store/model/accessRequest.js'
import type { Context } from '../../call/context.js'
import type { CoreCallDeps } from '../../platform/cores/coreCalls.js'
import type { CoresDeps } from '../../platform/cores/cores.js'
import { decideCopy, isCopy } from './copies.js'
import { handOff } from './handOff.js'
import type { AccessRequestDeps } from './requests.js'

/**
 * Answers a request, from a page or the node itself. An app that asked for a hand-off gets the key of a secret instead of the
 * token; when that fails, it gets the token (docs/interface/access-requests.md#hand-off).
 * @throws Failure `unknown-access-key`, `invalid-operation`, `payload-too-large`; for a copy, those of `decideCopy`
 */
export async function decideRequest(node: Context & AccessRequestDeps & CoreCallDeps & CoresDeps, request: AccessRequest, outcome: Outcome): Promise<AccessRequest> {
  if (isCopy(request)) return decideCopy(node, request, outcome)
  const { accessRequests } = node
  const asksForHandOff = request.credentialHandoff !== undefined && !isDecided(request)
  if (!asksForHandOff || !carriesToken(outcome)) return accessRequests.decide(request.key, outcome)
  const handed = await handOff(node, request, outcome)
  if ('why' in handed) {
    const decided = accessRequests.decide(request.key, outcome)
    const { why } = handed
    node.log.warn('token hand-off requested by an app is not possible; sending the token inline', { app: request.requestingAppId, why })
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
