/**
 * Builds events from client input and inserts them; shared by all methods that create events (docs/interface/events.md#creation).
 */
import type { Transaction } from '../../../store/engine/account.js'
import { addEvent, isEventIdTaken } from '../../../store/events/events.js'
import { newKeys } from '../../../store/model/clientData.js'
import type { Attachment, Event } from '../../../store/model/event.js'
import { recordWithZeroDuration } from '../../../store/model/eventRecord.js'
import { eventTexts } from '../../../store/model/events/fields.js'
import { isSeriesType } from '../../../store/model/eventTypes/series.js'
import { Failure } from '../../../store/model/failure.js'
import { eventRecordKey } from '../../../store/model/integrity.js'
import { utf8Text } from '../../../store/model/jsonText.js'
import { findSharedSecret } from '../../../store/accesses/sharedSecrets.js'
import type { Call, Result } from '../../call/method.js'
import { eventResult } from '../../auth/readToken.js'
import { withIntegrity } from '../shared/integrity.js'
import { cleanTags, assertContent, seriesContent } from './rules.js'
import type { NewEventInput } from './schema.js'

/**
 * Returns the event for a client's input, without its integrity hash.
 * @throws Failure for content that does not match its type
 */
export function newEvent(call: Call, streamIds: string[], input: NewEventInput, attachments: Attachment[]): Event {
  const { node } = call
  const now = node.clock.now()
  const holdsSeries = isSeriesType(input.type)
  if (!holdsSeries) assertContent(call, input.type, input.content)
  const content = holdsSeries ? seriesContent(call, input.type) : input.content
  const event: Event = {
    id: input.id ?? node.newId(),
    streamIds,
    type: input.type,
    time: input.time ?? now,
    tags: cleanTags(input.tags),
    created: now,
    createdBy: call.author,
    modified: now,
    modifiedBy: call.author,
  }
  // The duration of a series follows from its points.
  if (input.duration !== undefined && input.duration !== 0 && !holdsSeries) event.duration = input.duration
  if (content !== undefined && content !== null) event.content = content
  for (const field of eventTexts) {
    const text = input[field]
    if (typeof text === 'string') event[field] = text
  }
  if (attachments.length > 0) event.attachments = attachments
  const clientData = newKeys(input.clientData)
  if (clientData !== undefined) event.clientData = clientData
  if (input.trashed === true) event.trashed = true
  return event
}

/**
 * Adds an event and returns the result. `chosenId` is the id if the client chose it; `digests` those of its files.
 * @throws Failure `item-already-exists`
 */
export function insertEvent(call: Call, t: Transaction, event: Event, chosenId: string | undefined, digests: Parameters<typeof addEvent>[3]): Result {
  const { node } = call
  if (chosenId !== undefined && isIdTaken(call, t, event.id)) {
    throw new Failure('item-already-exists', `An event with id "${event.id}" already exists.`, { id: event.id })
  }
  withIntegrity(call, event)
  call.trail?.recordWrite(eventRecordKey(event), event.integrity)
  const record = addEvent(t, node.store.recorder, event, digests)
  // A new series has a duration of 0, which only this answer contains (docs/interface/events.md#fields,
  // docs/interface/series.md#holder-event).
  const shown = isSeriesType(event.type) ? recordWithZeroDuration(typeof record === 'string' ? record : utf8Text(record)) : record
  return { event: eventResult(call, shown) }
}

/** Checks whether an event or a shared secret has the id. */
const isIdTaken = ({ node }: Call, t: Transaction, id: string): boolean =>
  isEventIdTaken(t, t.account, id) || findSharedSecret(t, node.store.seal, t.account, id) !== undefined
