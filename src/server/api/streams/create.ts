import * as z from 'zod'
import { addStream } from '../../../store/streams/streams.js'
import { newKeys } from '../../../store/model/clientData.js'
import { isReservedForNode } from '../../../store/model/cmc.js'
import { Failure } from '../../../store/model/failure.js'
import { assertIdLength, isDotSegment, isReservedId, slugifyStreamId, splitStorePrefix } from '../../../store/model/slug.js'
import type { Stream } from '../../../store/model/stream.js'
import { writeWithinQuota } from '../../dispatch/accountWrite.js'
import { assertWithinApps, assertNotReservedStream } from '../consents/streams.js'
import { assertNoReservedStreams } from '../events/rules.js'
import { anyAccess } from '../../call/callers.js'
import { method, type Call } from '../../call/method.js'
import { answered, assertParentUsable, assertSiblingNameFree, assertIdFree } from './rules.js'
import { NewStream, StreamView } from './schema.js'

/** Route that creates a stream. See docs/interface/streams.md#creation. */
export const create = method({
  id: 'streams.create',
  summary: 'Creates a stream.',
  http: { verb: 'POST', path: '/streams', status: 201 },
  caller: anyAccess,
  input: NewStream,
  output: () => z.object({ stream: StreamView.describe('The created stream.') }),
  synchronous: true,
  fails: [
    'invalid-parameters-format',
    'invalid-request-structure',
    'invalid-item-id',
    'invalid-operation',
    'unknown-referenced-resource',
    'item-already-exists',
    'forbidden',
    'user-intervention-required',
  ],
  run(call, input) {
    const { account, node } = call
    const parentId = input.parentId ?? null
    assertNoReservedStreams([input.id, parentId])
    assertNotReservedStream(input.id, parentId)
    const id = input.id === undefined ? node.newId() : idOf(call, input.id, parentId)
    return writeWithinQuota(call, (t) => {
      assertParentUsable(call, parentId)
      assertIdFree(call, id)
      assertSiblingNameFree(call, parentId, input.name)
      const now = node.clock.now()
      const stream: Stream = {
        id,
        name: input.name,
        parentId,
        created: now,
        createdBy: call.author,
        modified: now,
        modifiedBy: call.author,
      }
      const clientData = newKeys(input.clientData)
      if (clientData !== undefined) stream.clientData = clientData
      if (input.trashed === true) stream.trashed = true
      if (typeof input.childrenHidden === 'boolean') stream.childrenHidden = input.childrenHidden
      return { stream: answered(addStream(account, t, node.store.recorder, stream)) }
    })
  },
})

/** Consent stream ids, which are not converted to slugs but have parts of the same form. */
const WHOLE = /^[A-Za-z0-9:_.~-]+$/

/** Returns the stream id for a client's choice. Refuses reserved ids, those of account streams, and those of other stores. */
function idOf(call: Call, chosen: string, parentId: string | null): string {
  assertIdLength(chosen)
  const id = slugifyStreamId(chosen)
  assertIdLength(id)
  if (isReservedId(chosen) || isReservedId(id)) throw reservedId(chosen)
  if (isDotSegment(id)) {
    throw new Failure('invalid-item-id', `The id "${id}" is a dot segment, which URLs cannot contain.`, { id: chosen })
  }
  if (!WHOLE.test(id)) {
    throw new Failure('invalid-request-structure', 'The id contains characters that are not allowed in stream ids.', { id })
  }
  const { store } = splitStorePrefix(id)
  if (call.node.systemStreams.owns(id)) {
    throw new Failure('invalid-operation', 'Account streams cannot be created.', { streamId: id })
  }
  if (store !== 'local' || store !== splitStorePrefix(parentId ?? '').store) {
    throw new Failure('invalid-request-structure', 'A stream must be in the same store as its parent.', {
      id,
      parentId,
    })
  }
  assertWithinApps(id)
  if (isReservedForNode(id)) throw reservedId(chosen)
  return id
}

const reservedId = (id: string): Failure => new Failure('invalid-item-id', `The id "${id}" is reserved.`, { id })
