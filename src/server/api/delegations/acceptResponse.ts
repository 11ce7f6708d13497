import * as z from 'zod'
import { delegates, isNamed } from '../../../store/accesses/delegations.js'
import { Failure } from '../../../store/model/failure.js'
import { apiEndpoint } from '../../config/apiEndpoint.js'
import { writeExclusively } from '../../dispatch/accountWrite.js'
import { callersMarker, inviteCapability } from '../../call/callers.js'
import { method, type Call } from '../../call/method.js'
import { presentIdentity, presentName } from './identity.js'
import { provideManaged } from './managedAccess.js'
import { Endpoint } from '../../base/endpointParts.js'
import { isOver } from './rules.js'
import type { CoresDeps } from '../../platform/cores/cores.js'

/**
 * The delegate accepted. Idempotent. Creates the control access and activates the relationship in one transaction; reuses an
 * orphaned access. See docs/interface/delegations.md#between-nodes.
 */
export const acceptResponse = method({
  id: 'delegations.acceptResponse',
  summary: 'Between nodes: the delegate accepts the invite.',
  http: {
    verb: 'POST',
    path: '/delegations/controlled-side/accept-response',
    expiredToken: () => new Failure('delegation-invite-expired'),
  },
  caller: inviteCapability,
  requiresSetting: 'delegation.active',
  input: z.object({
    delegate: z.object({ username: z.string().describe('User name of the delegate.') }).describe('The account that accepts.'),
    notifyApiEndpoint: Endpoint.describe('Where the delegate is notified when the delegation ends.'),
  }),
  output: () => z.object({
    controlApiEndpoint: z.string().describe('Endpoint for delegations.issueToken, with its token.'),
    relId: z.string().describe('Id of the delegation.'),
    activatedAt: z.number().describe('Time of the acceptance, in seconds since 1970.'),
  }),
  fails: ['invalid-access-token', 'invalid-parameters-format', 'delegation-invite-expired', 'delegation-delegate-mismatch'],
  async run(call: Call<CoresDeps>, { delegate, notifyApiEndpoint }) {
    const { relId } = callersMarker(call, 'invite-capability')
    const { node, user, account } = call
    const { seal } = node.store
    const asker = await presentName(node, delegate.username)
    // The account may have been renamed since the invite.
    const input = delegates.find(account.db, seal, account.prefix, relId)
    const invited = input === undefined ? '' : (await presentIdentity(node, input.delegate)).username
    return writeExclusively(call, (write) =>
      write((t) => {
        const now = node.clock.now()
        const anchor = delegates.find(t, seal, t.account, relId)
        if (anchor === undefined || isOver(anchor, now)) throw new Failure('delegation-invite-expired')
        if (!isNamed(anchor.delegate.username, delegate.username) && !isNamed(invited, asker)) throw new Failure('delegation-delegate-mismatch')
        const { access, token } = provideManaged(node, t, { kind: 'control', relId, delegate: anchor.delegate })
        const { expiresAt: _, ...lasting } = anchor
        const activatedAt = anchor.activatedAt ?? now
        delegates.put(t, seal, { ...lasting, status: 'active', activatedAt, controlAccessId: access.id, notifyApiEndpoint })
        return { controlApiEndpoint: apiEndpoint(node, user.username, token.reveal()), relId, activatedAt }
      }),
    )
  },
})
