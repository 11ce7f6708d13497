/** In-memory tree of an account's streams: parents, names and trash state. */
import type { Stream, StreamView } from './stream.js'

/**
 * A mutable tree. Streams are immutable values: to change one, `put` its successor.
 * Streams whose parent is missing count as roots. Streams on a cycle of parents are found by id but have no root.
 * Every walk is iterative, so depth costs no stack.
 */
export interface Tree {
  readonly size: number
  /** All streams, in no particular order. */
  all(): Iterable<Stream>
  /** Identity that changes with each change of the tree; derived data are valid while it stays the same. */
  readonly version: object
  get(id: string): Stream | undefined
  has(id: string): boolean
  /** Inserts or replaces a stream; a changed parent or name moves it among its siblings. */
  put(stream: Stream): void
  /** Removes one stream; its children, if any, become roots. */
  remove(id: string): void
  /** The stream's parent, undefined for roots and unknown ids. */
  parent(id: string): Stream | undefined
  /** Children of a stream, or the roots (null), trashed ones included, by name, then id, in code-unit order. */
  childrenOf(id: string | null): Stream[]
  /** Returns a child of `parentId` (null: a root) with exactly this name, other than `exceptId`. */
  siblingNamed(parentId: string | null, name: string, exceptId?: string): Stream | undefined
  /** Iterates from the parent up to the root; stops before a stream would repeat. */
  ancestors(id: string): Iterable<Stream>
  /** Checks whether `id` is `ancestorId` or below it. */
  isUnder(id: string, ancestorId: string): boolean
  /**
   * Lists the ids of the stream and its descendants. Unless `trashed`, trashed streams and their descendants are omitted,
   * including the stream itself; `skip` omits descendants likewise. Empty for unknown ids.
   */
  subtree(id: string, options: { trashed: boolean; skip?: (stream: Stream) => boolean }): string[]
  anyTrashed(): boolean
  /** Returns the ids of all trashed streams and their descendants. Cached until the tree changes. */
  hidden(): ReadonlySet<string>
  /** Checks whether neither the stream nor an ancestor is trashed; false for unknown ids. */
  isVisible(id: string): boolean
  /**
   * Returns the stream with its descendants nested (docs/interface/streams.md#fields). `default` omits trashed descendants;
   * `keep` omits those for which it returns false, with their descendants. The stream itself always stays.
   */
  view(stream: Stream, options: { state: 'default' | 'all' }, keep?: (stream: Stream) => boolean): StreamView
}

