/** Versions of a document: sets of changes with their dependencies, and their combined state. */
import { decodeDocState, type DocState } from '../crdt/docState.js'
import { materialiseRead } from '../crdt/document.js'
import { encodeChange, type NewChange } from '../crdt/encodeChange.js'
import type { Fields } from '../crdt/fields.js'
import type { Link, Links } from '../crdt/links.js'

export interface Version {
  fields: Fields
  docState: DocState
}

const EMPTY: Version = { fields: {}, docState: { heads: [], maxOp: 0, seqs: new Map(), visibleOps: new Map() } }

/**
 * Computes the combined state of changes.
 * @throws Failure `corrupted-data` when they are inconsistent
 */
export function versionBy(changes: readonly Link[]): Version {
  if (changes.length === 0) return EMPTY
  const { fields, docState } = materialiseRead(changes)
  return { fields, docState: decodeDocState(docState) }
}

/** Returns changes with all their available dependencies. */
export function withAncestors(links: Links, heads: Iterable<string>): Link[] {
  const found = new Map<string, Link>()
  const waiting = [...heads]
  for (let hash = waiting.pop(); hash !== undefined; hash = waiting.pop()) {
    const link = links.get(hash)
    if (link === undefined || found.has(hash)) continue
    found.set(hash, link)
    waiting.push(...link.deps)
  }
  return [...found.values()]
}

/** Returns the heads: changes on which no other builds. */
export function headsOf(links: Links): Link[] {
  const inner = new Set([...links.values()].flatMap(({ deps }) => deps))
  return [...links.values()].filter(({ hash }) => !inner.has(hash))
}

/**
 * Encodes the single change of an actor derived from its contents: nodes with equal contents produce equal bytes, and
 * different contents never share a sequence number.
 */
export function encodeAlone(change: Omit<NewChange, 'actor' | 'seq'>): Uint8Array {
  const { hash } = encodeChange({ ...change, actor: '0'.repeat(32), seq: 1 })
  return encodeChange({ ...change, actor: hash.slice(0, 32), seq: 1 }).bytes
}
