/** Rules for changing and deleting consent and message events (docs/interface/consents.md#who-may-write). */
import { CMC_INBOX, isCmcStream, isInternalStream } from '../../../store/model/cmc.js'
import { isCounterparty } from '../../../store/model/consentAccess.js'
import type { Event } from '../../../store/model/event.js'
import { Failure } from '../../../store/model/failure.js'
import { plainValue } from '../../../store/model/jsonText.js'
import type { Call } from '../../call/method.js'
import { assertMessage } from './content.js'
import { refused } from './refused.js'
import { withoutOwned } from './stamp.js'
import { ACCEPT, isConsentType, SCOPE_UPDATE } from './types.js'

/** Throws when a peer changes or deletes delivered events. */
export function assertOwnChange({ caller }: Call, { streamIds }: Event): void {
  if (isCounterparty(caller.access) && streamIds.some(isCmcStream)) {
    throw new Failure('forbidden', 'Delivered events cannot be changed.')
  }
}

/**
 * Validates the change of an event and restores server-owned members in `after`. A change triggers nothing; only creation does.
 */
export function judgeChange(call: Call, before: Event, after: Event): void {
  const added = after.streamIds.filter((id) => !before.streamIds.includes(id))
  if (added.some(isInternalStream)) throw new Failure('forbidden')
  if (added.includes(CMC_INBOX)) {
    throw refused('cmc-not-counterparty', 'Only accounts with a consent relationship can write to the inbox.', { streamId: CMC_INBOX })
  }
  const { type } = after
  if (!isConsentType(type)) return
  if (type !== before.type && (type === ACCEPT || type === SCOPE_UPDATE) && !call.caller.scope.personal) {
    throw refused('cmc-accept-requires-personal-token', 'Only the signed-in owner of the account can do this.', { eventType: type })
  }
  if (after.content === before.content && type === before.type) return
  // The address of an answer is stored without its token; delivered events have their own form.
  const stated = plainValue(after.content)
  assertMessage(type, stated, before.streamIds.includes(CMC_INBOX))
  const content = withoutOwned(stated, plainValue(before.content))
  if (content !== undefined) after.content = content as NonNullable<Event['content']>
}
