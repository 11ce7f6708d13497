/**
 * Ends the delegations of a deleted account (docs/interface/delegations.md#detaching): releases the accounts it controls, and
 * notifies its delegates.
 */
import type { Account } from '../../../store/engine/account.js'
import { controlledAccounts, delegates } from '../../../store/accesses/delegations.js'
import type { Context } from '../../call/context.js'
import { notifyCancelled } from './cancelInvite.js'
import { isDone, type Answer, type DelegationDeps } from './delivery.js'
import { notifyDetached } from './detachDelegate.js'
import { logUndelivered } from './rules.js'
import type { CoresDeps } from '../../platform/cores/cores.js'

/**
 * Loads the account's delegations before deletion; returns a function that notifies the peers afterwards. Lost notifications
 * are harmless: the peer's next call fails, because the account is unknown.
 */
export async function prepareDelegationTeardown(node: Context & DelegationDeps & CoresDeps, account: Account, user: { username: string }): Promise<() => Promise<void>> {
  const { seal } = node.store
  const anchors = await delegates.list(account, seal)
  const mirrors = await controlledAccounts.list(account, seal)
  const notify = async (relId: string, notice: Promise<Answer>): Promise<void> => {
    const answer = await notice
    if (!isDone(answer)) logUndelivered(node, 'account deleted', relId, answer)
  }
  return async () => {
    await Promise.all([
      ...anchors.map((anchor) =>
        notify(anchor.relId, anchor.status === 'active' ? notifyDetached(node, anchor) : notifyCancelled(node, user, anchor)),
      ),
      ...mirrors.map(async ({ relId, controlled, status, capabilityUrl, controlApiEndpoint }) => {
        if (status === 'invite' && capabilityUrl !== undefined) {
          await notify(relId, node.delegations.toAccount(controlled, capabilityUrl, 'refuse-response', { relId }))
        } else if (status === 'active' && controlApiEndpoint !== undefined) {
          await notify(relId, node.delegations.toAccount(controlled, controlApiEndpoint, 'release'))
        }
      }),
    ])
  }
}
