/** What holds when events of consents and messages are changed or deleted (consent supplement 1.5). */
import { CMC_INBOX, isCmcStream, isInternalStream } from '../../store/model/cmc.js'
import { isCounterparty } from '../../store/model/consentAccess.js'
import type { Event } from '../../store/model/event.js'
import { Failure } from '../../store/model/failure.js'
import { plainValue } from '../../store/model/jsonText.js'
import type { Call } from '../method.js'
import { assertMessage } from './content.js'
import { withoutOwned } from './stamp.js'
import { ACCEPT, isConsentType, SCOPE_UPDATE } from './types.js'

const refused = (id: string, message: string, data: object): Failure => new Failure('invalid-operation', message, { id, ...data })

/** Refuses to change or delete what the other account of a relationship wrote, or what is written to it, in its name. */
export function assertOwnChange({ caller }: Call, { streamIds }: Event): void {
  if (isCounterparty(caller.access) && streamIds.some(isCmcStream)) {
    throw new Failure('forbidden', 'What was delivered stays as it is.')
  }
}

/**
 * Judges the change of an event, and puts right in `after` what only the node says. A changed event asks for nothing
 * again: what a message asks for begins when it is created.
 */
export function judgeChange(call: Call, before: Event, after: Event): void {
  const added = after.streamIds.filter((id) => !before.streamIds.includes(id))
  if (added.some(isInternalStream)) throw new Failure('forbidden')
  if (added.includes(CMC_INBOX)) {
    throw refused('cmc-not-counterparty', 'Only accounts that agreed on a consent write to the inbox.', { streamId: CMC_INBOX })
  }
  const { type } = after
  if (!isConsentType(type)) return
  if (type !== before.type && (type === ACCEPT || type === SCOPE_UPDATE) && !call.caller.scope.personal) {
    throw refused('cmc-accept-requires-personal-token', 'The owner of the account decides this, signed in.', { eventType: type })
  }
  if (after.content === before.content && type === before.type) return
  // Of an answer the address was kept without its token; what the other side delivered has a form of its own.
  const stated = plainValue(after.content)
  assertMessage(type, stated, before.streamIds.includes(CMC_INBOX))
  const content = withoutOwned(stated, plainValue(before.content))
  if (content !== undefined) after.content = content as NonNullable<Event['content']>
}
