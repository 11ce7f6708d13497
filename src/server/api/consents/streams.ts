/**
 * Streams of messages and consents: rules for creating, changing and deleting them, and creation of those that the node provides
 * for relationships (docs/interface/consents.md#streams).
 */
import type { Account, Transaction } from '../../../store/engine/account.js'
import type { Permission } from '../../../store/model/access.js'
import {
  appCodeOf,
  appStreamOf,
  channelOf,
  CMC_APPS,
  CMC_INBOX,
  CMC_ROOT,
  isCmcStream,
  isInternalStream,
  isReservedForNode,
  isReservedStream,
  scopeChain,
} from '../../../store/model/cmc.js'
import { Failure } from '../../../store/model/failure.js'
import { assertIdLength } from '../../../store/model/slug.js'
import type { Stream } from '../../../store/model/stream.js'
import { addStream } from '../../../store/streams/streams.js'
import type { Context } from '../../call/context.js'

const refused = (id: string, message: string, streamId: string): Failure =>
  new Failure('invalid-operation', message, { id, streamId })

const CACHED = 'This stream is managed by the node.'

/** Throws for a new stream that only the node may create, or one below such a stream. */
export function assertNotReservedStream(id: string | undefined, parentId: string | null): void {
  if (id !== undefined && (isReservedStream(id) || isInternalStream(id) || channelOf(id) !== undefined)) {
    throw refused('cmc-reserved-stream', CACHED, id)
  }
  if (parentId === null || !isCmcStream(parentId)) return
  if (parentId === CMC_ROOT || parentId === CMC_INBOX || isInternalStream(parentId) || channelOf(parentId) !== undefined) {
    throw refused('cmc-reserved-stream', 'Streams below this one are managed by the node.', parentId)
  }
}

/** Throws for ids in the message area outside of the app streams (docs/interface/consents.md#streams). */
export function assertWithinApps(id: string): void {
  if (isCmcStream(id) && isReservedForNode(id)) throw refused('cmc-reserved-stream', CACHED, id)
}

/** Throws for changes of a built-in or internal stream. */
export function assertMayChangeReserved(id: string): void {
  if (isReservedStream(id) || isInternalStream(id)) throw refused('cmc-reserved-stream', CACHED, id)
}

/** Throws for the deletion of a stream that the node manages. */
export function assertDeletable(id: string): void {
  if (isReservedStream(id) || isInternalStream(id) || channelOf(id) !== undefined) {
    throw refused('cmc-reserved-stream-undeletable', CACHED, id)
  }
}

/** Context of stream creation: a call, or the node while it processes a message. */
export interface Maker {
  node: Context
  account: Account
  author: string
}

/** Creates a stream unless it exists. */
export function ensureStream(
  { node, account, author }: Maker,
  t: Transaction,
  stream: Pick<Stream, 'id' | 'parentId'> & Partial<Pick<Stream, 'name' | 'clientData'>>,
): void {
  const { id, parentId, clientData } = stream
  if (account.tree.has(id)) return
  assertIdLength(id, 'streamId')
  const now = node.clock.now()
  const tracking = { created: now, createdBy: author, modified: now, modifiedBy: author }
  const name = freeName(account, parentId, stream.name ?? id.slice(id.lastIndexOf(':') + 1))
  addStream(account, t, node.store.recorder, { id, name, parentId, ...(clientData === undefined ? {} : { clientData }), ...tracking })
}

/** Returns the name, or a numbered variant that no sibling has. */
function freeName({ tree }: Account, parentId: string | null, wanted: string): string {
  let name = wanted
  for (let n = 2; tree.siblingNamed(parentId, name) !== undefined; n++) name = `${wanted} (${n})`
  return name
}

/** Creates the missing streams from an app's root down to a scope. */
export function ensureScope(maker: Maker, t: Transaction, scope: string): void {
  let parentId = CMC_APPS
  for (const id of scopeChain(scope)) {
    const clientData = parentId === CMC_APPS ? { kind: 'app-scope-root', autoProvisioned: true } : { autoProvisioned: true }
    ensureStream(maker, t, { id, parentId, clientData: { cmc: clientData } })
    parentId = id
  }
}

/** Creates the root streams of the apps that permissions refer to. */
export function ensureAppRoots(maker: Maker, t: Transaction, permissions: readonly Permission[]): void {
  for (const permission of permissions) {
    const app = 'streamId' in permission ? appCodeOf(permission.streamId) : undefined
    if (app !== undefined) ensureScope(maker, t, appStreamOf(app))
  }
}
