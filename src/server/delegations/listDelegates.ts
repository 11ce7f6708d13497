import * as z from 'zod'
import type { Delegate } from '../../store/model/delegation.js'
import { requirePersonal } from '../guard/personal.js'
import { method } from '../method.js'
import { delegatesOf } from './rules.js'

const DelegateView = z.object({
  relId: z.string(),
  delegate: z.object({ username: z.string(), hostSlug: z.string() }),
  status: z.enum(['invite', 'active']),
  requestedAt: z.number(),
  activatedAt: z.number().optional(),
  expiresAt: z.number().optional(),
  lastTokenIssuedAt: z.number().optional(),
})

/** An anchor without what only nodes may know. */
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

/** Specification, "Account delegation"; consent supplement 6.3. */
export const listDelegates = method({
  id: 'delegations.listDelegates',
  summary: 'Lists the accounts that may act for this one, or are invited to.',
  http: { verb: 'GET', path: '/delegations/delegates' },
  switchedBy: 'delegation.active',
  input: z.unknown(),
  output: z.object({ delegates: z.array(DelegateView) }),
  fails: ['forbidden'],
  async run(call) {
    requirePersonal(call)
    return { delegates: (await delegatesOf(call)).map(viewOf) }
  },
})
