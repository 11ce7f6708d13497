import * as z from 'zod'
import type { Transaction } from '../../../store/engine/account.js'
import { each } from '../../../store/engine/database.js'
import { findEvent, removeEvent, replaceEvent } from '../../../store/events/events.js'
import { accountKeys, under } from '../../../store/engine/keys.js'
import { recordToEvent } from '../../../store/model/eventRecord.js'
import type { Event } from '../../../store/model/event.js'
import { Failure, invalidFormat } from '../../../store/model/failure.js'
import { mayManage } from '../../../store/model/permission.js'
import type { Stream } from '../../../store/model/stream.js'
import { removeStream, replaceStream } from '../../../store/streams/streams.js'
import { deletionIntegrity } from '../events/delete.js'
import { assertDeletable } from '../consents/streams.js'
import { assertNoReservedStreams } from '../events/rules.js'
import { withIntegrity } from '../shared/integrity.js'
import { writeAccount, writeExclusively } from '../../dispatch/accountWrite.js'
import { anyAccess } from '../../call/callers.js'
import { method, type Call, type Result } from '../../call/method.js'
import { completeList } from '../../call/results.js'
import { answered, changeableStream } from './rules.js'
import { StreamDeletionView, StreamView } from './schema.js'

type Action = 'mergedToParent' | 'deleted' | 'updatedStreamIds'

/**
 * Route that deletes a stream: the first call trashes it, the second deletes it with its descendants. See
 * docs/interface/streams.md#deletion.
 */
export const remove = method({
  id: 'streams.delete',
  summary: 'Moves a stream to the trash; deletes a trashed one with all streams below it.',
  http: { verb: 'DELETE', path: '/streams/:id', query: { mergeEventsWithParent: 'boolean' } },
  caller: anyAccess,
  input: z.strictObject({
    id: z.string().describe('Id of the stream.'),
    mergeEventsWithParent: z.boolean().nullish().describe('true moves the events to the parent, false deletes them; required on the second call if there are events.'),
    auth: z.string().optional(),
  }),
  output: () => z.union([
    z.object({ stream: StreamView.describe('The trashed stream: first call.') }),
    z.object({
      updatedEvents: z.array(z.object({
        id: z.string().describe('Id of the event.'),
        action: z.string().describe('mergedToParent, deleted or updatedStreamIds.'),
      })).describe('Outcome for the linked events: second call.'),
      streamDeletion: StreamDeletionView.describe('The deleted stream: second call.'),
    }),
  ]),
  fails: ['invalid-parameters-format', 'invalid-operation', 'unknown-resource', 'forbidden'],
  async run(call, { id, mergeEventsWithParent }) {
    const { account, node } = call
    assertNoReservedStreams([id])
    assertDeletable(id)
    if (changeableStream(call, id).trashed !== true) return trash(call, id)
    return writeExclusively(call, async (write) => {
      const stream = changeableStream(call, id)
      if (mergeEventsWithParent === true && stream.parentId === null) {
        throw new Failure('invalid-operation', 'A root stream has no parent to merge its events with.', { streamId: id })
      }
      const doomed = account.tree.subtree(id, { trashed: true })
      // The access may lack rights on a descendant, whose events it must not delete or move into its own sight.
      if (!doomed.every((below) => mayManage(call.caller.scope, below, account.tree))) throw new Failure('forbidden')
      const linked = await linkedEvents(call, doomed)
      if (mergeEventsWithParent == null && linked.length > 0) throw missingParameter()
      return write((t) => {
        const now = node.clock.now()
        const target = mergeEventsWithParent === true ? stream.parentId : null
        const updated = linked.map((event) => relink(call, t, event, new Set(doomed), target, now))
        for (const below of doomed.reverse()) removeStream(account, t, node.store.recorder, below, now)
        return {
          updatedEvents: completeList(updated.map((one) => JSON.stringify(one))),
          streamDeletion: { id },
        }
      })
    })
  },
})

function missingParameter(): Failure {
  return invalidFormat([
    {
      code: 'OBJECT_MISSING_REQUIRED_PROPERTY',
      message: 'The stream has events, possibly trashed: set mergeEventsWithParent to true to move them to its parent, or false to delete them.',
      path: '#/',
      params: ['mergeEventsWithParent'],
    },
  ])
}

function trash(call: Call, id: string): Promise<Result> {
  const { account, node } = call
  return writeAccount(call, (t) => {
    const before = changeableStream(call, id)
    const after: Stream = { ...before, trashed: true, modified: node.clock.now(), modifiedBy: call.author }
    return { stream: answered(replaceStream(account, t, node.store.recorder, before, after)) }
  })
}

/** Lists the events in any of the streams, including trashed ones, each once, by time. */
async function linkedEvents(call: Call, streams: readonly string[]): Promise<Event[]> {
  const { account } = call
  const places = new Set<string>()
  for (const stream of streams) {
    const prefix = accountKeys.streamEvents(account.prefix, stream)
    for await (const key of each(account.db.keys(under(prefix)))) places.add(key.slice(prefix.length))
  }
  const keys = [...places].sort().map((place) => accountKeys.events(account.prefix) + place)
  const events: Event[] = []
  for (let at = 0; at < keys.length; at += 500) {
    for (const record of await account.db.getMany(keys.slice(at, at + 500))) {
      if (record !== undefined) events.push(recordToEvent(record))
    }
  }
  return events
}

/** Removes an event from deleted streams: moves it to their parent, or deletes it when no stream is left. */
function relink(
  call: Call,
  t: Transaction,
  event: Event,
  doomed: ReadonlySet<string>,
  target: string | null,
  now: number,
): { id: string; action: Action } {
  const { node } = call
  const { id } = event
  const current = findEvent(t, t.account, id) ?? event
  const streamIds = current.streamIds.filter((stream) => !doomed.has(stream))
  if (target !== null && !streamIds.includes(target)) streamIds.push(target)
  if (streamIds.length === 0) {
    removeEvent(t, node.store.recorder, current, now, node.config.get('versioning.deletionMode'), deletionIntegrity(node))
    return { id, action: 'deleted' }
  }
  const after: Event = { ...current, streamIds, modified: now, modifiedBy: call.author }
  withIntegrity(call, after)
  replaceEvent(t, node.store.recorder, current, after)
  return { id, action: target === null ? 'updatedStreamIds' : 'mergedToParent' }
}
