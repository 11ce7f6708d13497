/** Stream tree before changes whose notification is still pending; the tree in memory already includes them. */
import type { Stream } from '../../store/model/stream.js'
import { createTree, type Tree } from '../../store/model/tree.js'
import type { Changes } from './notifier.js'

const known = new WeakMap<Changes, { version: object; former: Tree | undefined }>()

/**
 * Returns the tree with every stream that the changes moved or deleted back in its former place; added streams stay. Undefined
 * when none was moved or deleted, the usual case. Computed once for all listeners of the same changes.
 */
export function previousTree(tree: Tree, changes: Changes): Tree | undefined {
  const { version } = tree
  let cached = known.get(changes)
  if (cached?.version !== version) {
    const moved = movedStreams(tree, changes)
    cached = { version, former: moved.size === 0 ? undefined : createTree([...streamsOf(tree), ...moved.values()]) }
    known.set(changes, cached)
  }
  return cached.former
}

/** Returns the streams, by id, as they were before the first change that moved or deleted them. */
function movedStreams(tree: Tree, changes: Changes): Map<string, Stream> {
  const first = new Map<string, Stream>()
  for (const { about } of changes) {
    const before = about?.stream?.before
    if (before !== undefined && !first.has(before.id)) first.set(before.id, before)
  }
  for (const [id, { parentId }] of first) if (tree.get(id)?.parentId === parentId) first.delete(id)
  return first
}

function* streamsOf(tree: Tree): Iterable<Stream> {
  for (const root of tree.childrenOf(null)) {
    for (const id of tree.subtree(root.id, { trashed: true })) {
      const stream = tree.get(id)
      if (stream !== undefined) yield stream
    }
  }
}
