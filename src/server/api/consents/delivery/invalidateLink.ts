/** Ends an invite link for several uses (docs/interface/messages.md#delivery). */
import { findLink } from '../../../../store/accesses/accesses.js'
import { capabilityOf, isCapabilityId } from '../../../../store/model/consentAccess.js'
import { withdrawLink } from '../linkEnding.js'
import { objectOf } from '../objects.js'
import { failed, type Outcome, type Job } from './jobTypes.js'

/**
 * Blocks further accepts by the link; existing relationships stay. Rejects single-use links, which `consent/revoke-cmc`
 * withdraws.
 */
export async function invalidateLink({ node, account, event }: Job): Promise<Outcome> {
  const { capabilityId, reason } = objectOf(event.content)
  if (capabilityId === undefined) return failed('cmc-handler-missing-capability-id')
  return account.write((t): Outcome => {
    const link = isCapabilityId(capabilityId) ? findLink(t, node.store.seal, account.prefix, capabilityId) : undefined
    const mark = link === undefined ? undefined : capabilityOf(link.access)
    if (link === undefined || mark === undefined) return failed('capability-access-not-found')
    if (mark.capability.mode === 'single-use' || mark.capability.state !== 'open') return { is: 'completed' }
    withdrawLink(node, t, link, reason)
    return { is: 'completed' }
  })
}
