/**
 * Back channel: receives the endpoint and channel streams of the requesting account (docs/interface/consents.md#back-channel).
 */
import type { Transaction } from '../../../store/engine/account.js'
import { findAccess, putAccess } from '../../../store/accesses/accesses.js'
import type { Access } from '../../../store/model/access.js'
import { CMC, counterpartyOf, type CounterpartyMark } from '../../../store/model/consentAccess.js'
import type { Event } from '../../../store/model/event.js'
import { withAccessIntegrity } from '../shared/integrity.js'
import type { Call } from '../../call/method.js'
import { endpointParts, withoutToken } from '../../base/endpointParts.js'
import { isOnPlatformOf } from './address.js'
import { unknownCounterparty } from './identity.js'
import { objectOf, textOf } from './objects.js'

/**
 * Records the peer's endpoint and channel streams on the data-grant that wrote `event`; removes the token from the event. The
 * access identifies the relationship, whatever the content says. Endpoints on hosts other than its own are rejected.
 * @throws Failure `invalid-operation`
 */
export function recordBackChannel(call: Call, t: Transaction, event: Event): void {
  const { node, caller } = call
  const content = objectOf(event.content)
  const endpoint = textOf(content['apiEndpoint'])
  const live = findAccess(t, node.store.seal, t.account, caller.access.id)
  const mark = live === undefined ? undefined : counterpartyOf(live.access)
  if (live !== undefined && mark !== undefined && endpoint !== undefined && endpointParts(endpoint) !== undefined) {
    if (!isOnPlatformOf(node, mark.counterparty, endpoint)) throw unknownCounterparty('The endpoint is not at the host of the other account.')
    const [chat, collector] = [textOf(content['remoteChatStreamId']), textOf(content['remoteCollectorStreamId'])]
    const after: CounterpartyMark = {
      ...mark,
      backChannelApiEndpoint: endpoint,
      counterparty: {
        ...mark.counterparty,
        apiEndpoint: endpoint,
        ...(chat === undefined ? {} : { remoteChatStreamId: chat }),
        ...(collector === undefined ? {} : { remoteCollectorStreamId: collector }),
      },
    }
    const access: Access = { ...live.access, clientData: { ...live.access.clientData, [CMC]: { ...after } }, modified: node.clock.now(), modifiedBy: 'system' }
    putAccess(t, node.store.seal, withAccessIntegrity(node, access, live.token), live.token, live)
  }
  if (endpoint !== undefined) event.content = { ...content, apiEndpoint: withoutToken(endpoint) }
}
