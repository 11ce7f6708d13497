import * as z from 'zod'
import { controlledAccounts } from '../../../store/accesses/delegations.js'
import { Failure } from '../../../store/model/failure.js'
import { otherCore } from '../../call/callers.js'
import { platformMethod, type PlatformCall } from '../../call/method.js'
import { IdentityShape, RelationId } from './identity.js'
import { dropMirror, putMirror } from './invites.js'
import { Endpoint } from '../../base/endpointParts.js'
import type { CoresDeps } from '../../platform/cores/cores.js'

/**
 * The core of a controlled account delivers or cancels an invite for an account of this core. Idempotent. See
 * docs/interface/delegations.md#between-nodes.
 */
export const receiveInvite = platformMethod({
  id: 'system.delegationInvite',
  summary: 'Receives an invitation to act for an account, from its core.',
  http: { verb: 'POST', path: '/system/delegation/invite' },
  caller: otherCore,
  requiresSetting: 'delegation.active',
  input: z.object({
    action: z.enum(['create', 'cancel']).describe('create delivers an invitation, cancel withdraws it.'),
    relId: RelationId.describe('Id of the delegation.'),
    controlled: IdentityShape.describe('The account that invites.'),
    delegateUsername: z.string().describe('User name of the invited account of this core.'),
    capabilityUrl: Endpoint.optional().describe('Link by which the invitation is answered; required for create.'),
    expiresAt: z.number().optional().describe('Time at which the invitation expires, in seconds since 1970.'),
  }),
  output: () => z.object({ ok: z.literal(true).describe('Done.') }),
  notInBatch: true,
  auditedAs: 'admin',
  fails: ['invalid-parameters-format', 'delegation-unknown-username'],
  async run({ node }: PlatformCall<CoresDeps>, { action, relId, controlled, delegateUsername, capabilityUrl }) {
    const loaded = await node.accounts.find(delegateUsername.toLowerCase())
    if (loaded === undefined) throw new Failure('delegation-unknown-username')
    const { account } = loaded
    const { seal } = node.store
    await account.exclusively(async (write) => {
      const known = controlledAccounts.find(account.db, seal, account.prefix, relId)
      if (action === 'cancel') {
        if (known?.status === 'invite') await write((t) => dropMirror(node, t, relId))
      } else if (known === undefined) {
        if (capabilityUrl === undefined) throw new Failure('invalid-parameters-format', 'An invite requires a capabilityUrl.')
        const requestedAt = node.clock.now()
        await putMirror(node, account, write, { relId, controlled, status: 'invite', requestedAt, capabilityUrl })
      }
    })
    return { ok: true }
  },
})
