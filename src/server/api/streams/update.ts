import * as z from 'zod'
import { replaceStream } from '../../../store/streams/streams.js'
import { mergeKeys } from '../../../store/model/clientData.js'
import { Failure } from '../../../store/model/failure.js'
import type { Stream } from '../../../store/model/stream.js'
import { updateWriter } from '../../dispatch/accountWrite.js'
import { assertMayChangeReserved, assertNotReservedStream } from '../consents/streams.js'
import { assertNoReservedStreams } from '../events/rules.js'
import { anyAccess } from '../../call/callers.js'
import { method, type Call } from '../../call/method.js'
import { answered, changeableStream, assertParentUsable, assertSiblingNameFree } from './rules.js'
import { protectedFields, StreamUpdate, StreamView } from './schema.js'

/** Route that updates a stream. See docs/interface/streams.md#updates. */
export const update = method({
  id: 'streams.update',
  summary: 'Changes a stream: name, parent, client data, trash.',
  http: { verb: 'PUT', path: '/streams/:id', body: 'update' },
  caller: anyAccess,
  input: z.strictObject({
    id: z.string().describe('Id of the stream.'),
    update: StreamUpdate.describe('Members to change; others keep their values.'),
  }),
  output: () => z.object({ stream: StreamView.describe('The changed stream.') }),
  synchronous: true,
  fails: [
    'invalid-parameters-format',
    'invalid-operation',
    'unknown-resource',
    'unknown-referenced-resource',
    'item-already-exists',
    'forbidden',
    'user-intervention-required',
  ],
  run(call, { id, update: input }) {
    const { account, node } = call
    assertNoReservedStreams([id, input.parentId])
    assertMayChangeReserved(id)
    if (input.parentId != null) assertNotReservedStream(undefined, input.parentId)
    assertNoProtectedFields(call, input)
    return updateWriter(input)(call, (t) => {
      const before = changeableStream(call, id)
      const after = changed(call, before, input)
      return { stream: answered(replaceStream(account, t, node.store.recorder, before, after)) }
    })
  },
})

function assertNoProtectedFields(call: Call, input: z.output<typeof StreamUpdate>): void {
  if (call.node.config.get('updates.ignoreProtectedFields')) return
  const named = protectedFields.filter((field) => input[field] !== undefined)
  if (named.length > 0) throw new Failure('forbidden', `These fields cannot be changed: ${named.join(', ')}.`)
}

function changed(call: Call, before: Stream, input: z.output<typeof StreamUpdate>): Stream {
  const after: Stream = { ...before, modified: call.node.clock.now(), modifiedBy: call.author }
  if (input.name !== undefined) after.name = input.name
  if (input.parentId !== undefined && input.parentId !== before.parentId) {
    assertMayMove(call, before.id, input.parentId)
    after.parentId = input.parentId
  }
  if (after.name !== before.name || after.parentId !== before.parentId) {
    assertSiblingNameFree(call, after.parentId, after.name, before.id)
  }
  if (input.clientData !== undefined) {
    const clientData = mergeKeys(before.clientData, input.clientData)
    if (clientData === undefined) delete after.clientData
    else after.clientData = clientData
  }
  if (input.trashed === true) after.trashed = true
  else if (input.trashed !== undefined) delete after.trashed
  if (typeof input.childrenHidden === 'boolean') after.childrenHidden = input.childrenHidden
  return after
}

/** Refuses to move a stream below itself, or below a parent that cannot have it. */
function assertMayMove(call: Call, id: string, parentId: string | null): void {
  if (parentId !== null && call.account.tree.isUnder(parentId, id)) {
    throw new Failure('invalid-operation', 'A stream cannot be moved below itself.', { parentId })
  }
  assertParentUsable(call, parentId)
}
