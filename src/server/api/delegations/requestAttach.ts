import * as z from 'zod'
import { delegates, isNamed } from '../../../store/accesses/delegations.js'
import type { Delegate, Identity } from '../../../store/model/delegation.js'
import { Failure } from '../../../store/model/failure.js'
import { apiEndpoint } from '../../config/apiEndpoint.js'
import { writeExclusively } from '../../dispatch/accountWrite.js'
import { personalOnly } from '../../call/callers.js'
import { method, type Call } from '../../call/method.js'
import { isDone, type DelegationDeps } from './delivery.js'
import { identityOf, ownSlug } from './identity.js'
import { dropInvite } from './invites.js'
import { provideManaged } from './managedAccess.js'
import { delegateNamed, INVITE_SECONDS, isOver, undelivered, Username } from './rules.js'
import type { CoresDeps } from '../../platform/cores/cores.js'

/** See docs/interface/delegations.md#life-of-a-delegation. Answers after the delegate received the invite. */
export const requestAttach = method({
  id: 'delegations.requestAttach',
  summary: 'Invites an account to act for this one.',
  http: { verb: 'POST', path: '/delegations/attach-request', status: 201 },
  caller: personalOnly,
  requiresSetting: 'delegation.active',
  input: z.object({ delegateUsername: Username.describe('User name of the account to invite.') }),
  output: () => z.object({
    delegation: z.object({
      relId: z.string().describe('Id of the delegation.'),
      delegate: z
        .object({
          username: z.string().describe('User name of the invited account.'),
          hostSlug: z.string().describe("Host of the account's platform, as a slug."),
        })
        .describe('The invited account.'),
      status: z.literal('invite').describe('invite until it is accepted.'),
      requestedAt: z.number().describe('Time of the invitation, in seconds since 1970.'),
      expiresAt: z.number().describe('Time at which the invitation expires, in seconds since 1970: 30 days later.'),
    }).describe('The invitation.'),
  }),
  fails: [
    'forbidden',
    'invalid-parameters-format',
    'delegation-unknown-username',
    'delegation-self-not-allowed',
    'delegation-already-exists',
    'delegation-unknown-core',
    'delegation-delivery-failed',
  ],
  async run(call: Call<DelegationDeps & CoresDeps>, { delegateUsername }) {
    const { node, user } = call
    const { delegate, core } = await findDelegate(call, delegateUsername)
    const { relId, requestedAt, expiresAt, capabilityUrl } = await invite(call, delegate)
    const controlled = identityOf(node, user)
    const about = { relId, controlled, delegateUsername: delegate.username }
    const answer = await node.delegations.toCore(core, 'invite', { action: 'create', ...about, capabilityUrl, expiresAt })
    if (!isDone(answer)) {
      await call.account.exclusively((write) => write((t) => dropInvite(node, t, relId)))
      // The invite may have arrived although the answer was lost.
      if (answer.status === 0) void node.delegations.toCore(core, 'invite', { action: 'cancel', ...about })
      throw undelivered(answer)
    }
    return { delegation: { relId, delegate, status: 'invite', requestedAt, expiresAt } }
  },
})

/** Returns the invited account and its core. */
async function findDelegate({ node, user }: Call<CoresDeps>, name: string) {
  if (name === '') {
    throw new Failure('delegation-unknown-username', 'The username of the delegate is missing.', undefined, 'absent')
  }
  if (isNamed(user.username, name)) throw new Failure('delegation-self-not-allowed')
  const found = await node.cores.ofAccount(name)
  if (found === undefined) throw new Failure('delegation-unknown-username')
  // A former username also resolves to the account.
  if (isNamed(user.username, found.username)) throw new Failure('delegation-self-not-allowed')
  if (found.core === undefined) throw new Failure('delegation-unknown-core')
  const delegate: Identity = { username: found.username, hostSlug: ownSlug(node) }
  return { delegate, core: found.core }
}

/** Stores the invite. Of simultaneous invites for one delegate, one succeeds. Replaces an expired invite. */
function invite(call: Call<CoresDeps>, delegate: Identity): Promise<{ relId: string; requestedAt: number; expiresAt: number; capabilityUrl: string }> {
  const { node, user } = call
  return writeExclusively(call, async (write) => {
    const requestedAt = node.clock.now()
    const former = await delegateNamed(call, delegate.username)
    if (former !== undefined && !isOver(former, requestedAt)) throw new Failure('delegation-already-exists')
    return write((t) => {
      if (former !== undefined) dropInvite(node, t, former.relId)
      const relId = node.newId()
      const expiresAt = requestedAt + INVITE_SECONDS
      const anchor: Delegate = { relId, delegate, status: 'invite', requestedAt, expiresAt }
      const { token } = provideManaged(node, t, { kind: 'invite-capability', relId }, expiresAt)
      delegates.put(t, node.store.seal, anchor)
      return { relId, requestedAt, expiresAt, capabilityUrl: apiEndpoint(node, user.username, token.reveal()) }
    })
  })
}
