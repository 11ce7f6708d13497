/** First changes of an item here and of a share peer's copy: deletions of streams name them. */
import type { RecordReader } from '../../../store/engine/recordReader.js'
import { readShareDocument, type ShareDocument } from '../../../store/engine/shareDocuments.js'
import { findTombstone } from '../../../store/streams/tombstones.js'
import type { Links } from '../../crdt/links.js'
import { parseChange, type ReadChange } from '../../crdt/parseChange.js'
import type { DeletionEntry } from '../../wire/entry.js'

/** Returns the hashes of first changes. */
const rootsAmong = (changes: Iterable<ReadChange>): string[] => [...changes].filter(({ deps }) => deps.length === 0).map(({ hash }) => hash)

const rootsIn = ({ changes = [] }: ShareDocument): string[] => rootsAmong(changes.map(parseChange))

const once = (...lists: (readonly string[])[]): string[] => [...new Set(lists.flat())].sort()

/** Replaces the document of the peer by one with other changes, which correspond to this node's current ones. */
export function documentWith(former: ShareDocument | undefined, own: Links, changes: readonly Uint8Array[], taken: Readonly<Record<string, string>>): ShareDocument {
  const there = rootsAmong(changes.map(parseChange))
  const replaced = rootsAmong(own.values()).filter((root) => !there.includes(root))
  return { roots: once(former?.roots ?? [], there), dead: former?.dead ?? [], standsFor: once(former?.standsFor ?? [], replaced), changes, taken }
}

/** Returns the first changes that a stream deletion covers, as sent to the peer: those of its copies, without hidden ones. */
export function encodedRoots(reader: RecordReader, account: string, stream: string, peer: number): string[] {
  const tombstone = findTombstone(reader, account, stream)?.roots ?? []
  const document = readShareDocument(reader, account, `s${stream}`, peer)
  if (document === undefined) return [...tombstone]
  return once(document.dead, tombstone.filter((root) => !document.standsFor.includes(root)))
}

/** Returns this node's first changes that a deletion by the peer covers. */
export function decodedRoots(document: ShareDocument, own: Links, tombstone: readonly string[], roots: readonly string[]): string[] {
  const live = rootsIn(document)
  const isHere = (root: string): boolean => own.has(root) || tombstone.includes(root) || !document.roots.includes(root)
  return once(roots.filter(isHere), roots.some((root) => live.includes(root)) ? rootsAmong(own.values()) : [])
}

/** Returns the peer's document with the first changes that its deletion covers. */
export const withRoots = (document: ShareDocument, { roots = [] }: DeletionEntry): ShareDocument => ({
  ...document,
  roots: once(document.roots, roots),
  dead: once(document.dead, roots),
})
