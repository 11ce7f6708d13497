/** How streams are kept: a flat record each, with its CRDT change; the tree of them is in memory (account.ts). */
import type { Account, Transaction } from './account.js'
import { each } from './database.js'
import { changeAt, eraseChanges } from './changes.js'
import { findGrave, graveElements, putGrave, unionOf } from './graves.js'
import { accountKeys, under } from './keys.js'
import { toggle } from './model/element.js'
import type { Stream, StreamDeletion } from './model/stream.js'
import type { ChangeRecorder } from './ports.js'

const sequenceAt = (t: Transaction, id: string): number =>
  Number.parseInt(t.get(accountKeys.streamPlace(t.account, id)) ?? '0', 36)

/** Adds a new stream. The id must be free; a deleted stream's id may come again. */
export function addStream(account: Account, t: Transaction, recorder: ChangeRecorder, stream: Stream): void {
  const change = recorder.created({ kind: 'stream', item: stream })
  const sequence = t.journal('stream', 'create', stream.id, { change, about: { stream: { after: stream } } })
  t.put(accountKeys.stream(t.account, stream.id), JSON.stringify(stream))
  t.put(accountKeys.streamPlace(t.account, stream.id), sequence.toString(36))
  t.onStaged(() => account.tree.put(stream))
}

/** Replaces a stream by its next state. */
export function replaceStream(
  account: Account,
  t: Transaction,
  recorder: ChangeRecorder,
  before: Stream,
  after: Stream,
): void {
  const latest = sequenceAt(t, before.id)
  const bookKey = accountKeys.book(t.account, `s${before.id}`)
  const book = t.getBytes(bookKey)
  const { change, book: nextBook } = recorder.edited(
    { kind: 'stream', item: before },
    { kind: 'stream', item: after },
    { ...(book === undefined ? {} : { book }), first: () => changeAt(t, latest) },
  )
  const sequence = t.journal('stream', 'update', after.id, {
    change,
    previous: latest,
    about: { stream: { before, after } },
  })
  t.put(accountKeys.stream(t.account, after.id), JSON.stringify(after))
  t.put(accountKeys.streamPlace(t.account, after.id), sequence.toString(36))
  t.put(bookKey, nextBook)
  t.onStaged(() => account.tree.put(after))
}

/**
 * Removes a stream for good and leaves its deletion, and its grave for other nodes. Its events and children are the
 * caller's business.
 */
export function removeStream(
  account: Account,
  t: Transaction,
  recorder: ChangeRecorder,
  id: string,
  deleted: number,
): void {
  const { changes, state } = eraseChanges(t, `s${id}`, sequenceAt(t, id))
  const roots = changes.map((change) => recorder.rootOf(change)).filter((root) => root !== undefined)
  const former = findGrave(t, t.account, id)
  const own = { deleted, roots: roots.sort() }
  const grave = former === undefined ? own : unionOf(former, own)
  for (const element of graveElements(id, former, grave)) toggle(state, element)
  putGrave(t, id, former, grave)
  t.delete(accountKeys.stream(t.account, id))
  t.delete(accountKeys.streamPlace(t.account, id))
  const before = account.tree.get(id)
  const about = before === undefined ? {} : { about: { stream: { before } } }
  t.journal('stream', 'delete', id, { change: state, ...about })
  t.onStaged(() => account.tree.remove(id))
}

/** Streams deleted after `since` (seconds), newest first. */
export async function streamDeletionsSince(account: Account, since: number): Promise<StreamDeletion[]> {
  const a = account.prefix
  const range = { ...under(accountKeys.streamDeletions(a)), gte: accountKeys.streamDeletion(a, since, '') }
  const deletions = []
  for await (const text of each(account.db.values(range, { reverse: true }))) {
    const deletion = JSON.parse(text) as StreamDeletion
    if (deletion.deleted > since) deletions.push(deletion)
  }
  return deletions
}
