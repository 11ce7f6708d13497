import * as z from 'zod'
import { replaceStream } from '../../store/streams.js'
import { mergeKeys } from '../../store/model/clientData.js'
import { Failure } from '../../store/model/failure.js'
import type { Stream } from '../../store/model/stream.js'
import { updating } from '../change.js'
import { refuseReservedChange, refuseReservedStream } from '../consent/streams.js'
import { refuseReservedStreams } from '../events/reservedAreas.js'
import { method, type Call } from '../method.js'
import { answered, changeableStream, refuseParent, refuseSiblingName } from './rules.js'
import { protectedFields, StreamUpdate, StreamView } from './schema.js'

/** Specification, "Data methods"; data supplement 4.4. */
export const update = method({
  id: 'streams.update',
  summary: 'Changes a stream: name, parent, client data, trash.',
  http: { verb: 'PUT', path: '/streams/:id' },
  body: 'update',
  input: z.strictObject({
    id: z.string().describe('Id of the stream.'),
    update: StreamUpdate.describe('Members to change; others keep their values.'),
  }),
  output: z.object({ stream: StreamView.describe('The changed stream.') }),
  staging: true,
  fails: [
    'invalid-parameters-format',
    'invalid-operation',
    'unknown-resource',
    'unknown-referenced-resource',
    'item-already-exists',
    'forbidden',
    'user-intervention-required',
  ],
  run(call, { id, update: asked }) {
    const { account, node } = call
    refuseReservedStreams([id, asked.parentId])
    refuseReservedChange(id)
    if (asked.parentId != null) refuseReservedStream(undefined, asked.parentId)
    refuseProtected(call, asked)
    return updating(asked)(call, (t) => {
      const before = changeableStream(call, id)
      const after = changed(call, before, asked)
      return { stream: answered(replaceStream(account, t, node.store.recorder, before, after)) }
    })
  },
})

function refuseProtected(call: Call, asked: z.output<typeof StreamUpdate>): void {
  if (call.node.config.get('updates.ignoreProtectedFields')) return
  const named = protectedFields.filter((field) => asked[field] !== undefined)
  if (named.length > 0) throw new Failure('forbidden', `These fields cannot be changed: ${named.join(', ')}.`)
}

function changed(call: Call, before: Stream, asked: z.output<typeof StreamUpdate>): Stream {
  const after: Stream = { ...before, modified: call.node.clock.now(), modifiedBy: call.author }
  if (asked.name !== undefined) after.name = asked.name
  if (asked.parentId !== undefined && asked.parentId !== before.parentId) {
    refuseMove(call, before.id, asked.parentId)
    after.parentId = asked.parentId
  }
  if (after.name !== before.name || after.parentId !== before.parentId) {
    refuseSiblingName(call, after.parentId, after.name, before.id)
  }
  if (asked.clientData !== undefined) {
    const clientData = mergeKeys(before.clientData, asked.clientData)
    if (clientData === undefined) delete after.clientData
    else after.clientData = clientData
  }
  if (asked.trashed === true) after.trashed = true
  else if (asked.trashed !== undefined) delete after.trashed
  if (typeof asked.childrenHidden === 'boolean') after.childrenHidden = asked.childrenHidden
  return after
}

/** Refuses to move a stream below itself, or to where streams cannot be. */
function refuseMove(call: Call, id: string, parentId: string | null): void {
  if (parentId !== null && call.account.tree.isUnder(parentId, id)) {
    throw new Failure('invalid-operation', 'A stream cannot be moved below itself.', { parentId })
  }
  refuseParent(call, parentId)
}
