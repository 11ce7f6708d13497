/** Accepts the answers that peers write through a link (docs/interface/consents.md#responses). */
import { isDeepStrictEqual } from 'node:util'
import { findLinkMember, findLink } from '../../../store/accesses/accesses.js'
import type { Transaction } from '../../../store/engine/account.js'
import { findRecord, isEventIdTaken } from '../../../store/events/events.js'
import type { CmcIdentity } from '../../../store/model/cmc.js'
import { capabilityOf, hasPeerSlug, peerSlug, type CapabilityMark } from '../../../store/model/consentAccess.js'
import type { Event } from '../../../store/model/event.js'
import { recordToEvent } from '../../../store/model/eventRecord.js'
import { Failure } from '../../../store/model/failure.js'
import { plainValue } from '../../../store/model/jsonText.js'
import type { Call } from '../../call/method.js'
import { endpointParts } from '../../base/endpointParts.js'
import { moveCapability } from './capability.js'
import { unknownCounterparty } from './identity.js'
import { objectOf, textOf } from './objects.js'
import { refused } from './refused.js'
import { scheduleTask } from './tasks.js'
import { ACCEPT, REFUSE } from './types.js'
import type { ConsentDeps } from './service.js'

/** The follow-up of an added event; or, for a repetition, the existing record. */
export interface Begun {
  repeated?: string
  follow?: () => void
}

/** Properties of a new event besides its content. */
export interface AnswerOptions {
  /** The id chosen by the client. */
  chosenId: string | undefined
  /** True if the sender of an accept was verified. */
  isProven: boolean
}

/** Returns the sender named in an answer; undefined when missing or invalid. */
export function senderOf(content: unknown): CmcIdentity | undefined {
  const { username, host } = objectOf(objectOf(content)['from'])
  const [name, at] = [textOf(username), textOf(host)]
  const sender = name === undefined || at === undefined ? undefined : { username: name, host: at }
  return sender !== undefined && hasPeerSlug(sender) ? sender : undefined
}

/** Returns the endpoint granted in an accept; undefined when missing or invalid. */
export function grantedEndpoint(content: unknown): string | undefined {
  const endpoint = textOf(objectOf(objectOf(content)['grantedAccess'])['apiEndpoint'])
  return endpoint !== undefined && endpointParts(endpoint) !== undefined ? endpoint : undefined
}

/** Returns the accepting account and its endpoint; undefined for incomplete answers, which have no effect. */
export function answerOf({ type, content }: { type: string; content?: unknown }): { from: CmcIdentity; endpoint: string } | undefined {
  const [from, endpoint] = [senderOf(content), grantedEndpoint(content)]
  return type === ACCEPT && from !== undefined && endpoint !== undefined ? { from, endpoint } : undefined
}

/**
 * Accepts an answer to an open link; an accept requires a sender verified by `delivery/proof.ts`. Consumes a single-use link in
 * the same transaction, so that only one of several concurrent accepts succeeds. A repeated answer returns the first result.
 */
export function acceptAnswer(call: Call<ConsentDeps>, t: Transaction, event: Event, { chosenId, isProven }: AnswerOptions): Begun {
  const { node, caller } = call
  const mark = capabilityOf(caller.access)
  if (event.type !== ACCEPT && event.type !== REFUSE) throw new Failure('forbidden')
  if (chosenId !== undefined && isEventIdTaken(t, t.account, chosenId)) return { repeated: repeatedRecord(t, chosenId, event) }
  // Read again: another answer may have arrived since this call was admitted.
  const link = mark === undefined ? undefined : findLink(t, node.store.seal, t.account, mark.capabilityId)
  const present = link === undefined ? undefined : capabilityOf(link.access)
  const isWhole = answerOf(event) !== undefined
  if (isWhole && !isProven) throw unknownCounterparty('The sender of the answer is not verified.')
  if (present !== undefined) {
    assertLinkOpen(present)
    // Without proof, the response must not reveal who has joined.
    if (isWhole && !present.singleUse) assertNotJoined(t, present, event)
  }
  if (link !== undefined && present?.singleUse === true && isWhole) moveCapability(node, t, link, 'consumed')
  return { follow: () => scheduleTask(node, t, { id: event.id, kind: 'response', attempts: 0, due: node.clock.now() }) }
}

/**
 * Throws unless the link accepts answers.
 * @throws Failure `invalid-operation`
 */
export function assertLinkOpen({ capability: { state, stateChangedAt } }: CapabilityMark): void {
  if (state === 'consumed') throw refused('cmc-capability-consumed', 'The link has already been used.', { stateChangedAt })
  if (state === 'invalidated') throw refused('cmc-capability-invalidated', 'The link was withdrawn.', { stateChangedAt })
}

function assertNotJoined(t: Transaction, { capabilityId }: CapabilityMark, event: Event): void {
  const sender = senderOf(event.content)
  const joined = sender === undefined ? undefined : findLinkMember(t, t.account, capabilityId, peerSlug(sender))
  if (joined === undefined) return
  throw refused('cmc-capability-already-accepted-by-you', 'This account has already accepted the offer.', { acceptedAt: joined.created })
}

/**
 * Returns the record of a repeated answer.
 * @throws Failure `item-already-exists` if its content differs
 */
function repeatedRecord(t: Transaction, id: string, event: Event): string {
  const record = findRecord(t, t.account, id)
  const former = record === undefined ? undefined : recordToEvent(record)
  const isSame = former?.type === event.type && former.streamIds[0] === event.streamIds[0] && isDeepStrictEqual(plainValue(former.content), plainValue(event.content))
  if (record === undefined || !isSame) throw new Failure('item-already-exists', `An event with id "${id}" already exists.`, { id })
  return record
}
