/** Creates consent and message events. Checks run in the order of docs/interface/consents.md#who-may-write. */
import { CMC_INBOX } from '../../../store/model/cmc.js'
import { writeWithinQuota } from '../../dispatch/accountWrite.js'
import { beginMessage, ensureScopes, assertNotInternal, assertDelivery } from '../consents/beginMessage.js'
import { chatContent } from '../consents/content.js'
import { ACCEPT, isConsentType, REFUSE } from '../consents/types.js'
import type { Call, Result } from '../../call/method.js'
import { insertEvent, newEvent } from './insert.js'
import { newAttachments } from './attachments.js'
import { eventResult } from '../../auth/readToken.js'
import { assertContent, assertOwnIdForm, assertMayCreate, assertStreamsUsable } from './rules.js'
import type { NewEventInput } from './schema.js'
import type { ConsentDeps } from '../consents/service.js'

/**
 * Creates an event whose stream or type belongs to consents and messages, with its follow-up task. Throws the failures of
 * events.create.
 */
export function createMessage(call: Call<ConsentDeps>, streamIds: string[], given: NewEventInput): Promise<Result> {
  const { type } = given
  const input = { ...given, content: chatContent(type, given.content) }
  const isOwn = isConsentType(type)
  if (isOwn) assertContent(call, type, input.content)
  const proof = isOwn && call.node.consents.proveAnswer(call, streamIds, input)
  return proof === false ? store(call, streamIds, input, false) : proof.then((isProven) => store(call, streamIds, input, isProven))
}

function store(call: Call<ConsentDeps>, streamIds: string[], input: NewEventInput, isProven: boolean): Promise<Result> {
  const { type } = input
  return writeWithinQuota(call, (t) => {
    if (call.caller.scope.personal && (type === ACCEPT || type === REFUSE)) ensureScopes(call, t, streamIds)
    assertStreamsUsable(call, streamIds)
    if (input.id !== undefined) assertOwnIdForm(input.id)
    const { attachments, digests } = newAttachments(call)
    const event = newEvent(call, streamIds, input, attachments)
    assertMayCreate(call, streamIds, event.tags)
    assertNotInternal(call, streamIds)
    const begun = isConsentType(type) ? beginMessage(call, t, event, { chosenId: input.id, isProven }) : undefined
    if (streamIds.includes(CMC_INBOX)) assertDelivery(call, type)
    if (begun?.repeated !== undefined) return { event: eventResult(call, begun.repeated) }
    const result = insertEvent(call, t, event, input.id, digests)
    begun?.follow?.()
    return result
  })
}
