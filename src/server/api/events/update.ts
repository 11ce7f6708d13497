import { isSeriesType } from '../../../store/model/eventTypes/series.js'
import * as z from 'zod'
import { findEvent, replaceEvent } from '../../../store/events/events.js'
import { mergeKeys } from '../../../store/model/clientData.js'
import type { Event } from '../../../store/model/event.js'
import { eventTexts, type EventText } from '../../../store/model/events/fields.js'
import { eventRecordKey } from '../../../store/model/integrity.js'
import { JsonText } from '../../../store/model/jsonText.js'
import { Failure, invalidFormat } from '../../../store/model/failure.js'
import { eventPlace, mayChangeEvent, mayContribute, mayMoveEvent } from '../../../store/model/permission.js'
import { updateWriter } from '../../dispatch/accountWrite.js'
import { hideLink } from '../consents/beginMessage.js'
import { chatContent } from '../consents/content.js'
import { judgeChange, assertOwnChange } from '../consents/update.js'
import { withStableTexts, type StableTexts } from '../../call/json/stableTexts.js'
import { decodeContent } from '../../call/json/prepareContent.js'
import { anyAccess } from '../../call/callers.js'
import { method, type Call, type Result } from '../../call/method.js'
import { setAccountField } from '../shared/accountFields.js'
import { eventResult } from '../../auth/readToken.js'
import { assertNotRelationship, assertNotReserved, assertNotSecret, cleanTags, assertContent, assertFilesAllowed, assertNotInternal, assertStreamsUsable, streamIdsOf } from './rules.js'
import { withIntegrity } from '../shared/integrity.js'
import { eventFreeForm, EventUpdate, EventView, protectedFields, type EventUpdateInput } from './schema.js'

/** See docs/interface/events.md#updates. Applied to the stored event at the time of the write. */
export const update = method({
  id: 'events.update',
  summary: 'Changes an event; members that are not given keep their values.',
  http: { verb: 'PUT', path: '/events/:id', body: 'update' },
  caller: anyAccess,
  freeForm: eventFreeForm,
  input: z.strictObject({
    id: z.string().describe('Id of the event.'),
    update: EventUpdate.describe('Members to change; others keep their values.'),
  }),
  output: () => z.object({ event: EventView.describe('The changed event.') }),
  synchronous: true,
  fails: [
    'invalid-parameters-format',
    'unknown-resource',
    'unknown-referenced-resource',
    'invalid-operation',
    'invalid-event-type',
    'forbidden',
    'item-already-exists',
    'user-intervention-required',
  ],
  run(call, { id, update: input }) {
    assertFilesAllowed(call, input.files)
    assertNoProtectedFields(call, input)
    const { node } = call
    if (node.systemStreams.owns(id)) return updateAccountField(call, id, input)
    assertNotReserved(call, 'update', input, id)
    const write = (): Promise<Result> => withStableTexts((known) => updateWriter(input)(call, (t) => {
      const before = findEvent(t, t.account, id)
      if (before === undefined) {
        assertNotSecret(call, t, id)
        assertNotRelationship(t, id)
        throw new Failure('unknown-resource', `Unknown event "${id}".`)
      }
      assertNotInternal(id, before.streamIds)
      assertMayChange(call, before)
      assertOwnChange(call, before)
      const after = changed(call, before, input, known)
      call.trail?.recordWrite(eventRecordKey(after), after.integrity)
      return { event: eventResult(call, replaceEvent(t, node.store.recorder, before, after)) }
    }))
    return input.content instanceof JsonText ? decodeContent(input.content).then(write) : write()
  },
})

function assertNoProtectedFields(call: Call, input: EventUpdateInput): void {
  if (call.node.config.get('updates.ignoreProtectedFields')) return
  const named = protectedFields.filter((field) => input[field] !== undefined)
  if (named.length > 0) throw new Failure('forbidden', `These fields cannot be changed: ${named.join(', ')}.`)
}

/** Throws Failure `forbidden` unless the caller may change the event, by its streams or by its tags. */
export function assertMayChange(call: Call, event: Event): void {
  const { scope } = call.caller
  if (scope.personal) return
  if (!mayChangeEvent(scope, eventPlace(event), call.account.tree)) throw new Failure('forbidden')
}

