import { isSeriesType } from '../../store/model/eventTypes/series.js'
import * as z from 'zod'
import { findEvent, replaceEvent } from '../../store/events.js'
import { mergeKeys } from '../../store/model/clientData.js'
import type { Event } from '../../store/model/event.js'
import { eventRecordKey } from '../../store/model/integrity.js'
import { JsonText } from '../../store/model/jsonText.js'
import { Failure, invalidFormat } from '../../store/model/failure.js'
import { mayChangeEvent, mayContribute, mayMoveEvent, type EventPlace } from '../../store/model/permission.js'
import { updating } from '../change.js'
import { hideLink } from '../consent/begin.js'
import { chatContent } from '../consent/content.js'
import { judgeChange, refuseForeignChange } from '../consent/update.js'
import { withStableTexts, type StableTexts } from '../json/stableTexts.js'
import { decodeContent } from '../json/prepareContent.js'
import { method, type Call, type Result } from '../method.js'
import { setAccountField } from './accountFields.js'
import { shownEvent } from './readToken.js'
import { refuseRelationship, refuseReserved, refuseSecret } from './reservedAreas.js'
import { withIntegrity } from '../eventIntegrity.js'
import { cleanTags, refuseContent, refuseFiles, refuseInternalEvent, refuseUnusableStreams, streamIdsOf } from './rules.js'
import { eventFreeForm, EventUpdate, EventView, protectedFields, type EventUpdateInput } from './schema.js'

/** Specification, "Data methods"; data supplement 2.6. Applied to the event as it is stored when the write happens. */
export const update = method({
  id: 'events.update',
  summary: 'Changes an event; members that are not given keep their values.',
  http: { verb: 'PUT', path: '/events/:id' },
  body: 'update',
  freeForm: eventFreeForm,
  input: z.strictObject({
    id: z.string().describe('Id of the event.'),
    update: EventUpdate.describe('Members to change; others keep their values.'),
  }),
  output: z.object({ event: EventView.describe('The changed event.') }),
  staging: true,
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
  run(call, { id, update: asked }) {
    refuseFiles(call, asked.files)
    refuseProtected(call, asked)
    const { node } = call
    if (node.systemStreams.owns(id)) return updateAccountField(call, id, asked)
    refuseReserved(call, 'update', asked, id)
    const write = (): Promise<Result> => withStableTexts((known) => updating(asked)(call, (t) => {
      const before = findEvent(t, t.account, id)
      if (before === undefined) {
        refuseSecret(call, t, id)
        refuseRelationship(t, id)
        throw new Failure('unknown-resource', `Unknown event "${id}".`)
      }
      refuseInternalEvent(id, before.streamIds)
      refuseUnlessMayChange(call, before)
      refuseForeignChange(call, before)
      const after = changed(call, before, asked, known)
      call.trail?.wrote(eventRecordKey(after), after.integrity)
      return { event: shownEvent(call, replaceEvent(t, node.store.recorder, before, after)) }
    }))
    return asked.content instanceof JsonText ? decodeContent(asked.content).then(write) : write()
  },
})

function refuseProtected(call: Call, asked: EventUpdateInput): void {
  if (call.node.config.get('updates.ignoreProtectedFields')) return
  const named = protectedFields.filter((field) => asked[field] !== undefined)
  if (named.length > 0) throw new Failure('forbidden', `These fields cannot be changed: ${named.join(', ')}.`)
}

/** Refuses unless the caller may change the event, by its streams or by its tags. */
export function refuseUnlessMayChange(call: Call, event: Event): void {
  const { scope } = call.caller
  if (scope.personal) return
  if (!mayChangeEvent(scope, placeOf(event), call.account.tree)) throw new Failure('forbidden')
}

const placeOf = ({ streamIds, tags }: Event): EventPlace => ({ streamIds, tags: () => tags })

