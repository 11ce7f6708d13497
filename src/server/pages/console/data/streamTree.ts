/** Selects the part of the tree of streams that a page shows. */
import { streamSearch, type ListedStream, type StreamList } from '../streams.js'

/** Up to this number of streams, a page has the whole tree. */
const MAX_WHOLE = 200
/** Maximum number of streams shown below one stream of a larger tree. */
const MAX_SIBLINGS = 200
/** Maximum number of streams that a search shows. */
const MAX_FOUND = 100

export interface TreeNode {
  stream: ListedStream
  /** True for the chosen stream and those above it. */
  isOnPath: boolean
  hasChildren: boolean
  /** The streams below it that are shown. */
  children: readonly TreeNode[]
  /** Number of streams directly below it that are left out at this place. */
  left: number
}

interface ShownTree {
  nodes: readonly TreeNode[]
  /** Number of streams at the top that are left out. */
  left: number
}

type Children = ReadonlyMap<string | null, ListedStream[]>

/** Groups by parent of the lists in memory. */
const groups = new WeakMap<StreamList, Children>()

/** Groups streams by their parent; a stream whose parent is not listed is at the top. */
function childrenOf(streams: StreamList): Children {
  const known = groups.get(streams)
  if (known !== undefined) return known
  const { ordered, byId } = streams
  const children = new Map<string | null, ListedStream[]>()
  for (const stream of ordered) {
    const parent = stream.parentId !== null && byId.has(stream.parentId) ? stream.parentId : null
    const siblings = children.get(parent)
    if (siblings === undefined) children.set(parent, [stream])
    else siblings.push(stream)
  }
  groups.set(streams, children)
  return children
}

/** Returns the ids of a stream and those above it, the top first. */
export function pathIds({ byId }: StreamList, id: string | undefined): string[] {
  const path: string[] = []
  for (let at = id === undefined ? undefined : byId.get(id); at !== undefined; at = at.parentId === null ? undefined : byId.get(at.parentId)) path.unshift(at.id)
  return path
}

/** Selects the whole tree if it is small, else the path to the chosen stream, its siblings, and the streams directly below it. */
export function shownTree(streams: StreamList, chosen: string | undefined): ShownTree {
  const children = childrenOf(streams)
  const path = pathIds(streams, chosen)
  const isWhole = streams.ordered.length <= MAX_WHOLE
  const below = (parent: string | null, depth: number): ShownTree => {
    const all = children.get(parent) ?? []
    const next = path[depth]
    // Above the siblings of the chosen stream, only the path is shown.
    const isAbove = !isWhole && depth < path.length - 1
    const listed = isAbove ? all.filter(({ id }) => id === next) : withPath(all, isWhole ? Infinity : MAX_SIBLINGS, next)
    const nodes = listed.map((stream): TreeNode => {
      const isOnPath = stream.id === next
      const inner = isWhole || isOnPath ? below(stream.id, isOnPath ? depth + 1 : path.length) : { nodes: [], left: 0 }
      return { stream, isOnPath, hasChildren: children.has(stream.id), children: inner.nodes, left: inner.left }
    })
    return { nodes, left: isAbove ? 0 : all.length - listed.length }
  }
  return below(null, 0)
}

/** Limits siblings; the one on the path is always among them. */
function withPath(all: readonly ListedStream[], max: number, onPath: string | undefined): ListedStream[] {
  return all.filter(({ id }, place) => place < max || id === onPath)
}

/** Finds streams by the words of their paths. */
export function foundStreams({ ordered }: StreamList, find: string): { found: ListedStream[]; isShortened: boolean } {
  const isFound = streamSearch(find)
  const found: ListedStream[] = []
  for (const stream of ordered) {
    if (!isFound(stream)) continue
    if (found.length === MAX_FOUND) return { found, isShortened: true }
    found.push(stream)
  }
  return { found, isShortened: false }
}

/** Lists without streams in the trash, by the lists with them. */
const visible = new WeakMap<StreamList, StreamList>()

/** Returns the streams of a list that are not in the trash. */
export function withoutTrash(streams: StreamList): StreamList {
  const known = visible.get(streams)
  if (known !== undefined) return known
  const ordered = streams.ordered.filter(({ isTrashed }) => !isTrashed)
  const byId = new Map(ordered.map((stream) => [stream.id, stream]))
  const list = ordered.length === streams.ordered.length ? streams : { ordered, byId, pathOf: streams.pathOf }
  visible.set(streams, list)
  return list
}
