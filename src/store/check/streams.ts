/** Checks the entries of streams: records, places, the tree, and deletions. */
import { each, type Database } from '../engine/database.js'
import { accountKeys, ORDERED_LENGTH, orderedToNumber, under } from '../engine/keys.js'
import { reservedStreams } from '../model/cmc.js'
import type { DocumentForm } from '../model/fieldTable.js'
import type { Stream } from '../model/stream.js'
import { streamDocument } from '../model/streams/fields.js'
import { createTree, type Tree } from '../model/tree.js'
import { objectIn, textOf, type CheckContext, type ExpectedEntry, type Entry } from './crossReference.js'

const streamAt = (account: string, id: string): string => `account ${account}, stream ${id}`

/** Checks whether a record may have a value of a form. Of optional fields, other values count as absent. */
const isFit: Readonly<Partial<Record<DocumentForm['as'], (value: unknown) => boolean>>> = {
  text: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  streamId: (value) => value === null || typeof value === 'string',
  map: (value) => typeof value === 'object' && value !== null,
  flag: (value) => value === true,
  optionalBoolean: (value) => typeof value === 'boolean',
  optionalText: (value) => typeof value === 'string',
}

const OPTIONAL: ReadonlySet<string> = new Set(['map', 'flag', 'optionalBoolean', 'optionalText'] satisfies DocumentForm['as'][])

/** Parses a stream record; undefined when malformed. */
export function streamIn(text: string | undefined): Stream | undefined {
  const value = objectIn(text)
  if (value === undefined || typeof value['id'] !== 'string') return undefined
  const members: Record<string, unknown> = { id: value['id'] }
  for (const { as, name } of streamDocument.read) {
    if (isFit[as]?.(value[name]) === true) members[name] = value[name]
    else if (!OPTIONAL.has(as)) return undefined
  }
  return members as unknown as Stream
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

/** Returns the streams of an account as a tree, with the reserved ones. */
export async function streamTree(db: Database, account: string): Promise<Tree> {
  const streams = []
  for await (const text of each(db.values(under(accountKeys.streams(account))))) {
    const stream = streamIn(text)
    if (stream !== undefined) streams.push(stream)
  }
  return createTree([...reservedStreams, ...streams])
}
