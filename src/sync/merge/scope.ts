/** What a peer may write: everything, or what lies within the streams that are shared with it. */
import type { Account } from '../../store/engine/account.js'
import { accountKeys } from '../../store/engine/keys.js'
import { RECOVERED } from '../../store/model/recovered.js'
import type { Tree } from '../../store/model/tree.js'
import type { Stream } from '../../store/model/stream.js'
import { declaredStream } from '../../store/events/effectiveStreams.js'
import type { ItemRef } from '../items/entry.js'
import { itemKey } from '../items/itemKey.js'
import type { Scope } from '../peers/peer.js'
import type { Step } from './context.js'
import type { Objection } from '../crdt/validate.js'

export type Share = Extract<Scope, { is: 'share' }>

export const outOfScope = (message: string): Objection => ({ reason: 'out-of-scope', message })

/** Of a withdrawal by a peer that does not decide what is shared, of what is. */
export const notToWithdraw = outOfScope("Nothing that is here is the peer's to withdraw.")

/**
 * Whether a stream is one of those that are shared, or below one. Of those that this side shares and deleted, nothing is
 * shared any more: what was made in them meanwhile stays with the peer.
 */
export function isWithin(tree: Tree, share: Share, stream: string): boolean {
  if (share.streams.includes(stream)) return share.grantor === 'them' || tree.has(stream)
  for (const { id } of tree.ancestors(stream)) if (share.streams.includes(id)) return true
  return false
}

/** Whether an event lies within a share: one of its streams does. */
export const holdsEvent = (tree: Tree, share: Share, streamIds: readonly string[]): boolean =>
  streamIds.some((stream) => isWithin(tree, share, stream))

/**
 * Whether an item that the peer shares lies outside of the share only because streams above it are gone, perhaps the
 * shared one itself: what then deletes it too, takes it back, or moves it on comes after them. What was moved out here is
 * kept.
 */
export function isLeftBehind({ account, t, from: { peer, scope } }: Step, item: ItemRef, streams: readonly string[]): boolean {
  if (scope.is !== 'share' || scope.grantor !== 'them') return false
  if (t.get(accountKeys.shared(t.account, peer, itemKey(item))) === undefined) return false
  return streams.every((id) => id === RECOVERED || isOrphan(account, id))
}

/** Whether a stream, or one above it, says that it lies in a stream that is not here. */
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
 * Why a peer may not give a stream the next state, which both say what they say of themselves; `isWithinNext` tells
 * whether a parent lies within the share once all that comes together is taken in.
 */
export function refuseStreamChange(
  tree: Tree,
  share: Share,
  before: Stream | undefined,
  after: Stream,
  isWithinNext: (parent: string) => boolean,
): Objection | undefined {
  const isShared = share.streams.includes(after.id)
  if (isShared && share.grantor === 'us') {
    if (before === undefined) return outOfScope('The stream is not here, although it is shared.')
    return before.parentId === after.parentId ? undefined : outOfScope('The peer may not move the stream that is shared with it.')
  }
  if (isShared) return undefined
  const isInside = after.parentId !== null && isWithinNext(after.parentId)
  return isInside ? undefined : outOfScope('The stream would lie outside of what is shared with the peer.')
}
