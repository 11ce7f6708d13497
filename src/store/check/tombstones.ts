/** Checks stream tombstones: each is listed among the deletions, unless a stream with the id exists again. */
import { accountKeys } from '../engine/keys.js'
import type { Tree } from '../model/tree.js'
import { holding, objectIn, textOf, type CheckContext, type ExpectedEntry, type Entry } from './crossReference.js'

const HASH = /^[0-9a-f]{64}$/

/** Checks the tombstone of a stream, `<id>`, and expects its listing among the deletions. */
export function expectedTombstoneEntries({ findings }: CheckContext, entry: Entry, tree: Tree): ExpectedEntry[] {
  findings.count('graves')
  const { account, rest: id } = entry
  const where = `account ${account}, stream ${id}`
  const tombstone = objectIn(textOf(entry))
  const deleted = tombstone?.['deleted']
  if (typeof deleted !== 'number' || !areRoots(tombstone?.['roots'])) {
    findings.report(where, 'has an unreadable tombstone')
    return []
  }
  const key = accountKeys.streamDeletion(account, deleted, id)
  if (!tree.has(id)) return [holding(key, JSON.stringify({ id, deleted }), where, 'entry among the deletions')]
  const wrong = (text: string | undefined): string | undefined => (text === undefined ? undefined : 'is listed among the deletions')
  return [{ key, where, wrong, goes: true }]
}

/** Checks whether a value is a sorted list of unique hashes. */
const areRoots = (value: unknown): boolean =>
  Array.isArray(value) &&
  value.every((root: unknown, i) => typeof root === 'string' && HASH.test(root) && (i === 0 || String(value[i - 1]) < root))
