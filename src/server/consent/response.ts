/** What is written to the answers of a link (consent supplement 1.9). */
import { isDeepStrictEqual } from 'node:util'
import { findJoined, findLink } from '../../store/accesses/accesses.js'
import type { Transaction } from '../../store/engine/account.js'
import { findRecord, isEventIdTaken } from '../../store/events/events.js'
import type { CmcIdentity } from '../../store/model/cmc.js'
import { capabilityOf, hasPeerSlug, peerSlug, type CapabilityMark } from '../../store/model/consentAccess.js'
import type { Event } from '../../store/model/event.js'
import { recordToEvent } from '../../store/model/eventRecord.js'
import { Failure } from '../../store/model/failure.js'
import { plainValue } from '../../store/model/jsonText.js'
import type { Call } from '../method.js'
import { endpointParts } from '../base/endpointParts.js'
import { moveCapability } from './capability.js'
import { unknownCounterparty } from './identity.js'
import { objectOf, textOf } from './objects.js'
import { scheduleTask } from './tasks.js'
import { ACCEPT, REFUSE } from './types.js'

/** What follows when an event has been added; or, of one that is a repetition, the record that is there. */
export interface Begun {
  repeated?: string
  follow?: () => void
}

/** Properties of a new event besides its content. */
export interface AnswerOptions {
  /** The id that the client gave it. */
  chosenId: string | undefined
  /** True if the sender of an accept was proven. */
  isProven: boolean
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

/** The account that accepts and the endpoint that it gives; undefined for an answer that lacks one, of which nothing comes. */
export function answerOf({ type, content }: { type: string; content?: unknown }): { from: CmcIdentity; endpoint: string } | undefined {
  const [from, endpoint] = [senderOf(content), grantedEndpoint(content)]
  return type === ACCEPT && from !== undefined && endpoint !== undefined ? { from, endpoint } : undefined
}

/**
 * Takes an answer to a link, while the link is open: an accept only from a sender that `messaging/proof.ts` has proven. An
 * accept uses up a link for one use in this very step, so that of many one succeeds. A repetition of an answer that was
 * taken is answered like the first.
 */
export function takeAnswer(call: Call, t: Transaction, event: Event, { chosenId, isProven }: AnswerOptions): Begun {
  const { node, caller } = call
  const mark = capabilityOf(caller.access)
  if (event.type !== ACCEPT && event.type !== REFUSE) throw new Failure('forbidden')
  if (chosenId !== undefined && isEventIdTaken(t, t.account, chosenId)) return { repeated: repeatedRecord(t, chosenId, event) }
  // Read anew: another answer may have come between the admission of this call and now.
  const link = mark === undefined ? undefined : findLink(t, node.store.seal, t.account, mark.capabilityId)
  const present = link === undefined ? undefined : capabilityOf(link.access)
  const isWhole = answerOf(event) !== undefined
  if (isWhole && !isProven) throw unknownCounterparty('The sender of the answer is not proven.')
  if (present !== undefined) {
    assertLinkOpen(present)
    // Without proof, the response must not reveal who has joined.
    if (isWhole && !present.singleUse) assertNotJoined(t, present, event)
  }
  if (link !== undefined && present?.singleUse === true && isWhole) moveCapability(node, t, link, 'consumed')
  return { follow: () => scheduleTask(node, t, { id: event.id, kind: 'response', attempts: 0, due: node.clock.now() }) }
}

const refused = (id: string, message: string, data: object): Failure => new Failure('invalid-operation', message, { id, ...data })

/** @throws Failure `invalid-operation` for a link that takes no more answers */
export function assertLinkOpen({ capability: { state, stateChangedAt } }: CapabilityMark): void {
  if (state === 'consumed') throw refused('cmc-capability-consumed', 'The link was used.', { stateChangedAt })
  if (state === 'invalidated') throw refused('cmc-capability-invalidated', 'The link was withdrawn.', { stateChangedAt })
}

function assertNotJoined(t: Transaction, { capabilityId }: CapabilityMark, event: Event): void {
  const sender = senderOf(event.content)
  const joined = sender === undefined ? undefined : findJoined(t, t.account, capabilityId, peerSlug(sender))
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
