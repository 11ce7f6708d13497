import * as z from 'zod'
import { Failure } from '../../../store/model/failure.js'
import { otherCore } from '../../call/callers.js'
import { platformMethod, type PlatformCall } from '../../call/method.js'
import type { AccessRequestDeps } from './requests.js'
import { plainRequest } from './toJson.js'

/** Route by which pages of another core read a request of this one. See docs/interface/access-requests.md#cores. */
export const show = platformMethod({
  id: 'system.accessRequest',
  summary: 'Describes an access request of this core to the core whose pages show it.',
  http: { verb: 'GET', path: '/system/access-requests/:key', query: { isOpen: 'boolean' } },
  caller: otherCore,
  input: z.object({
    key: z.string().describe('Key of the request.'),
    isOpen: z.boolean().default(false).describe('true: a person looks at it, which keeps it until it is answered.'),
  }),
  output: () => z.object({ request: z.record(z.string(), z.unknown()).describe('The request, with its outcome.') }),
  notInBatch: true,
  fails: ['forbidden', 'unknown-access-key'],
  run({ node, fromCore }: PlatformCall<AccessRequestDeps>, { key, isOpen }) {
    if (fromCore === undefined) throw new Failure('forbidden', 'Only other cores of the platform read access requests.')
    return { request: plainRequest(isOpen ? node.accessRequests.open(key) : node.accessRequests.find(key)) }
  },
})
