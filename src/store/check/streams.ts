/** Checks the entries of streams: records, places, the tree, and deletions. */
import { accountKeys, ORDERED_LENGTH, orderedToNumber } from '../engine/keys.js'
import type { Stream } from '../model/stream.js'
import type { Tree } from '../model/tree.js'
import { objectIn, textOf, type CheckContext, type ExpectedEntry, type Entry } from './crossReference.js'

const streamAt = (account: string, id: string): string => `account ${account}, stream ${id}`

/** Parses a stream record; undefined when malformed. */
export function streamIn(text: string | undefined): Stream | undefined {
  const value = objectIn(text)
  if (value === undefined) return undefined
  const { id, name, parentId, created, createdBy, modified, modifiedBy, trashed, childrenHidden, clientData } = value
  if (typeof id !== 'string' || typeof name !== 'string') return undefined
  if (parentId !== null && typeof parentId !== 'string') return undefined
  if (typeof created !== 'number' || typeof modified !== 'number') return undefined
  if (typeof createdBy !== 'string' || typeof modifiedBy !== 'string') return undefined
  return {
    id,
    name,
    parentId,
    ...(typeof clientData === 'object' && clientData !== null ? { clientData: { ...clientData } } : {}),
    ...(trashed === true ? { trashed } : {}),
    ...(typeof childrenHidden === 'boolean' ? { childrenHidden } : {}),
    created,
    createdBy,
    modified,
    modifiedBy,
  }
}

/** Parses the stream in a record's entry; reports an invalid one and returns undefined. */
export function readStream({ findings }: CheckContext, entry: Entry): Stream | undefined {
  findings.count('streams')
  const stream = streamIn(textOf(entry))
  if (stream?.id === entry.rest) return stream
  findings.report(streamAt(entry.account, entry.rest), 'has a record that cannot be read')
  return undefined
}

/** Returns the sequence of the latest journal entry in the text of a stream's place. */
export const streamSequenceIn = (place: string): number => Number.parseInt(place, 36)

/** Expects the place of a stream; reports a missing parent, and a cycle of parents. */
export function expectedStreamIndexEntries({ findings }: CheckContext, account: string, stream: Stream, tree: Tree): ExpectedEntry[] {
  const { id, parentId } = stream
  const where = streamAt(account, id)
  if (parentId !== null && !tree.has(parentId)) {
    findings.report(where, `is below stream ${parentId}, which does not exist`)
  }
  let top = stream
  for (const above of tree.ancestors(id)) top = above
  if (tree.parent(top.id) !== undefined) findings.report(where, 'is on a cycle of parents, or below one')
  const wrong = (text: string | undefined): string | undefined => (text === undefined ? 'lacks its place' : undefined)
  return [{ key: accountKeys.streamPlace(account, id), where, wrong }]
}

/** Expects the stream of a place: `<id>`. */
export function expectedStreamPlaceEntries({ findings }: CheckContext, { account, rest: id }: Entry): ExpectedEntry[] {
  findings.count('stream places')
  const wrong = (text: string | undefined): string | undefined => (text === undefined ? 'has a stale place' : undefined)
  return [{ key: accountKeys.stream(account, id), where: streamAt(account, id), wrong }]
}

/** Checks a deletion: `<deleted><id>`. */
export function checkStreamDeletion({ findings }: CheckContext, entry: Entry): void {
  findings.count('stream deletions')
  const id = entry.rest.slice(ORDERED_LENGTH)
  const deletion = objectIn(textOf(entry))
  if (deletion?.['id'] !== id || deletion['deleted'] !== orderedToNumber(entry.rest)) {
    findings.report(streamAt(entry.account, id), 'has a deletion that cannot be read')
  }
}
