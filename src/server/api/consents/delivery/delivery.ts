/**
 * Delivery of a message, and its outcome for the event that requested it (docs/interface/messages.md#chats,
 * docs/interface/messages.md#delivery).
 */
import { peerSlug } from '../../../../store/model/consentAccess.js'
import { identityOf } from '../identity.js'
import { withoutOwned } from '../stamp.js'
import { objectOf } from '../objects.js'
import { deliver, messageId } from './peerClient.js'
import { undelivered } from './undelivered.js'
import type { Outcome, Job } from './jobTypes.js'

/** Recipient of a message: the other account, and its stream. */
export interface Destination {
  endpoint: string
  streamId: string
}

/**
 * Sends `content` to the other account in the name of this one, as an event of the same type as the current one. Repeated
 * deliveries have the same id there.
 */
export async function deliverFor(work: Job, { endpoint, streamId }: Destination, content: Record<string, unknown>): Promise<Outcome> {
  const { node, user, event } = work
  const from = identityOf(node, user.username)
  const delivered = await deliver(work, endpoint, {
    // Clients choose event ids, so two accounts may have the same one.
    id: messageId(peerSlug(from), event.id, event.type, streamId),
    ...{ streamIds: [streamId], type: event.type, content: { ...content, from } },
  })
  return delivered.is === 'taken' ? { is: 'completed', stamps: { remoteEventId: delivered.eventId } } : undelivered(delivered)
}

/** Returns the content that a client wrote, without the members that the node added. */
export function writtenContent({ event }: Job): Record<string, unknown> {
  const { remoteEventId: _, ...written } = objectOf(withoutOwned(event.content))
  return written
}
