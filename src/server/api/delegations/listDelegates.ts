import * as z from 'zod'
import type { Delegate } from '../../../store/model/delegation.js'
import { personalOnly } from '../../call/callers.js'
import { method, type Call } from '../../call/method.js'
import { delegatesOf } from './rules.js'
import type { CoresDeps } from '../../platform/cores/cores.js'

const DelegateView = z.object({
  relId: z.string().describe('Id of the delegation.'),
  delegate: z.object({
    username: z.string().describe('User name of the delegate.'),
    hostSlug: z.string().describe("Host of the delegate's platform, as a slug."),
  }).describe('The account that may act for this one.'),
  status: z.enum(['invite', 'active']).describe('invite until the delegate accepts, then active.'),
  requestedAt: z.number().describe('Time of the invitation, in seconds since 1970.'),
  activatedAt: z.number().optional().describe('Time of the acceptance, in seconds since 1970.'),
  expiresAt: z.number().optional().describe('Time at which the invitation expires, in seconds since 1970.'),
  lastTokenIssuedAt: z.number().optional().describe('Time at which the delegate last got a token, in seconds since 1970.'),
})

/** Returns the public view of an anchor, without internal members. */
function viewOf({ relId, delegate, status, requestedAt, activatedAt, expiresAt, lastTokenIssuedAt }: Delegate): z.output<typeof DelegateView> {
  return {
    relId,
    delegate,
    status,
    requestedAt,
    ...(activatedAt === undefined ? {} : { activatedAt }),
    ...(expiresAt === undefined ? {} : { expiresAt }),
    ...(lastTokenIssuedAt === undefined ? {} : { lastTokenIssuedAt }),
  }
}

/** The method delegations.listDelegates (docs/interface/delegations.md#life-of-a-delegation). */
export const listDelegates = method({
  id: 'delegations.listDelegates',
  summary: 'Lists the delegates of the account: active and invited.',
  http: { verb: 'GET', path: '/delegations/delegates' },
  caller: personalOnly,
  requiresSetting: 'delegation.active',
  input: z.unknown(),
  output: () => z.object({ delegates: z.array(DelegateView).describe('Delegates of the account, invited and active.') }),
  fails: ['forbidden'],
  async run(call: Call<CoresDeps>) {
    return { delegates: (await delegatesOf(call)).map(viewOf) }
  },
})
