/** What a peer may write: everything, or what lies within the streams that are shared with it. */
import type { Tree } from '../../store/model/tree.js'
import type { Stream } from '../../store/model/stream.js'
import type { Scope } from '../peers/peer.js'
import type { Objection } from './validate.js'

export type Share = Extract<Scope, { is: 'share' }>

export const outOfScope = (message: string): Objection => ({ reason: 'out-of-scope', message })

/** Whether a stream is one of those that are shared, or below one. */
export function isWithin(tree: Tree, share: Share, stream: string): boolean {
  if (share.streams.includes(stream)) return true
  for (const { id } of tree.ancestors(stream)) if (share.streams.includes(id)) return true
  return false
}

/** Whether an event lies within a share: one of its streams does. */
export const holdsEvent = (tree: Tree, share: Share, streamIds: readonly string[]): boolean =>
  streamIds.some((stream) => isWithin(tree, share, stream))

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
