/**
 * Notification of the other account of a relationship when its access changes (docs/interface/messages.md#changes-of-an-access,
 * docs/interface/consents.md#end-of-a-relationship).
 */
import type { PeerNotice } from '../peerNotices.js'
import { objectOf } from '../objects.js'
import { stamp, type Stamps } from '../stamp.js'
import { REVOKE } from '../types.js'
import { deliver, type Caller, type Delivered, type Message } from './peerClient.js'
import { undelivered } from './undelivered.js'
import type { Handler } from './jobTypes.js'

/** Returns the members of a revoke event that record whether the other account was notified. */
export function noticeStamps(delivered: Delivered | undefined): Stamps {
  if (delivered === undefined) return { peerNotified: false, deliveryFailure: { reason: 'cmc-revoke-no-peer-endpoint' } }
  if (delivered.is === 'taken') return { peerNotified: true, deliveryFailure: undefined }
  const { status } = delivered
  const reason = 'cmc-revoke-delivery-failed'
  return { peerNotified: false, deliveryFailure: status === undefined ? { reason } : { reason, status } }
}

/**
 * Delivers a notice; `isAgain` after an attempt of unknown outcome. The peer deletes the access used for delivery when it learns
 * that the relationship ended, so a missing access then means success.
 */
export async function notifyPeerOnce(caller: Caller, endpoint: string, message: Message, isAgain: boolean): Promise<Delivered> {
  const delivered = await deliver(caller, endpoint, message)
  const isGone = delivered.is === 'rejected' && objectOf(delivered.body['error'])['id'] === 'invalid-access-token'
  return isAgain && isGone && message.type === REVOKE ? { is: 'taken', eventId: message.id, event: {} } : delivered
}

export const notifyPeer: Handler = async (work) => {
  const { node, account, task } = work
  const { endpoint, message, eventId } = task.payload as unknown as PeerNotice
  // For notices with an event, the handler of the event already tried.
  const delivered = await notifyPeerOnce(work, endpoint, message, task.attempts > 0 || eventId !== undefined)
  if (eventId !== undefined) await stamp(node, account, eventId, noticeStamps(delivered))
  if (delivered.is === 'taken') return { is: 'completed' }
  const { status } = delivered
  node.log.warn('failed to notify the other account of a relationship', { task: task.id, type: message.type, ...(status === undefined ? {} : { status }) })
  return undelivered(delivered)
}
