/** What came of a message for the event that asked for it (consent supplement 1.13, 1.18). */
import { peerSlug } from '../../store/model/consentAccess.js'
import { identityOf } from '../consent/identity.js'
import { withoutOwned } from '../consent/stamp.js'
import { objectOf } from '../consent/objects.js'
import { deliver, messageId } from './peerClient.js'
import { undelivered } from './undelivered.js'
import type { Outcome, Job } from './jobTypes.js'

/** Where a message goes: the other account, and its stream. */
export interface Destination {
  endpoint: string
  streamId: string
}

/**
 * Sends `content` to the other account in the name of this one, as an event of the type of the one that is worked on.
 * Sent again, it is the same event there.
 */
export async function deliverFor(work: Job, { endpoint, streamId }: Destination, content: Record<string, unknown>): Promise<Outcome> {
  const { node, user, event } = work
  const from = identityOf(node, user.username)
  const delivered = await deliver(work, endpoint, {
    // Clients choose ids of events: two accounts may have the same.
    id: messageId(peerSlug(from), event.id, event.type, streamId),
    ...{ streamIds: [streamId], type: event.type, content: { ...content, from } },
  })
  return delivered.is === 'taken' ? { is: 'completed', stamps: { remoteEventId: delivered.eventId } } : undelivered(delivered)
}

/** What a client wrote in an event, without what the node has noted there. */
export function writtenContent({ event }: Job): Record<string, unknown> {
  const { remoteEventId: _, ...written } = objectOf(withoutOwned(event.content))
  return written
}
