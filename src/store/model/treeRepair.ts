/**
 * Repairs the tree of merged streams: replicas may have moved streams below each other, created equal sibling names, or
 * deleted a parent. The effective tree is a function of all declared places, independent of order: a forest with unique
 * sibling names. It is never written back as an edit.
 */
import type { Seconds } from './event.js'

/** Name and parent that a stream declares. */
export interface DeclaredPlace {
  id: string
  name: string
  parentId: string | null
  created: Seconds
  modified: Seconds
}

export type EffectivePlace = Pick<DeclaredPlace, 'name' | 'parentId'>

/** Maximum number of ancestors of a stream, exclusive; deeper trees cannot be written as nested JSON. */
export const MAX_STREAM_DEPTH = 1000

/**
 * Returns the effective places that differ from the declared ones. Streams claim their parents in order of (modified, id);
 * one whose parent is missing, whose claim closes a cycle, or that is too deep becomes a root. Then siblings claim their
 * names in order of (created, id): one whose name is taken gets the first free one of `name (2)`, `name (3)`…
 */
export function repairTree(streams: readonly DeclaredPlace[]): Map<string, EffectivePlace> {
  const byId = new Map(streams.map((stream) => [stream.id, stream]))
  const parents = parentsOf(byId)
  if (byId.size > MAX_STREAM_DEPTH) flatten(parents)
  const names = namesOf(byId, parents)
  const repaired = new Map<string, EffectivePlace>()
  for (const [id, stream] of byId) {
    const parentId = parents.get(id) ?? null
    const name = names.get(id) ?? stream.name
    if (parentId !== stream.parentId || name !== stream.name) repaired.set(id, { name, parentId })
  }
  return repaired
}

type ById = ReadonlyMap<string, DeclaredPlace>

/** Resolves parents: the last stream of a cycle to claim its parent becomes a root; all other claims hold. */
function parentsOf(byId: ById): Map<string, string | null> {
  const parents = new Map<string, string | null>()
  for (const { id, parentId } of byId.values()) parents.set(id, parentId !== null && byId.has(parentId) ? parentId : null)
  const seen = new Set<string>()
  for (const start of byId.keys()) {
    const path: string[] = []
    const onPath = new Set<string>()
    let at: string | null = start
    while (at !== null && !seen.has(at)) {
      seen.add(at)
      onPath.add(at)
      path.push(at)
      at = parents.get(at) ?? null
    }
    if (at === null || !onPath.has(at)) continue
    const cycle = path.slice(path.indexOf(at)).map((id) => byId.get(id)).filter((one) => one !== undefined)
    const last = cycle.reduce((a, b) => (isBefore(a.modified, a.id, b.modified, b.id) ? b : a))
    parents.set(last.id, null)
  }
  return parents
}

/** Moves streams that are too deep, with their descendants, to the top. */
function flatten(parents: Map<string, string | null>): void {
  const children = new Map<string, string[]>()
  const pending: { id: string; depth: number }[] = []
  for (const [id, parent] of parents) {
    if (parent === null) {
      pending.push({ id, depth: 0 })
      continue
    }
    const siblings = children.get(parent)
    if (siblings === undefined) children.set(parent, [id])
    else siblings.push(id)
  }
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const depth = next.depth < MAX_STREAM_DEPTH ? next.depth : 0
    if (depth !== next.depth) parents.set(next.id, null)
    for (const child of children.get(next.id) ?? []) pending.push({ id: child, depth: depth + 1 })
  }
}

/** Assigns new names to streams whose own name is taken. */
function namesOf(byId: ById, parents: ReadonlyMap<string, string | null>): Map<string, string> {
  const groups = new Map<string | null, DeclaredPlace[]>()
  for (const stream of byId.values()) {
    const parent = parents.get(stream.id) ?? null
    const group = groups.get(parent)
    if (group === undefined) groups.set(parent, [stream])
    else group.push(stream)
  }
  const names = new Map<string, string>()
  for (const group of groups.values()) {
    if (new Set(group.map(({ name }) => name)).size === group.length) continue
    group.sort((a, b) => (isBefore(a.created, a.id, b.created, b.id) ? -1 : 1))
    const taken = new Set<string>()
    const next = new Map<string, number>()
    for (const { id, name } of group) {
      let free = name
      for (let n = next.get(name) ?? 2; taken.has(free); n++) {
        free = `${name} (${n})`
        next.set(name, n + 1)
      }
      taken.add(free)
      if (free !== name) names.set(id, free)
    }
  }
  return names
}

const isBefore = (a: number, aId: string, b: number, bId: string): boolean => a < b || (a === b && aId < bId)
