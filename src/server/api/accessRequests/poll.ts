import * as z from 'zod'
import { requestKeyHolder } from '../../call/callers.js'
import { platformMethod, type PlatformCall } from '../../call/method.js'
import { serviceInfo } from '../serviceInfo/get.js'
import { atRequest } from './otherCore.js'
import { pollBody, statusOfBody } from './toJson.js'
import type { AccessRequestDeps } from './requests.js'
import type { MetaDeps } from '../../call/meta.js'
import type { MailDeps } from '../../mail/mailer.js'
import type { CoreCallDeps } from '../../platform/cores/coreCalls.js'

/** Route that polls an access request. See docs/interface/access-requests.md#flow. */
export const poll = platformMethod({
  id: 'accessRequest.poll',
  summary: 'Polls the state of an access request.',
  http: {
    verb: 'GET',
    path: '/reg/access/:key',
    aliases: ['/access/:key'],
    status: statusOfBody,
    statuses: [200, 201, 403],
    // First-generation apps compare the entire response body.
    withoutMeta: ({ status }) => status !== 'NEED_SIGNIN',
  },
  caller: requestKeyHolder,
  input: z.object({ key: z.string().describe('Key of the request, from accessRequest.ask.') }),
  output: () => z.looseObject({
    status: z.enum(['NEED_SIGNIN', 'ACCEPTED', 'REFUSED', 'ERROR', 'REDIRECTED']).describe('State of the request; all but NEED_SIGNIN are final.'),
  }),
  notInBatch: true,
  fails: ['unknown-access-key', 'platform-unavailable'],
  run(call: PlatformCall<AccessRequestDeps & CoreCallDeps & MetaDeps & MailDeps>, { key }) {
    const { node } = call
    return atRequest(call, { key, verb: 'GET' }, () => pollBody(node.accessRequests.poll(key), serviceInfo(node)))
  },
})
