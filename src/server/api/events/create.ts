import * as z from 'zod'
import { invalidFormat } from '../../../store/model/failure.js'
import { plainValue } from '../../../store/model/jsonText.js'
import { writeWithinQuota } from '../../dispatch/accountWrite.js'
import { concernsConsent } from '../consents/types.js'
import { prepareContent } from '../../call/json/prepareContent.js'
import { anyAccess } from '../../call/callers.js'
import { method, type Result, type Call } from '../../call/method.js'
import { setAccountField } from '../shared/accountFields.js'
import { insertEvent, newEvent } from './insert.js'
import { newAttachments } from './attachments.js'
import { createMessage } from './createMessage.js'
import { assertNotReserved } from './rules.js'
import {
  assertFilesAllowed,
  assertOwnIdForm,
  assertMayCreate,
  assertStreamsUsable,
  streamIdsOf,
} from './rules.js'
import { eventFreeForm, EventView, isPlainNewEvent, NewEvent } from './schema.js'
import type { ConsentDeps } from '../consents/service.js'

/** See docs/interface/events.md#creation. Checks run in the order given there. */
export const create = method({
  id: 'events.create',
  summary: 'Records an event.',
  http: { verb: 'POST', path: '/events', status: 201 },
  caller: anyAccess,
  input: NewEvent,
  isPlain: isPlainNewEvent,
  freeForm: eventFreeForm,
  output: () => z.object({ event: EventView.describe('The created event.') }),
  synchronous: true,
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
  run(call: Call<ConsentDeps>, input) {
    assertFilesAllowed(call, input.files)
    const streamIds = streamIdsOf(input)
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
    assertNotReserved(call, 'create', input)
    const [first = ''] = streamIds
    if (node.systemStreams.owns(first) || concernsConsent(streamIds, input.type)) input.content = plainValue(input.content)
    if (node.systemStreams.owns(first)) {
      assertStreamsUsable(call, streamIds)
      assertMayCreate(call, streamIds)
      return setAccountField(call, streamIds, input)
    }
    if (concernsConsent(streamIds, input.type)) return createMessage(call, streamIds, input)
    const preparing = prepareContent(node, input.type, input.content)
    const write = (): Promise<Result> => writeWithinQuota(call, (t) => {
      // Checked at the time of the write: a stream may have been deleted while the call waited.
      assertStreamsUsable(call, streamIds)
      if (input.id !== undefined) assertOwnIdForm(input.id)
      const { attachments, digests } = newAttachments(call)
      const event = newEvent(call, streamIds, input, attachments)
      assertMayCreate(call, streamIds, event.tags)
      return insertEvent(call, t, event, input.id, digests)
    })
    return preparing === undefined ? write() : preparing.then(write)
  },
})
