import * as z from 'zod'
import type { Delegate } from '../../../store/model/delegation.js'
import { Failure } from '../../../store/model/failure.js'
import { writeExclusively } from '../../dispatch/accountWrite.js'
import { genuineOnly } from '../../call/callers.js'
import { method, type Call } from '../../call/method.js'
import type { Context } from '../../call/context.js'
import { isDone, type Answer, type DelegationDeps } from './delivery.js'
import { identityOf } from './identity.js'
import { dropInvite } from './invites.js'
import { delegateNamed, logUndelivered, OtherUsername } from './rules.js'
import type { CoresDeps } from '../../platform/cores/cores.js'

/** The method delegations.cancelInvite (docs/interface/delegations.md#life-of-a-delegation). */
export const cancelInvite = method({
  id: 'delegations.cancelInvite',
  summary: 'Cancels the invitation of a delegate.',
  http: { verb: 'POST', path: '/delegations/delegates/:username/cancel' },
  caller: genuineOnly,
  requiresSetting: 'delegation.active',
  input: OtherUsername,
  output: () => z.object({}),
  fails: ['delegation-genuine-login-required', 'invalid-parameters-format', 'delegation-not-found', 'delegation-not-active'],
  async run(call: Call<CoresDeps & DelegationDeps>, { username }) {
    await cancel(call, username)
    return {}
  },
})

/**
 * Withdraws an invite here and on the delegate's core.
 * @throws Failure `delegation-not-found`; `delegation-not-active` for an active relationship
 */
async function cancel(call: Call<CoresDeps & DelegationDeps>, username: string): Promise<void> {
  const { node, user } = call
  const anchor = await writeExclusively(call, async (write) => {
    const found = await delegateNamed(call, username)
    if (found === undefined) throw new Failure('delegation-not-found')
    if (found.status === 'active') {
      throw new Failure('delegation-not-active', 'The delegate has accepted; detach it instead.', undefined, 'too-early')
    }
    await write((t) => dropInvite(node, t, found.relId))
    return found
  })
  const answer = await notifyCancelled(node, user, anchor)
  if (!isDone(answer)) logUndelivered(node, 'invite cancelled', anchor.relId, answer)
}

/** Notifies the core of an invited account that the invite was cancelled. `user` is the inviting account. */
export async function notifyCancelled(node: Context & CoresDeps & DelegationDeps, user: { username: string }, { relId, delegate }: Delegate): Promise<Answer> {
  const found = await node.cores.ofAccount(delegate.username)
  if (found?.core === undefined) return { status: 0, cause: 'unknown core' }
  const about = { relId, controlled: identityOf(node, user), delegateUsername: delegate.username }
  return node.delegations.toCore(found.core, 'invite', { action: 'cancel', ...about })
}
