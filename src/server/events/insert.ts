/** Making an event of what a client sent, and adding it: for whatever creates events by a call (data supplement 2.5). */
import type { Transaction } from '../../store/engine/account.js'
import { addEvent, isEventIdTaken } from '../../store/events/events.js'
import { newKeys } from '../../store/model/clientData.js'
import type { Attachment, Event } from '../../store/model/event.js'
import { recordWithZeroDuration } from '../../store/model/eventRecord.js'
import { isSeriesType } from '../../store/model/eventTypes/series.js'
import { Failure } from '../../store/model/failure.js'
import { eventRecordKey } from '../../store/model/integrity.js'
import { utf8Text } from '../../store/model/jsonText.js'
import { findSharedSecret } from '../../store/accesses/sharedSecrets.js'
import type { Call, Result } from '../method.js'
import { shownEvent } from './readToken.js'
import { withIntegrity } from '../eventIntegrity.js'
import { cleanTags, assertContent, seriesContent } from './rules.js'
import type { NewEventInput } from './schema.js'

/**
 * The event that a client asked for, without its integrity.
 * @throws Failure for content that does not fit its type
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
  // The duration of a series is that of its points.
  if (input.duration !== undefined && input.duration !== 0 && !holdsSeries) event.duration = input.duration
  if (content !== undefined && content !== null) event.content = content
  if (typeof input.description === 'string') event.description = input.description
  if (attachments.length > 0) event.attachments = attachments
  const clientData = newKeys(input.clientData)
  if (clientData !== undefined) event.clientData = clientData
  if (input.trashed === true) event.trashed = true
  return event
}

/**
 * Adds an event, and answers it. `chosenId` is the id as the client chose it, if it did; `digests` those of its files.
 * @throws Failure `item-already-exists`
 */
export function insertEvent(call: Call, t: Transaction, event: Event, chosenId: string | undefined, digests: Parameters<typeof addEvent>[3]): Result {
  const { node } = call
  if (chosenId !== undefined && isIdTaken(call, t, event.id)) {
    throw new Failure('item-already-exists', `An event with id "${event.id}" already exists.`, { id: event.id })
  }
  withIntegrity(call, event)
  call.trail?.wrote(eventRecordKey(event), event.integrity)
  const record = addEvent(t, node.store.recorder, event, digests)
  // A new series lasts as long as its points: 0 is what its holder says nowhere but here (data supplement 2.1, 10.1).
  const displayed = isSeriesType(event.type) ? recordWithZeroDuration(typeof record === 'string' ? record : utf8Text(record)) : record
  return { event: shownEvent(call, displayed) }
}

/** Whether an event has the id, or a secret, which is read as one. */
const isIdTaken = ({ node }: Call, t: Transaction, id: string): boolean =>
  isEventIdTaken(t, t.account, id) || findSharedSecret(t, node.store.seal, t.account, id) !== undefined
