/** Rules of the items that a peer may write: all of them, or those within the streams shared with it. */
import type { Account } from '../../store/engine/account.js'
import { accountKeys } from '../../store/engine/keys.js'
import { RECOVERED } from '../../store/model/recovered.js'
import type { Tree } from '../../store/model/tree.js'
import type { Stream } from '../../store/model/stream.js'
import { declaredStream } from '../../store/streams/effectiveStreams.js'
import { itemKey, type ItemRef } from '../wire/entry.js'
import type { Scope } from '../../store/replication/peers.js'
import type { MergeStep } from './context.js'
import type { Objection } from '../crdt/validate.js'

export type Share = Extract<Scope, { is: 'share' }>

export const outOfScope = (message: string): Objection => ({ reason: 'out-of-scope', message })

/** Objection to the withdrawal of a shared item by a peer that is not the grantor. */
export const withdrawalForbidden = outOfScope('The peer may not withdraw items of this node.')

/**
 * Checks whether a stream is a shared one, or below one. A shared stream that the grantor deleted shares nothing any more:
 * items created in it meanwhile stay with the peer.
 */
export function isWithin(tree: Tree, share: Share, stream: string): boolean {
  if (share.streams.includes(stream)) return share.grantor === 'them' || tree.has(stream)
  for (const { id } of tree.ancestors(stream)) if (share.streams.includes(id)) return true
  return false
}

/** Checks whether an event lies within a share: one of its streams does. */
export const sharesEvent = (tree: Tree, share: Share, streamIds: readonly string[]): boolean =>
  streamIds.some((stream) => isWithin(tree, share, stream))

/**
 * Checks whether an item received from the grantor lies outside the share only because streams above it are missing. Later
 * entries then delete, withdraw or move it. Items moved out of the share locally are kept.
 */
export function isLeftBehind({ account, t, from: { peer, scope } }: MergeStep, item: ItemRef, streams: readonly string[]): boolean {
  if (scope.is !== 'share' || scope.grantor !== 'them') return false
  if (t.get(accountKeys.shared(t.account, peer, itemKey(item))) === undefined) return false
  return streams.every((id) => id === RECOVERED || isOrphan(account, id))
}

/** Checks whether a stream, or one of its ancestors, declares a parent that is missing. */
function isOrphan(account: Account, stream: string): boolean {
  const seen = new Set<string>()
  for (let at: string | null = stream; at !== null && !seen.has(at); ) {
    seen.add(at)
    const declared = declaredStream(account, at)
    if (declared === undefined) return true
    at = declared.parentId
  }
  return false
}

/**
 * Returns the objection to a peer's new version of a stream, given both versions as declared. `isWithinNext` tells whether a
 * parent lies within the share once all entries of the batch are merged.
 */
export function streamChangeObjection(
  tree: Tree,
  share: Share,
  before: Stream | undefined,
  after: Stream,
  isWithinNext: (parent: string) => boolean,
): Objection | undefined {
  const isShared = share.streams.includes(after.id)
  if (isShared && share.grantor === 'us') {
    if (before === undefined) return outOfScope('The shared stream does not exist on this node.')
    return before.parentId === after.parentId ? undefined : outOfScope('The peer may not move a stream that is shared with it.')
  }
  if (isShared) return undefined
  const isInside = after.parentId !== null && isWithinNext(after.parentId)
  return isInside ? undefined : outOfScope('The stream would lie outside the share.')
}
