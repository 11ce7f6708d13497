import * as z from 'zod'
import { isDecided } from '../../../store/model/accessRequest.js'
import { requestKeyHolder } from '../../call/callers.js'
import { platformMethod, type PlatformCall } from '../../call/method.js'
import { isJsonObject } from '../../../store/model/json.js'
import { serviceInfo } from '../serviceInfo/get.js'
import { serialiseByKey } from '../../base/concurrency.js'
import { requestBodyLimit } from './ask.js'
import { assertSameGrant } from './consentCheck.js'
import { decideRequest } from './notifyApp.js'
import { atRequest } from './otherCore.js'
import { documented } from '../../base/documented.js'
import { sanitise } from './sanitise.js'
import { pollBody, statusOfBody } from './toJson.js'
import { PostedBody, readOutcome, assertKnownStatus } from './decisionInput.js'
import type { AccessRequestDeps } from './requests.js'
import type { MetaDeps } from '../../call/meta.js'
import type { MailDeps } from '../../mail/mailer.js'
import type { CoreCallDeps } from '../../platform/cores/coreCalls.js'
import type { CoresDeps } from '../../platform/cores/cores.js'

/**
 * Route that answers an access request. See docs/interface/access-requests.md#decision. A refused call leaves the request
 * unchanged.
 */
export const decide = platformMethod({
  id: 'accessRequest.decide',
  summary: 'Accepts or refuses an access request; called by the sign-in page.',
  http: {
    verb: 'POST',
    path: '/reg/access/:key',
    aliases: ['/access/:key'],
    status: statusOfBody,
    statuses: [200, 201, 403],
    withoutMeta: () => true,
    bodyLimit: requestBodyLimit,
  },
  caller: requestKeyHolder,
  input: documented(PostedBody),
  output: () => z.looseObject({ status: z.enum(['ACCEPTED', 'REFUSED', 'ERROR', 'REDIRECTED']).describe('The new state of the request.') }),
  notInBatch: true,
  auditedAs: 'public',
  fails: [
    'invalid-parameters',
    'unknown-access-key',
    'invalid-operation',
    'invalid-consent-grant',
    'consent-check-unavailable',
    'payload-too-large',
    'platform-unavailable',
  ],
  run(call: PlatformCall<AccessRequestDeps & CoreCallDeps & CoresDeps & MetaDeps & MailDeps>, body) {
    const { node } = call
    assertKnownStatus(body)
    const { key } = sanitise(z.object({ key: z.string() }), body)
    return atRequest(call, { key, verb: 'POST', body: isJsonObject(body) ? body : {} }, () =>
      // Answers are serialised, so that a token is handed off only once.
      serialiseByKey(node.accessRequests, key, async () => {
        const request = node.accessRequests.find(key)
        const outcome = await readOutcome(node, request, body)
        if (isDecided(request)) node.accessRequests.assertDecidable(key, outcome)
        else if (outcome.status === 'ACCEPTED') await assertSameGrant(node, request, outcome)
        return pollBody(await decideRequest(node, request, outcome), serviceInfo(node))
      }),
    )
  },
})
