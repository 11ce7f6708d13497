/** Creating events of consents and messages. Checks run in the order of consent supplement 1.5. */
import { CMC_INBOX } from '../../store/model/cmc.js'
import { grow } from '../change.js'
import { beginMessage, ensureScopes, refuseInternal, refuseUnlessDelivery } from '../consent/begin.js'
import { chatContent } from '../consent/content.js'
import { ACCEPT, isConsentType, REFUSE } from '../consent/types.js'
import type { Call, Result } from '../method.js'
import { addNew, newEvent } from './add.js'
import { newAttachments } from './attachments.js'
import { shownEvent } from './readToken.js'
import { refuseContent, refuseForeignId, refuseUnlessMayCreate, refuseUnusableStreams } from './rules.js'
import type { NewEventInput } from './schema.js'

/** Records an event whose stream or type is of that area, with what begins by it. Throws what events.create throws. */
export function createMessage(call: Call, streamIds: string[], given: NewEventInput): Promise<Result> {
  const { type } = given
  const asked = { ...given, content: chatContent(type, given.content) }
  const isOwn = isConsentType(type)
  if (isOwn) refuseContent(call, type, asked.content)
  const proof = isOwn && call.node.consents.proveAnswer(call, streamIds, asked)
  return proof === false ? store(call, streamIds, asked, false) : proof.then((isProven) => store(call, streamIds, asked, isProven))
}

function store(call: Call, streamIds: string[], asked: NewEventInput, isProven: boolean): Promise<Result> {
  const { type } = asked
  return grow(call, (t) => {
    if (call.caller.scope.personal && (type === ACCEPT || type === REFUSE)) ensureScopes(call, t, streamIds)
    refuseUnusableStreams(call, streamIds)
    if (asked.id !== undefined) refuseForeignId(asked.id)
    const { attachments, digests } = newAttachments(call)
    const event = newEvent(call, streamIds, asked, attachments)
    refuseUnlessMayCreate(call, streamIds, event.tags)
    refuseInternal(call, streamIds)
    const begun = isConsentType(type) ? beginMessage(call, t, event, { chosenId: asked.id, isProven }) : undefined
    if (streamIds.includes(CMC_INBOX)) refuseUnlessDelivery(call, type)
    if (begun?.repeated !== undefined) return { event: shownEvent(call, begun.repeated) }
    const result = addNew(call, t, event, asked.id, digests)
    begun?.follow?.()
    return result
  })
}
