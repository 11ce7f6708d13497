/** Telling the other account of a relationship what became of its access (consent supplement 1.16, 1.17). */
import type { Telling } from '../consent/notices.js'
import { stamp, type Stamps } from '../consent/stamp.js'
import { deliver, type Delivered } from './peer.js'
import { undelivered } from './undelivered.js'
import type { Handler } from './work.js'

/** What the event that a relationship was ended by says of whether the other account knows. */
export function tellingStamps(delivered: Delivered | undefined): Stamps {
  if (delivered === undefined) return { peerNotified: false, deliveryFailure: { reason: 'cmc-revoke-no-peer-endpoint' } }
  if (delivered.is === 'taken') return { peerNotified: true, deliveryFailure: undefined }
  const { status } = delivered
  const reason = 'cmc-revoke-delivery-failed'
  return { peerNotified: false, deliveryFailure: status === undefined ? { reason } : { reason, status } }
}

export const tell: Handler = async ({ node, account, task }) => {
  const { endpoint, message, eventId } = task.payload as unknown as Telling
  const delivered = await deliver(node, endpoint, message)
  if (eventId !== undefined) await stamp(node, account, eventId, tellingStamps(delivered))
  if (delivered.is === 'taken') return { is: 'completed' }
  const { status } = delivered
  node.log.warn('the other account of a relationship was not told', { task: task.id, type: message.type, ...(status === undefined ? {} : { status }) })
  return undelivered(delivered)
}
