import * as z from 'zod'
import { findEvent, replaceEvent } from '../../../store/events/events.js'
import type { Event } from '../../../store/model/event.js'
import { Failure } from '../../../store/model/failure.js'
import { writeAccount } from '../../dispatch/accountWrite.js'
import { withStableTexts } from '../../call/json/stableTexts.js'
import { anyAccess } from '../../call/callers.js'
import { method } from '../../call/method.js'
import { changeableEvent } from './addAttachment.js'
import { eventResult } from '../../auth/readToken.js'
import { withIntegrity } from '../shared/integrity.js'
import { EventView } from './schema.js'

/** See docs/interface/attachments.md#deletion. The bytes are deleted with the last event that refers to them. */
export const deleteAttachment = method({
  id: 'events.deleteAttachment',
  summary: 'Removes a file from an event.',
  http: { verb: 'DELETE', path: '/events/:id/:fileId' },
  caller: anyAccess,
  input: z.strictObject({
    id: z.string().describe('Id of the event.'),
    fileId: z.string().describe('Id of the attached file.'),
    auth: z.string().optional(),
  }),
  output: () => z.object({ event: EventView.describe('The event without the attachment.') }),
  synchronous: true,
  fails: ['unknown-resource', 'forbidden', 'invalid-operation'],
  run(call, { id, fileId }) {
    const { node } = call
    return withStableTexts((known) => writeAccount(call, (t) => {
      const before = changeableEvent(call, findEvent(t, t.account, id), id)
      const { attachments = [], ...rest } = before
      const left = attachments.filter((file) => file.id !== fileId)
      if (left.length === attachments.length) throw new Failure('unknown-resource', `Unknown file "${fileId}".`)
      const after: Event = { ...rest, modified: node.clock.now(), modifiedBy: call.author }
      if (left.length > 0) after.attachments = left
      withIntegrity(call, after, known)
      return { event: eventResult(call, replaceEvent(t, node.store.recorder, before, after)) }
    }))
  },
})
