import * as z from 'zod'
import { invalidFormat } from '../../store/model/failure.js'
import { plainValue } from '../../store/model/jsonText.js'
import { grow } from '../change.js'
import { concernsConsent } from '../consent/types.js'
import { prepareContent } from '../json/prepareContent.js'
import { method, type Result } from '../method.js'
import { setAccountField } from './accountFields.js'
import { addNew, newEvent } from './add.js'
import { newAttachments } from './attachments.js'
import { createMessage } from './createMessage.js'
import { refuseReserved } from './reservedAreas.js'
import {
  refuseFiles,
  refuseForeignId,
  refuseUnlessMayCreate,
  refuseUnusableStreams,
  streamIdsOf,
} from './rules.js'
import { eventFreeForm, EventView, isPlainNewEvent, NewEvent } from './schema.js'

/** Specification, "Data methods"; data supplement 2.5. Checks run in the order given there. */
export const create = method({
  id: 'events.create',
  summary: 'Records an event.',
  http: { verb: 'POST', path: '/events' },
  input: NewEvent,
  isPlain: isPlainNewEvent,
  freeForm: eventFreeForm,
  output: z.object({ event: EventView.describe('The created event.') }),
  status: 201,
  staging: true,
  takesFiles: 'with-item',
  fails: [
    'invalid-parameters-format',
    'invalid-request-structure',
    'unknown-referenced-resource',
    'invalid-operation',
    'consent-check-unavailable',
    'invalid-event-type',
    'invalid-item-id',
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
    if (node.systemStreams.owns(first) || concernsConsent(streamIds, asked.type)) asked.content = plainValue(asked.content)
    if (node.systemStreams.owns(first)) {
      refuseUnusableStreams(call, streamIds)
      refuseUnlessMayCreate(call, streamIds)
      return setAccountField(call, streamIds, asked)
    }
    if (concernsConsent(streamIds, asked.type)) return createMessage(call, streamIds, asked)
    const preparing = prepareContent(node, asked.type, asked.content)
    const write = (): Promise<Result> => grow(call, (t) => {
      // Asked when the write happens: a stream may have been deleted while it had to wait.
      refuseUnusableStreams(call, streamIds)
      if (asked.id !== undefined) refuseForeignId(asked.id)
      const { attachments, digests } = newAttachments(call)
      const event = newEvent(call, streamIds, asked, attachments)
      refuseUnlessMayCreate(call, streamIds, event.tags)
      return addNew(call, t, event, asked.id, digests)
    })
    return preparing === undefined ? write() : preparing.then(write)
  },
})
