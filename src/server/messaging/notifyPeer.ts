/** Telling the other account of a relationship what became of its access (consent supplement 1.16, 1.17). */
import type { PeerNotice } from '../consent/peerNotices.js'
import { objectOf } from '../consent/objects.js'
import { stamp, type Stamps } from '../consent/stamp.js'
import { REVOKE } from '../consent/types.js'
import { deliver, type Caller, type Delivered, type Message } from './peerClient.js'
import { undelivered } from './undelivered.js'
import type { Handler } from './jobTypes.js'

/** What the event that a relationship was ended by says of whether the other account knows. */
export function noticeStamps(delivered: Delivered | undefined): Stamps {
  if (delivered === undefined) return { peerNotified: false, deliveryFailure: { reason: 'cmc-revoke-no-peer-endpoint' } }
  if (delivered.is === 'taken') return { peerNotified: true, deliveryFailure: undefined }
  const { status } = delivered
  const reason = 'cmc-revoke-delivery-failed'
  return { peerNotified: false, deliveryFailure: status === undefined ? { reason } : { reason, status } }
}

/**
 * Tells something, `isAgain` after a try of which nothing is known here. The other account ends the access that it is told
 * by as soon as it hears that all is over: when that is gone, it has heard.
 */
export async function notifyPeerOnce(caller: Caller, endpoint: string, message: Message, isAgain: boolean): Promise<Delivered> {
  const delivered = await deliver(caller, endpoint, message)
  const isGone = delivered.is === 'rejected' && objectOf(delivered.body['error'])['id'] === 'invalid-access-token'
  return isAgain && isGone && message.type === REVOKE ? { is: 'taken', eventId: message.id, event: {} } : delivered
}

export const notifyPeer: Handler = async (work) => {
  const { node, account, task } = work
  const { endpoint, message, eventId } = task.payload as unknown as PeerNotice
  // With an event, whoever wrote that has tried.
  const delivered = await notifyPeerOnce(work, endpoint, message, task.attempts > 0 || eventId !== undefined)
  if (eventId !== undefined) await stamp(node, account, eventId, noticeStamps(delivered))
  if (delivered.is === 'taken') return { is: 'completed' }
  const { status } = delivered
  node.log.warn('the other account of a relationship was not told', { task: task.id, type: message.type, ...(status === undefined ? {} : { status }) })
  return undelivered(delivered)
}
