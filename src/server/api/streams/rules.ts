/** Rules for creating and changing streams (docs/interface/streams.md#creation, docs/interface/streams.md#updates). */
import { Failure } from '../../../store/model/failure.js'
import { mayManage } from '../../../store/model/permission.js'
import type { Stream } from '../../../store/model/stream.js'
import type { Call } from '../../call/method.js'

/** Returns a stream that can be changed. Refuses account streams and unknown ids. */
export function changeableStream(call: Call, id: string): Stream {
  if (call.node.systemStreams.owns(id)) {
    throw new Failure('invalid-operation', 'Account streams cannot be changed.', { streamId: id })
  }
  const stream = call.account.tree.get(id)
  if (stream === undefined) throw new Failure('unknown-resource', `Unknown stream "${id}".`)
  if (!mayManage(call.caller.scope, id, call.account.tree)) throw new Failure('forbidden')
  return stream
}

/** Maximum depth: deeper trees cannot be written as nested JSON. */
const MAX_DEPTH = 1000

/** Refuses a parent that is unknown, trashed, an account stream, or not manageable by the caller. `null`: the root. */
export function assertParentUsable(call: Call, parentId: string | null): void {
  const { tree } = call.account
  const { scope } = call.caller
  if (parentId !== null) {
    if (call.node.systemStreams.owns(parentId)) {
      throw new Failure('invalid-operation', 'Streams cannot be created below account streams.', { parentId })
    }
    if (!tree.has(parentId)) {
      throw new Failure('unknown-referenced-resource', `Unknown parent stream "${parentId}".`, { parentId })
    }
    if (!tree.isVisible(parentId)) {
      throw new Failure('invalid-operation', 'The parent stream is in the trash.', { trashedReference: 'parentId' })
    }
  }
  if (parentId !== null && [...tree.ancestors(parentId)].length >= MAX_DEPTH - 1) {
    throw new Failure('invalid-operation', `Streams are nested at most ${MAX_DEPTH} levels deep.`, { parentId })
  }
  if (!mayManage(scope, parentId ?? '*', tree)) throw new Failure('forbidden')
}

/** Refuses the name of a sibling, also of a trashed one. */
export function assertSiblingNameFree(call: Call, parentId: string | null, name: string, exceptId?: string): void {
  const sibling = call.account.tree.siblingNamed(parentId, name, exceptId)
  if (sibling === undefined) return
  const message =
    sibling.trashed === true
      ? `A sibling stream in the trash is already named "${name}": restore it, delete it for good, or choose another name.`
      : `A sibling stream is already named "${name}".`
  throw new Failure('item-already-exists', message, { name })
}

/** Refuses the id of an existing stream, also of a trashed one. */
export function assertIdFree(call: Call, id: string): void {
  const { tree } = call.account
  if (!tree.has(id)) return
  const message = tree.isVisible(id)
    ? `A stream "${id}" already exists.`
    : `A stream "${id}" already exists in the trash: restore it, delete it for good, or choose another id.`
  throw new Failure('item-already-exists', message, { id })
}

/** Returns a stream in the form of single-stream responses. */
export const answered = (stream: Stream): Stream & { children: [] } => ({ ...stream, children: [] })
