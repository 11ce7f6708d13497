/** Dependency graph of a document's changes. */
import { parseChange, type ReadChange } from './parseChange.js'

export type Link = ReadChange

export type Links = ReadonlyMap<string, Link>

/**
 * Returns changes by hash, without duplicates.
 * @throws Failure `corrupted-data` when one is invalid
 */
export function linksOf(changes: readonly Uint8Array[]): Map<string, Link> {
  const links = new Map<string, Link>()
  for (const change of changes) {
    const link = parseChange(change)
    links.set(link.hash, link)
  }
  return links
}

/** Sorts changes so that each comes after its dependencies; undefined when a dependency is neither among them nor known. */
export function inOrder(links: Links, isKnown: (hash: string) => boolean): Link[] | undefined {
  const ordered: Link[] = []
  const placed = new Set<string>()
  const waiting = new Map<string, number>()
  const followers = new Map<string, Link[]>()
  const ready: Link[] = []
  for (const link of links.values()) {
    const open = new Set(link.deps.filter((dep) => !isKnown(dep)))
    for (const dep of open) {
      if (!links.has(dep)) return undefined
      const list = followers.get(dep)
      if (list === undefined) followers.set(dep, [link])
      else list.push(link)
    }
    waiting.set(link.hash, open.size)
    if (open.size === 0) ready.push(link)
  }
  for (let at = 0; at < ready.length; at++) {
    const link = ready[at] as Link
    ordered.push(link)
    placed.add(link.hash)
    for (const follower of followers.get(link.hash) ?? []) {
      const left = (waiting.get(follower.hash) ?? 0) - 1
      waiting.set(follower.hash, left)
      if (left === 0) ready.push(follower)
    }
  }
  return ordered.length === links.size ? ordered : undefined
}
