/**
 * The streams of messages and consents: which of them clients may make, change and delete, and those that the node
 * makes for relationships (consent supplement 1.2).
 */
import type { Transaction } from '../../store/engine/account.js'
import type { Permission } from '../../store/model/access.js'
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
} from '../../store/model/cmc.js'
import { Failure } from '../../store/model/failure.js'
import { assertIdLength } from '../../store/model/slug.js'
import type { Stream } from '../../store/model/stream.js'
import { addStream } from '../../store/streams/streams.js'
import type { Account } from '../../store/engine/account.js'
import type { Node } from '../node.js'

const refused = (id: string, message: string, streamId: string): Failure =>
  new Failure('invalid-operation', message, { id, streamId })

const CACHED = 'This stream is kept by the node.'

/** Refuses to make a stream that only the node makes, or one below such. */
export function assertNotReservedStream(id: string | undefined, parentId: string | null): void {
  if (id !== undefined && (isReservedStream(id) || isInternalStream(id) || channelOf(id) !== undefined)) {
    throw refused('cmc-reserved-stream', CACHED, id)
  }
  if (parentId === null || !isCmcStream(parentId)) return
  if (parentId === CMC_ROOT || parentId === CMC_INBOX || isInternalStream(parentId) || channelOf(parentId) !== undefined) {
    throw refused('cmc-reserved-stream', 'Streams below this one are kept by the node.', parentId)
  }
}

/** Refuses an id in the area of messages outside of what apps have there (consent supplement 1.2). */
export function refuseOutsideApps(id: string): void {
  if (isCmcStream(id) && isReservedForNode(id)) throw refused('cmc-reserved-stream', CACHED, id)
}

/** Refuses to change a stream that every account has, or one that the node keeps for itself. */
export function assertMayChangeReserved(id: string): void {
  if (isReservedStream(id) || isInternalStream(id)) throw refused('cmc-reserved-stream', CACHED, id)
}

/** Refuses to delete a stream that the node keeps. */
export function assertDeletable(id: string): void {
  if (isReservedStream(id) || isInternalStream(id) || channelOf(id) !== undefined) {
    throw refused('cmc-reserved-stream-undeletable', CACHED, id)
  }
}

/** What makes streams: a call, or the node when it acts upon a message. */
export interface Maker {
  node: Node
  account: Account
  author: string
}

/** Makes a stream unless it is there. */
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

/** The name, or one like it that no sibling has. */
function freeName({ tree }: Account, parentId: string | null, wanted: string): string {
  let name = wanted
  for (let n = 2; tree.siblingNamed(parentId, name) !== undefined; n++) name = `${wanted} (${n})`
  return name
}

/** Makes the streams from an app's root down to a scope, as far as they are missing. */
export function ensureScope(maker: Maker, t: Transaction, scope: string): void {
  let parentId = CMC_APPS
  for (const id of scopeChain(scope)) {
    const clientData = parentId === CMC_APPS ? { kind: 'app-scope-root', autoProvisioned: true } : { autoProvisioned: true }
    ensureStream(maker, t, { id, parentId, clientData: { cmc: clientData } })
    parentId = id
  }
}

/** Makes the roots of the apps that permissions name streams of. */
export function ensureAppRoots(maker: Maker, t: Transaction, permissions: readonly Permission[]): void {
  for (const permission of permissions) {
    const app = 'streamId' in permission ? appCodeOf(permission.streamId) : undefined
    if (app !== undefined) ensureScope(maker, t, appStreamOf(app))
  }
}
