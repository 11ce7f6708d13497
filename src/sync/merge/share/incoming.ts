/**
 * Translates a share peer's changes of a share document into changes of this node: each edits the version that the peer
 * had before it. All nodes of one account produce the same changes.
 */
import { changeHash } from '../../crdt/document.js'
import type { Operation } from '../../crdt/encodeChange.js'
import { linksOf, type Link, type Links } from '../../crdt/links.js'
import type { ItemRef } from '../../wire/entry.js'
import { keysOf } from '../../crdt/parseChange.js'
import type { Projection } from './projection.js'
import { encodeAlone, headsOf, isMarked, setting, versionAfter, versionOf, withAncestors, type Side } from './shareDocument.js'

interface ReceivedItem {
  item: ItemRef
  /** Changes of this node. */
  own: Links
  /** Changes of the peer's document with the received ones, in causal order. */
  there: readonly Link[]
  /** Earlier translations: peer's hash → own hash, or '' for no change. */
  taken: Readonly<Record<string, string>>
  projection: Projection
  /** Side of the share that this node is on. */
  side: Side
}

interface ReceivedChanges {
  /** New changes of this node's document, in causal order. */
  changes: Uint8Array[]
  taken: Record<string, string>
}

/**
 * Translates changes of the peer's document.
 * @throws Failure `corrupted-data`
 */
export function receiveChanges({ item, own: before, there, taken: known, projection, side }: ReceivedItem): ReceivedChanges {
  const own = new Map(before)
  const wire = new Map(there.map((link) => [link.hash, link]))
  const taken: Record<string, string> = { ...known }
  const changes: Uint8Array[] = []
  const shows = new Map<string, readonly string[]>()

  /** Returns the heads of this node's version to which a change of the peer's document corresponds. */
  function versionShownBy(link: Link): readonly string[] {
    let found = shows.get(link.hash)
    if (found === undefined) shows.set(link.hash, (found = findVersion(link)))
    return found
  }

  function findVersion(link: Link): readonly string[] {
    if (own.has(link.hash)) return [link.hash]
    const version = isMarked(link, side) ? versionOf(link, own) : undefined
    if (version !== undefined) return version
    const became = taken[link.hash]
    return became !== undefined && own.has(became) ? [became] : below(link)
  }

  const shownBy = (hash: string): readonly string[] => {
    const link = wire.get(hash) ?? own.get(hash)
    return link === undefined ? [] : versionShownBy(link)
  }
  const below = ({ deps }: Link): string[] => [...new Set(deps.flatMap(shownBy))]

  /** Checks that a change needs no translation: it is this node's own, or already translated. */
  function isKnown(link: Link): boolean {
    if (own.has(link.hash) || (isMarked(link, side) && versionOf(link, own) !== undefined)) return true
    const became = taken[link.hash]
    return became !== undefined && (became === '' || own.has(became))
  }

  for (const link of there) {
    if (isKnown(link)) continue
    const mayStay = !isMarked(link, side) && link.deps.every((dep) => own.has(dep))
    const change = mayStay ? link.bytes : translate(link)
    if (change === undefined) {
      taken[link.hash] = ''
      continue
    }
    const hash = changeHash(change)
    if (!mayStay) taken[link.hash] = hash
    if (own.has(hash)) continue
    changes.push(change)
    for (const [name, origin] of linksOf([change])) own.set(name, origin)
  }
  return { changes, taken }

  /** Returns the edit that a change makes on its author's version; undefined when it changes nothing. */
  function translate(link: Link): Uint8Array | undefined {
    const values = versionAfter(withAncestors(wire, [link.hash])).fields
    const heads = below(link)
    // A first change that this side made from a version that it has lost since: a backup was restored.
    const base = heads.length === 0 && isMarked(link, side) ? headsOf(own).map(({ hash }) => hash) : heads
    const { fields, docState } = versionAfter(withAncestors(own, base))
    const operations: Operation[] = []
    for (const key of keysOf(link.bytes)) {
      // Each side places shared streams itself; streams that an event is moved into are checked later.
      if (item.kind === 'stream' && projection.hides(item, key)) continue
      const value = Object.hasOwn(values, key) ? values[key] : undefined
      const pred = docState.visibleOps.get(key)?.operations ?? []
      if (value === undefined) {
        if (pred.length > 0) operations.push({ key, pred })
      } else if (fields[key] !== value || pred.length === 0) operations.push(setting(key, value, pred))
    }
    if (operations.length === 0) return undefined
    return encodeAlone({ startOp: docState.maxOp + 1, time: link.time, deps: docState.heads, operations })
  }
}
