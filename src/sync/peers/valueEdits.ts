/** Finds the edits that set values of a document: when, and by which access. */
import type { OpId } from '../crdt/encodeChange.js'
import { parseChange, type ReadChange } from '../crdt/parseChange.js'
import { readOperations } from '../crdt/readOperations.js'

/** An edit of an item. */
export interface ValueEdit {
  /** Time, in seconds. */
  at: number
  /** Author, as in `modifiedBy`; absent when the changes do not state a single one. */
  by?: string
}

/**
 * Returns a function that finds the edit of an operation among the changes of an item; undefined when it is in none of them.
 * @throws Failure `corrupted-data` when a change is damaged
 */
export function createEditFinder(changes: readonly Uint8Array[]): (operation: OpId) => ValueEdit | undefined {
  let read: ReadChange[] | undefined
  return ({ counter, actor }) => {
    read ??= changes.map(parseChange)
    const change = read.find((one) => one.actor === actor && one.startOp <= counter && counter < one.startOp + one.operations)
    if (change === undefined) return undefined
    const by = authorOf(change, new Map(read.map((one) => [one.hash, one])))
    return { at: change.time, ...(by === undefined ? {} : { by }) }
  }
}

/** Returns the author of a change: that which it sets, else that of the change on which it builds. */
function authorOf(change: ReadChange, byHash: ReadonlyMap<string, ReadChange>): string | undefined {
  for (let at: ReadChange | undefined = change; at !== undefined; ) {
    const author: unknown = readOperations(at.bytes)?.find(({ key }) => key === 'modifiedBy')?.value
    if (author !== undefined) return typeof author === 'string' ? author : undefined
    const [before, ...others]: string[] = at.deps
    // After a merge, several authors come into question.
    at = before === undefined || others.length > 0 ? undefined : byHash.get(before)
  }
  return undefined
}
