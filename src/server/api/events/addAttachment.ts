import * as z from 'zod'
import { findEvent, replaceEvent } from '../../../store/events/events.js'
import type { Event } from '../../../store/model/event.js'
import { Failure } from '../../../store/model/failure.js'
import { eventRecordKey } from '../../../store/model/integrity.js'
import { writeWithinQuota } from '../../dispatch/accountWrite.js'
import { withStableTexts } from '../../call/json/stableTexts.js'
import { anyAccess } from '../../call/callers.js'
import { method, type Call } from '../../call/method.js'
import { newAttachments } from './attachments.js'
import { eventResult } from '../../auth/readToken.js'
import { withIntegrity } from '../shared/integrity.js'
import { EventView } from './schema.js'
import { assertNotInternal } from './rules.js'
import { assertMayChange } from './update.js'

/** Appends files to those of the event. Other parts and fields have no effect. See docs/interface/attachments.md#upload. */
export const addAttachment = method({
  id: 'events.addAttachment',
  summary: 'Attaches files to an event.',
  http: { verb: 'POST', path: '/events/:id' },
  caller: anyAccess,
  // Audited as an update of the event (docs/interface/audit.md#calls).
  recordedAs: 'events.update',
  input: z.object({ id: z.string().describe('Id of the event.') }),
  output: () => z.object({ event: EventView.describe('The event with the new attachments.') }),
  takesFiles: 'alone',
  notInBatch: true,
  fails: [
    'invalid-parameters-format',
    'invalid-request-structure',
    'invalid-operation',
    'unknown-resource',
    'forbidden',
    'payload-too-large',
    'storage-full',
    'user-intervention-required',
  ],
  assertBeforeUpload(call, { id = '' }) {
    const { db, prefix } = call.account
    changeableEvent(call, findEvent(db, prefix, id), id)
  },
  run(call, { id }) {
    const { node } = call
    return withStableTexts((known) => writeWithinQuota(call, (t) => {
      const before = changeableEvent(call, findEvent(t, t.account, id), id)
      const { attachments, digests } = newAttachments(call)
      const after: Event = { ...before, modified: node.clock.now(), modifiedBy: call.author }
      if (attachments.length > 0) after.attachments = [...(before.attachments ?? []), ...attachments]
      withIntegrity(call, after, known)
      call.trail?.recordWrite(eventRecordKey(after), after.integrity)
      return { event: eventResult(call, replaceEvent(t, node.store.recorder, before, after, { digests })) }
    }))
  },
})

/** Returns the event if it exists and the caller may change its files; account fields have none. */
export function changeableEvent(call: Call, event: Event | undefined, id: string): Event {
  if (event === undefined) throw new Failure('unknown-resource', `Unknown event "${id}".`)
  assertNotInternal(id, event.streamIds)
  assertMayChange(call, event)
  if (call.node.systemStreams.byStream(id) !== undefined) {
    throw new Failure('invalid-operation', 'Account fields have no files.', { streamId: id })
  }
  return event
}
