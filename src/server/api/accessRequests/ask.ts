import * as z from 'zod'
import { clientKey } from '../../base/clientAddress.js'
import { anybody } from '../../call/callers.js'
import { platformMethod, type PlatformCall } from '../../call/method.js'
import type { Context } from '../../call/context.js'
import { serviceInfo } from '../serviceInfo/get.js'
import { addressesOf } from './addresses.js'
import { publishKey } from './otherCore.js'
import { AskBody, parseRequestInput } from './requestInput.js'
import { documented } from '../../base/documented.js'
import { pendingBody } from './toJson.js'
import type { AccessRequestDeps } from './requests.js'
import type { MetaDeps } from '../../call/meta.js'
import type { MailDeps } from '../../mail/mailer.js'

/**
 * Returns the maximum body size in bytes for creating or answering an access request: twice `access.maxRequestBytes`, since
 * the stored form may be shorter than the body. Infinity when that setting is 0: the general JSON body limit applies.
 */
export function requestBodyLimit({ config }: Context): number {
  const maxStored = config.get('access.maxRequestBytes')
  return maxStored === 0 ? Infinity : 2 * maxStored
}

/** Route that creates an access request. See docs/interface/access-requests.md#request. */
export const ask = platformMethod({
  id: 'accessRequest.ask',
  summary: 'Requests access for an app to the account of the person who signs in.',
  http: { verb: 'POST', path: '/reg/access', aliases: ['/access'], status: 201, bodyLimit: requestBodyLimit },
  caller: anybody,
  input: documented(AskBody),
  output: () => z.looseObject({
    status: z.literal('NEED_SIGNIN').describe('The request waits for a person.'),
    key: z.string().describe('Key of the request.'),
    authUrl: z.string().describe('Page to open in a browser.'),
    poll: z.string().describe('Address to poll (accessRequest.poll).'),
    poll_rate_ms: z.number().describe('Milliseconds between polls.'),
  }),
  notInBatch: true,
  auditedAs: 'public',
  fails: ['invalid-parameters', 'too-many-requests', 'payload-too-large'],
  async run(call: PlatformCall<AccessRequestDeps & MetaDeps & MailDeps>, body) {
    const { node } = call
    const { asked: input, page } = parseRequestInput(node, body)
    const request = node.accessRequests.create(input, (key) => addressesOf(node, input, page, key), clientKey(node, call.origin.ip))
    await publishKey(node, request)
    return pendingBody(request, serviceInfo(node))
  },
})
