import { isSeriesType } from '../../store/model/eventTypes/series.js'
import { z } from 'zod'
import type { Transaction } from '../../store/account.js'
import { addEvent, isEventIdTaken } from '../../store/events.js'
import { canonicalKeys } from '../../store/model/clientData.js'
import type { Attachment, Event } from '../../store/model/event.js'
import { recordWithZeroDuration } from '../../store/model/eventRecord.js'
import { eventRecordKey } from '../../store/model/integrity.js'
import { Failure, invalidFormat } from '../../store/model/failure.js'
import { findSharedSecret } from '../../store/sharedSecrets.js'
import { grow } from '../change.js'
import { method, type Call } from '../method.js'
import { setAccountField } from './accountFields.js'
import { newAttachments } from './attachments.js'
import { shownEvent } from './readToken.js'
import { refuseReserved } from './reservedAreas.js'
import {
  cleanTags,
  refuseContent,
  refuseFiles,
  refuseForeignId,
  refuseUnlessMayCreate,
  refuseUnusableStreams,
  seriesContent,
  streamIdsOf,
  withIntegrity,
} from './rules.js'
import { EventView, isPlainNewEvent, NewEvent, type NewEventInput } from './schema.js'

/** Specification, "Data methods"; data supplement 2.5. Checks run in the order given there. */
export const create = method({
  id: 'events.create',
  summary: 'Records an event.',
  http: { verb: 'POST', path: '/events' },
  input: NewEvent,
  isPlain: isPlainNewEvent,
  output: z.object({ event: EventView }),
  status: 201,
  staging: true,
  takesFiles: 'with-item',
  fails: [
    'invalid-parameters-format',
    'invalid-request-structure',
    'unknown-referenced-resource',
    'invalid-operation',
    'invalid-event-type',
    'forbidden',
    'item-already-exists',
    'payload-too-large',
    'storage-full',
    'user-intervention-required',
  ],
  run(call, asked) {
    refuseFiles(call, asked.files)
    const streamIds = streamIdsOf(asked)
    if (streamIds === undefined) {
      throw invalidFormat([
        {
          code: 'OBJECT_MISSING_REQUIRED_PROPERTY',
          message: 'Missing required property: streamIds',
          path: '#/',
          params: ['streamIds'],
        },
      ])
    }
    const { node } = call
    refuseReserved(call, 'create', asked)
    const [first = ''] = streamIds
    if (node.systemStreams.owns(first)) {
      refuseUnusableStreams(call, streamIds)
      refuseUnlessMayCreate(call, streamIds)
      return setAccountField(call, streamIds, asked)
    }
    return grow(call, (t) => {
      // Asked when the write happens: a stream may have been deleted while it had to wait.
      refuseUnusableStreams(call, streamIds)
      if (asked.id !== undefined) refuseForeignId(asked.id)
      const { attachments, digests } = newAttachments(call)
      const event = newEvent(call, streamIds, asked, attachments)
      refuseUnlessMayCreate(call, streamIds, event.tags)
      if (asked.id !== undefined && isIdTaken(call, t, event.id)) {
        throw new Failure('item-already-exists', `An event with id "${event.id}" already exists.`, { id: event.id })
      }
      call.trail?.wrote(eventRecordKey(event), event.integrity)
      const record = addEvent(t, node.store.recorder, event, digests)
      // A new series lasts as long as its points: 0 is what its holder says nowhere but here (data supplement 2.1, 10.1).
      const shown = isSeriesType(event.type) ? recordWithZeroDuration(record) : record
      return { event: shownEvent(call, shown) }
    })
  },
})

/** Whether an event has the id, or a secret, which is read as one. */
const isIdTaken = ({ node }: Call, t: Transaction, id: string): boolean =>
  isEventIdTaken(t, t.account, id) || findSharedSecret(t, node.store.seal, t.account, id) !== undefined

function newEvent(call: Call, streamIds: string[], asked: NewEventInput, attachments: Attachment[]): Event {
  const { node } = call
  const now = node.clock.now()
  const holdsSeries = isSeriesType(asked.type)
  if (!holdsSeries) refuseContent(call, asked.type, asked.content)
  const content = holdsSeries ? seriesContent(call, asked.type, asked.content) : asked.content
  const event: Event = {
    id: asked.id ?? node.newId(),
    streamIds,
    type: asked.type,
    time: asked.time ?? now,
    tags: cleanTags(asked.tags),
    created: now,
    createdBy: call.author,
    modified: now,
    modifiedBy: call.author,
  }
  // The duration of a series is that of its points.
  if (asked.duration !== undefined && asked.duration !== 0 && !holdsSeries) event.duration = asked.duration
  if (content !== undefined && content !== null) event.content = content
  if (typeof asked.description === 'string') event.description = asked.description
  if (attachments.length > 0) event.attachments = attachments
  const clientData = canonicalKeys(asked.clientData)
  if (clientData !== undefined) event.clientData = clientData
  if (asked.trashed === true) event.trashed = true
  return withIntegrity(call, event)
}
