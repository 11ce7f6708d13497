/** What is written to the answers of a link (consent supplement 1.9). */
import { isDeepStrictEqual } from 'node:util'
import { findJoined, findLink } from '../../store/accesses.js'
import type { Transaction } from '../../store/account.js'
import { findRecord, isEventIdTaken } from '../../store/events.js'
import type { CmcIdentity } from '../../store/model/cmc.js'
import { capabilityOf, hasPeerSlug, peerSlug, type CapabilityMark } from '../../store/model/consentAccess.js'
import type { Event } from '../../store/model/event.js'
import { recordToEvent } from '../../store/model/eventRecord.js'
import { Failure } from '../../store/model/failure.js'
import { plainValue } from '../../store/model/jsonText.js'
import type { Call } from '../method.js'
import { endpointParts } from '../endpointParts.js'
import { moveCapability } from './capability.js'
import { objectOf, textOf } from './objects.js'
import { scheduleTask } from './tasks.js'
import { ACCEPT, REFUSE } from './types.js'

/** What follows when an event has been added; or, of one that is a repetition, the record that is there. */
export interface Begun {
  repeated?: string
  follow?: () => void
}

/** Who an answer says that it is from; undefined when it does not. */
export function senderOf(content: unknown): CmcIdentity | undefined {
  const { username, host } = objectOf(objectOf(content)['from'])
  const [name, at] = [textOf(username), textOf(host)]
  const sender = name === undefined || at === undefined ? undefined : { username: name, host: at }
  return sender !== undefined && hasPeerSlug(sender) ? sender : undefined
}

/** The endpoint of the access that an accepting account gave; undefined when it gave none. */
export function grantedEndpoint(content: unknown): string | undefined {
  const endpoint = textOf(objectOf(objectOf(content)['grantedAccess'])['apiEndpoint'])
  return endpoint !== undefined && endpointParts(endpoint) !== undefined ? endpoint : undefined
}

/**
 * Takes an answer to a link, while the link is open; an accept uses up one for one use in this very step, so that of
 * many one succeeds. A repetition of an answer that was taken is answered like the first.
 */
export function takeAnswer(call: Call, t: Transaction, event: Event, chosenId: string | undefined): Begun {
  const { node, caller } = call
  const mark = capabilityOf(caller.access)
  if (event.type !== ACCEPT && event.type !== REFUSE) throw new Failure('forbidden')
  if (chosenId !== undefined && isEventIdTaken(t, t.account, chosenId)) return { repeated: repeatedRecord(t, chosenId, event) }
  // Read anew: another answer may have come between the admission of this call and now.
  const link = mark === undefined ? undefined : findLink(t, node.store.seal, t.account, mark.capabilityId)
  const present = link === undefined ? undefined : capabilityOf(link.access)
  if (present !== undefined) refuseUnlessOpen(t, present, event)
  const isWhole = senderOf(event.content) !== undefined && grantedEndpoint(event.content) !== undefined
  if (link !== undefined && event.type === ACCEPT && present?.singleUse === true && isWhole) moveCapability(node, t, link, 'consumed')
  return { follow: () => scheduleTask(node, t, { id: event.id, kind: 'response', attempts: 0, due: node.clock.now() }) }
}

function refuseUnlessOpen(t: Transaction, { capabilityId, singleUse, capability }: CapabilityMark, event: Event): void {
  const { state, stateChangedAt } = capability
  const refused = (id: string, message: string, data: object): Failure => new Failure('invalid-operation', message, { id, ...data })
  if (state === 'consumed') throw refused('cmc-capability-consumed', 'The link was used.', { stateChangedAt })
  if (state === 'invalidated') throw refused('cmc-capability-invalidated', 'The link was withdrawn.', { stateChangedAt })
  const sender = senderOf(event.content)
  if (singleUse || event.type !== ACCEPT || sender === undefined) return
  const joined = findJoined(t, t.account, capabilityId, peerSlug(sender))
  if (joined === undefined) return
  throw refused('cmc-capability-already-accepted-by-you', 'This account has accepted the offer.', { acceptedAt: joined.created })
}

/** The record of an answer that is given again, if that says the same. */
function repeatedRecord(t: Transaction, id: string, event: Event): string {
  const record = findRecord(t, t.account, id)
  const former = record === undefined ? undefined : recordToEvent(record)
  const isSame = former?.type === event.type && former.streamIds[0] === event.streamIds[0] && isDeepStrictEqual(plainValue(former.content), plainValue(event.content))
  if (record === undefined || !isSame) throw new Failure('item-already-exists', `An event with id "${id}" already exists.`, { id })
  return record
}
