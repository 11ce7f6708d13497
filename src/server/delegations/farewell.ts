/**
 * What a deletion of an account means for its relationships (consent supplement 6.7): as a delegate it lets go of the
 * accounts that it acts for, and its own delegates hear that there is nothing to act for any more.
 */
import type { Account } from '../../store/account.js'
import { controlleds, delegates } from '../../store/delegations.js'
import type { Node } from '../node.js'
import { tellCancelled } from './cancelInvite.js'
import { isDone, type Answer } from './delivery.js'
import { tellDetached } from './detachDelegate.js'
import { noteUntold } from './rules.js'

/**
 * Reads what an account has to tell when it is gone; answers how to tell it, afterwards. What nobody hears shows when
 * the other side calls: there is nobody to answer.
 */
export async function farewellOf(node: Node, account: Account, user: { username: string }): Promise<() => Promise<void>> {
  const { seal } = node.store
  const anchors = await delegates.list(account, seal)
  const mirrors = await controlleds.list(account, seal)
  const tell = async (relId: string, telling: Promise<Answer>): Promise<void> => {
    const answer = await telling
    if (!isDone(answer)) noteUntold(node, 'its account is deleted', relId, answer)
  }
  return async () => {
    await Promise.all([
      ...anchors.map((anchor) =>
        tell(anchor.relId, anchor.status === 'active' ? tellDetached(node, anchor) : tellCancelled(node, user, anchor)),
      ),
      ...mirrors.map(async ({ relId, controlled, status, capabilityUrl, controlApiEndpoint }) => {
        if (status === 'invite' && capabilityUrl !== undefined) {
          await tell(relId, node.delegations.toAccount(controlled, capabilityUrl, 'refuse-response', { relId }))
        } else if (status === 'active' && controlApiEndpoint !== undefined) {
          await tell(relId, node.delegations.toAccount(controlled, controlApiEndpoint, 'release'))
        }
      }),
    ])
  }
}