function changed(call: Call, before: Event, asked: EventUpdateInput, known: StableTexts | undefined): Event {
  const after: Event = { ...before, modified: call.node.clock.now(), modifiedBy: call.author }
  const streamIds = streamIdsOf(asked)
  if (asked.tags !== undefined) after.tags = cleanTags(asked.tags)
  if (streamIds !== undefined) {
    after.streamIds = streamIds
    refuseMove(call, before, after)
  }
  if (asked.type !== undefined) after.type = asked.type
  if (asked.time !== undefined) after.time = asked.time
  if (!setsReadOnlyContent(call, before, asked)) set(after, 'content', asked.content)
  set(after, 'description', asked.description)
  if (asked.duration !== undefined) {
    if (asked.duration === 0) delete after.duration
    else after.duration = asked.duration
  }
  if (asked.clientData !== undefined) {
    const clientData = mergeKeys(before.clientData, asked.clientData)
    if (clientData === undefined) delete after.clientData
    else after.clientData = clientData
  }
  if (asked.trashed === true) after.trashed = true
  else if (asked.trashed !== undefined) delete after.trashed
  refuseSeriesChange(call, before, after, asked)
  if (after.content !== undefined) after.content = chatContent(after.type, after.content)
  if (!isSeriesType(after.type)) refuseContent(call, after.type, after.content)
  judgeChange(call, before, after)
  hideLink(after)
  return withIntegrity(call, after, known)
}

/** Whether content is asked for that the node sets itself, and left aside as the settings say for read-only fields. */
const setsReadOnlyContent = (call: Call, before: Event, { content }: EventUpdateInput): boolean =>
  content !== undefined && isSeriesType(before.type) && call.node.config.get('updates.ignoreProtectedFields')

/** Sets an optional field; null takes it away. */
function set<K extends 'content' | 'description'>(event: Event, field: K, value: Event[K] | null): void {
  if (value === undefined) return
  if (value === null) delete event[field]
  else event[field] = value
}

/** Refuses streams that an event cannot move to, and those that the caller may not put it into or take it out of. */
function refuseMove(call: Call, before: Event, after: Event): void {
  const { scope } = call.caller
  const [from, to] = [before.streamIds, after.streamIds]
  const added = to.filter((id) => !from.includes(id))
  const removed = from.filter((id) => !to.includes(id))
  const { systemStreams } = call.node
  if (added.some((id) => systemStreams.owns(id) && systemStreams.byStream(id) !== undefined)) {
    throw new Failure('invalid-operation', 'An event cannot be moved into an account stream.', { streamIds: to })
  }
  refuseUnusableStreams(call, added)
  if (scope.personal) return
  if (!mayMoveEvent(scope, [...added, ...removed], placeOf(before), placeOf(after), call.account.tree)) {
    throw new Failure('forbidden')
  }
}

function refuseSeriesChange(call: Call, before: Event, after: Event, asked: EventUpdateInput): void {
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
  if (asked.content !== undefined && !setsReadOnlyContent(call, before, asked)) {
    throw invalidFormat([
      { code: 'NOT_PASSED', message: 'The content of a series event is set by the node.', path: '#/content' },
    ])
  }
  if (before.type !== after.type) {
    throw new Failure('invalid-operation', 'The type of a series cannot change.', { type: after.type })
  }
}

function updateAccountField(call: Call, id: string, asked: EventUpdateInput): ReturnType<typeof setAccountField> {
  const { node, account } = call
  const field = node.systemStreams.byStream(id)
  if (field === undefined) throw new Failure('unknown-resource', `Unknown event "${id}".`)
  const { scope } = call.caller
  if (!scope.personal && !mayContribute(scope, id, account.tree)) throw new Failure('forbidden')
  const streamIds = streamIdsOf(asked)
  if (streamIds !== undefined && (streamIds.length !== 1 || streamIds[0] !== id)) {
    throw new Failure('invalid-operation', 'The account stream of an event cannot change.', { streamIds })
  }
  if (asked.type !== undefined && asked.type !== field.type) {
    throw new Failure('invalid-operation', 'The type of an account field cannot change.', { streamId: id, fields: ['type'] })
  }
  const { id: _, ...fields } = asked
  const keepsValue = asked.content === undefined
  const content = keepsValue ? findEvent(node.store.db, account.prefix, id)?.content : asked.content
  return setAccountField(call, [id], { ...fields, content }, keepsValue)
}