/** Builds the tree of the given streams; the last of equal ids wins. */
export function createTree(streams: Iterable<Stream>): Tree {
  const byId = new Map<string, Stream>()
  for (const stream of streams) byId.set(stream.id, stream)

  /** Streams by declared parent, each list in order. */
  const groups = new Map<string | null, Stream[]>()
  /** Declared parents that do not exist. */
  const missing = new Set<string>()
  const trashedIds = new Set<string>()
  let hiddenIds: ReadonlySet<string> | undefined
  let version = {}

  for (const stream of byId.values()) {
    const group = groups.get(stream.parentId)
    if (group) group.push(stream)
    else groups.set(stream.parentId, [stream])
    if (stream.trashed) trashedIds.add(stream.id)
  }
  for (const [parentId, group] of groups) {
    group.sort(inOrder)
    if (parentId !== null && !byId.has(parentId)) missing.add(parentId)
  }

  function detach(stream: Stream): void {
    const group = groups.get(stream.parentId)
    if (!group) return
    group.splice(position(group, stream), 1)
    if (group.length === 0) {
      groups.delete(stream.parentId)
      if (stream.parentId !== null) missing.delete(stream.parentId)
    }
    trashedIds.delete(stream.id)
    hiddenIds = undefined
  }

  function attach(stream: Stream): void {
    const group = groups.get(stream.parentId)
    if (group) group.splice(position(group, stream), 0, stream)
    else groups.set(stream.parentId, [stream])
    if (stream.parentId !== null && !byId.has(stream.parentId)) missing.add(stream.parentId)
    if (stream.trashed) trashedIds.add(stream.id)
    hiddenIds = undefined
  }

  function parent(id: string): Stream | undefined {
    const parentId = byId.get(id)?.parentId
    return typeof parentId === 'string' ? byId.get(parentId) : undefined
  }

  /** Returns the lists that together are the children of a stream, or the roots. */
  function groupsOf(id: string | null): Stream[][] {
    const own = groups.get(id)
    const lists = own ? [own] : []
    if (id === null) for (const parentId of missing) lists.push(groups.get(parentId) ?? [])
    return lists
  }

  /** Visits all descendants of a stream, parents first; skips those below a stream that `enter` refuses. */
  function walk(id: string, enter: (stream: Stream) => boolean): void {
    const pending = [id]
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      for (const child of groups.get(next) ?? []) {
        if (child.id !== id && enter(child)) pending.push(child.id)
      }
    }
  }

  return {
    get size() {
      return byId.size
    },
    all: () => byId.values(),
    get: (id) => byId.get(id),
    has: (id) => byId.has(id),
    get version() {
      return version
    },
    parent,

    put(stream) {
      version = {}
      const former = byId.get(stream.id)
      if (former) detach(former)
      byId.set(stream.id, stream)
      missing.delete(stream.id)
      attach(stream)
    },

    remove(id) {
      const stream = byId.get(id)
      if (!stream) return
      version = {}
      byId.delete(id)
      detach(stream)
      if (groups.has(id)) missing.add(id)
    },

    childrenOf(id) {
      const lists = groupsOf(id)
      return lists.length === 1 ? (lists[0] ?? []).slice() : lists.flat().sort(inOrder)
    },

    siblingNamed(parentId, name, exceptId) {
      const place = parentId !== null && byId.has(parentId) ? parentId : null
      for (const group of groupsOf(place)) {
        for (let i = position(group, { name, id: '' }); group[i]?.name === name; i++) {
          if (group[i]?.id !== exceptId) return group[i]
        }
      }
      return undefined
    },

    *ancestors(id) {
      const seen = new Set([id])
      for (let above = parent(id); above && !seen.has(above.id); above = parent(above.id)) {
        seen.add(above.id)
        yield above
      }
    },

    isUnder(id, ancestorId) {
      let current: string | undefined = id
      // On a cycle the walk ends after as many steps as there are streams.
      for (let steps = byId.size; current !== undefined && steps >= 0; steps--) {
        if (current === ancestorId) return true
        current = parent(current)?.id
      }
      return false
    },

    subtree(id, { trashed, skip }) {
      const root = byId.get(id)
      if (!root || (root.trashed && !trashed)) return []
      const ids = [id]
      walk(id, (stream) => {
        if ((stream.trashed && !trashed) || skip?.(stream)) return false
        ids.push(stream.id)
        return true
      })
      return ids
    },

    anyTrashed: () => trashedIds.size > 0,

    hidden() {
      if (hiddenIds) return hiddenIds
      const ids = new Set<string>()
      for (const id of trashedIds) {
        if (ids.has(id)) continue
        ids.add(id)
        walk(id, (stream) => {
          if (ids.has(stream.id)) return false
          ids.add(stream.id)
          return true
        })
      }
      return (hiddenIds = ids)
    },

    isVisible(id) {
      let current = byId.get(id)
      if (!current) return false
      for (let steps = byId.size; current && steps >= 0; steps--) {
        if (current.trashed) return false
        current = parent(current.id)
      }
      return true
    },

    view(stream, { state }, keep) {
      const root: StreamView = { ...stream, children: [] }
      const pending = [root]
      for (let view = pending.pop(); view; view = pending.pop()) {
        for (const child of groups.get(view.id) ?? []) {
          if (child.id === stream.id || (child.trashed && state === 'default') || (keep && !keep(child))) continue
          const childView: StreamView = { ...child, children: [] }
          view.children.push(childView)
          pending.push(childView)
        }
      }
      return root
    },
  }
}

interface SiblingKey {
  name: string
  id: string
}

function inOrder(a: SiblingKey, b: SiblingKey): number {
  if (a.name !== b.name) return a.name < b.name ? -1 : 1
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0
}

/** Returns the first index in an ordered list that does not come before `place`. */
function position(ordered: readonly SiblingKey[], place: SiblingKey): number {
  let low = 0
  let high = ordered.length
  while (low < high) {
    const middle = (low + high) >>> 1
    const candidate = ordered[middle]
    if (candidate && inOrder(candidate, place) < 0) low = middle + 1
    else high = middle
  }
  return low
}
