import * as z from 'zod'
import { otherClientKey } from '../guard/clientAddress.js'
import { platformMethod } from '../method.js'
import { serviceInfo } from '../serviceInfo/get.js'
import { addressesOf } from './addresses.js'
import { AskBody, readAsked } from './asked.js'
import { documented } from '../documented.js'
import { pendingBody } from './plain.js'

/** Specification, "Access request"; accounts supplement 12.2. */
export const ask = platformMethod({
  id: 'accessRequest.ask',
  summary: 'Asks for access to the account of whoever signs in.',
  http: { verb: 'POST', path: '/reg/access', aliases: ['/access'] },
  input: documented(AskBody),
  output: z.looseObject({
    status: z.literal('NEED_SIGNIN'),
    key: z.string(),
    authUrl: z.string(),
    poll: z.string(),
    poll_rate_ms: z.number(),
  }),
  status: 201,
  alone: true,
  auditedAs: 'public',
  fails: ['invalid-parameters', 'too-many-requests', 'payload-too-large'],
  run(call, body) {
    const { node } = call
    const { asked, page } = readAsked(node, body)
    const request = node.accessRequests.create(asked, (key) => addressesOf(node, asked, page, key), otherClientKey(node, call.origin.ip))
    return pendingBody(request, serviceInfo(node))
  },
})
