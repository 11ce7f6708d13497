/** Refusal of an offer (docs/interface/consents.md#refusal). */
import { responsesStreamOf } from '../../../../store/model/cmc.js'
import { identityOf } from '../identity.js'
import { objectOf, textOf } from '../objects.js'
import { REFUSE } from '../types.js'
import { withoutToken } from '../../../base/endpointParts.js'
import { readOffer } from './offer.js'
import { deliver, messageId } from './peerClient.js'
import { undelivered, unreadableOffer } from './undelivered.js'
import { failed, type Outcome, type Job } from './jobTypes.js'

/** The handler of `consent/refuse-cmc`: notifies the account that made the offer; creates nothing here. */
export async function refuse(work: Job): Promise<Outcome> {
  const { node, user, event, task } = work
  const url = textOf(task.payload?.['capabilityUrl'])
  if (url === undefined) return failed('cmc-handler-missing-capability-url')
  const offer = await readOffer(work, url)
  if (!offer.ok) return unreadableOffer(offer)
  const from = identityOf(node, user.username)
  const capabilityId = String(offer.content['capabilityId'])
  const { reason } = objectOf(event.content)
  const answer = await deliver(work, url, {
    id: messageId('refuse', from.username, from.host, event.id),
    streamIds: [responsesStreamOf(capabilityId)],
    type: REFUSE,
    content: { from, capabilityId, capabilityUrl: withoutToken(url), ...(reason === undefined ? {} : { reason }) },
  })
  return answer.is === 'taken' ? { is: 'completed', stamps: { capabilityId, offerEventId: offer.eventId } } : undelivered(answer)
}