function changed(call: Call, before: Event, input: EventUpdateInput, known: StableTexts | undefined): Event {
  const after: Event = { ...before, modified: call.node.clock.now(), modifiedBy: call.author }
  const streamIds = streamIdsOf(input)
  if (input.tags !== undefined) after.tags = cleanTags(input.tags)
  if (streamIds !== undefined) {
    after.streamIds = streamIds
    assertMayMove(call, before, after)
  }
  if (input.type !== undefined) after.type = input.type
  if (input.time !== undefined) after.time = input.time
  if (!setsReadOnlyContent(call, before, input)) set(after, 'content', input.content)
  for (const field of eventTexts) set(after, field, input[field])
  if (input.duration !== undefined) {
    if (input.duration === 0) delete after.duration
    else after.duration = input.duration
  }
  if (input.clientData !== undefined) {
    const clientData = mergeKeys(before.clientData, input.clientData)
    if (clientData === undefined) delete after.clientData
    else after.clientData = clientData
  }
  if (input.trashed === true) after.trashed = true
  else if (input.trashed !== undefined) delete after.trashed
  assertSeriesUnchanged(call, before, after, input)
  if (after.content !== undefined) after.content = chatContent(after.type, after.content)
  if (!isSeriesType(after.type)) assertContent(call, after.type, after.content)
  judgeChange(call, before, after)
  hideLink(after)
  return withIntegrity(call, after, known)
}

/** Checks whether an update contains content that the node sets itself, and that is ignored like read-only fields. */
const setsReadOnlyContent = (call: Call, before: Event, { content }: EventUpdateInput): boolean =>
  content !== undefined && isSeriesType(before.type) && call.node.config.get('updates.ignoreProtectedFields')

/** Sets an optional field; null removes it. */
function set<K extends 'content' | EventText>(event: Event, field: K, value: Event[K] | null): void {
  if (value === undefined) return
  if (value === null) delete event[field]
  else event[field] = value
}

/** Throws for streams to which an event cannot move, and for those that the caller must not add or remove. */
function assertMayMove(call: Call, before: Event, after: Event): void {
  const { scope } = call.caller
  const [from, to] = [before.streamIds, after.streamIds]
  const added = to.filter((id) => !from.includes(id))
  const removed = from.filter((id) => !to.includes(id))
  const { systemStreams } = call.node
  if (added.some((id) => systemStreams.owns(id) && systemStreams.byStream(id) !== undefined)) {
    throw new Failure('invalid-operation', 'An event cannot be moved into an account stream.', { streamIds: to })
  }
  assertStreamsUsable(call, added)
  if (scope.personal) return
  if (!mayMoveEvent(scope, [...added, ...removed], eventPlace(before), eventPlace(after), call.account.tree)) {
    throw new Failure('forbidden')
  }
}

function assertSeriesUnchanged(call: Call, before: Event, after: Event, input: EventUpdateInput): void {
  const wasSeries = isSeriesType(before.type)
  const isSeries = isSeriesType(after.type)
  if (isSeries && call.node.eventTypes.seriesType(after.type) === undefined) {
    throw new Failure('invalid-event-type', `Unknown event type "${after.type}".`, { type: after.type })
  }
  if (wasSeries !== isSeries) {
    throw new Failure('invalid-operation', 'A normal event cannot become a series, nor a series a normal event.', {
      type: after.type,
    })
  }
  if (!isSeries) return
  if (input.content !== undefined && !setsReadOnlyContent(call, before, input)) {
    throw invalidFormat([
      { code: 'NOT_PASSED', message: 'The content of a series event is set by the node.', path: '#/content' },
    ])
  }
  if (before.type !== after.type) {
    throw new Failure('invalid-operation', 'The type of a series cannot change.', { type: after.type })
  }
}

function updateAccountField(call: Call, id: string, input: EventUpdateInput): ReturnType<typeof setAccountField> {
  const { node, account } = call
  const field = node.systemStreams.byStream(id)
  if (field === undefined) throw new Failure('unknown-resource', `Unknown event "${id}".`)
  const { scope } = call.caller
  if (!scope.personal && !mayContribute(scope, id, account.tree)) throw new Failure('forbidden')
  const streamIds = streamIdsOf(input)
  if (streamIds !== undefined && (streamIds.length !== 1 || streamIds[0] !== id)) {
    throw new Failure('invalid-operation', 'The account stream of an event cannot change.', { streamIds })
  }
  if (input.type !== undefined && input.type !== field.type) {
    throw new Failure('invalid-operation', 'The type of an account field cannot change.', { streamId: id, fields: ['type'] })
  }
  const { id: _, ...fields } = input
  const keepsValue = input.content === undefined
  const content = keepsValue ? findEvent(node.store.db, account.prefix, id)?.content : input.content
  return setAccountField(call, [id], { ...fields, content }, keepsValue)
}
