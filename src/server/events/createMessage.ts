/** Creating events of consents and messages. Checks run in the order of consent supplement 1.5. */
import { CMC_INBOX } from '../../store/model/cmc.js'
import { grow } from '../change.js'
import { beginMessage, ensureScopes, refuseInternal, refuseUnlessDelivery } from '../consent/begin.js'
import { ACCEPT, isConsentType, REFUSE } from '../consent/types.js'
import type { Call, Result } from '../method.js'
import { addNew, newEvent } from './add.js'
import { newAttachments } from './attachments.js'
import { shownEvent } from './readToken.js'
import { refuseContent, refuseForeignId, refuseUnlessMayCreate, refuseUnusableStreams } from './rules.js'
import type { NewEventInput } from './schema.js'

/** Records an event whose stream or type is of that area, with what begins by it. Throws what events.create throws. */
export function createMessage(call: Call, streamIds: string[], asked: NewEventInput): Promise<Result> {
  const { type } = asked
  const isOwn = isConsentType(type)
  if (isOwn) refuseContent(call, type, asked.content)
  return grow(call, (t) => {
    if (call.caller.scope.personal && (type === ACCEPT || type === REFUSE)) ensureScopes(call, t, streamIds)
    refuseUnusableStreams(call, streamIds)
    if (asked.id !== undefined) refuseForeignId(asked.id)
    const { attachments, digests } = newAttachments(call)
    const event = newEvent(call, streamIds, asked, attachments)
    refuseUnlessMayCreate(call, streamIds, event.tags)
    refuseInternal(call, streamIds)
    const begun = isOwn ? beginMessage(call, t, event, asked.id) : undefined
    if (streamIds.includes(CMC_INBOX)) refuseUnlessDelivery(call, type)
    if (begun?.repeated !== undefined) return { event: shownEvent(call, begun.repeated) }
    const result = addNew(call, t, event, asked.id, digests)
    begun?.follow?.()
    return result
  })
}
