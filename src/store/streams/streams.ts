/**
 * Storage of streams: a flat record each, with its CRDT change. The tree is in memory (engine/account.ts). `addStream`,
 * `replaceStream` and `removeStream` are the local changes; merges of remote ones are in sync/merge/streams.ts.
 *
 * effectiveStreams.ts derives the streams that clients are shown, and moves events of a removed stream to `recovered` and back.
 * tombstones.ts stores which first changes a deletion covers, so that a stream id can be used again.
 */
import type { Account, Transaction } from '../engine/account.js'
import { changeAt, eraseChanges } from '../engine/changes.js'
import { each } from '../engine/database.js'
import { findTombstone, tombstoneElements, tombstoneGeneration, putTombstone, mergeTombstones } from './tombstones.js'
import type { States } from '../engine/journal.js'
import { accountKeys, under } from '../engine/keys.js'
import { declaredStream, restoreStream, writeStreams } from './effectiveStreams.js'
import { xorInto } from '../model/digestElement.js'
import type { Stream, StreamDeletion } from '../model/stream.js'
import { forgetMergeState, noteConflict } from '../engine/mergeState.js'
import { yieldEvery } from '../engine/yield.js'
import type { ChangeRecorder } from '../engine/changeRecorder.js'

/** Returns the sequence of a stream's latest journal entry; 0 when there is none. */
export const sequenceAt = (t: Transaction, id: string): number =>
  Number.parseInt(t.get(accountKeys.streamPlace(t.account, id)) ?? '0', 36)

/** Adds a new stream and returns its effective state. The id must be unused; ids of deleted streams may be reused. */
export function addStream(account: Account, t: Transaction, recorder: ChangeRecorder, stream: Stream): Stream {
  const { id } = stream
  const change = recorder.created({ kind: 'stream', item: stream }, tombstoneGeneration(t, id))
  const about = writeStreams(account, t, new Map([[id, stream]]), stream.modified).get(id) ?? {}
  const sequence = t.journal('stream', 'create', id, { change, about: { stream: about } })
  t.put(accountKeys.streamPlace(t.account, id), sequence.toString(36))
  restoreStream(account, t, recorder, id, stream.modified)
  return about.after ?? stream
}

/** Replaces a stream, given as effective states, by its next state; returns the new effective state. */
export function replaceStream(
  account: Account,
  t: Transaction,
  recorder: ChangeRecorder,
  before: Stream,
  after: Stream,
): Stream {
  const { id } = before
  const latest = sequenceAt(t, id)
  const docStateKey = accountKeys.docState(t.account, `s${id}`)
  const docState = t.getBytes(docStateKey)
  const { change, docState: nextDocState, settles } = recorder.edited(
    { kind: 'stream', item: before },
    { kind: 'stream', item: after },
    { ...(docState === undefined ? {} : { docState }), initialChange: () => changeAt(t, latest), generation: tombstoneGeneration(t, id) },
  )
  // A repaired name or parent replaces the declared one only where it was edited.
  const declared = declaredStream(account, id) ?? before
  const name = after.name === before.name ? declared.name : after.name
  const parentId = after.parentId === before.parentId ? declared.parentId : after.parentId
  const about = writeStreams(account, t, new Map([[id, { ...after, name, parentId }]]), after.modified).get(id) ?? {}
  const sequence = t.journal('stream', 'update', id, { change, previous: latest, about: { stream: { before, ...about } } })
  t.put(accountKeys.streamPlace(t.account, id), sequence.toString(36))
  t.put(docStateKey, nextDocState)
  if (settles) noteConflict(t, `s${id}`, { edits: [] }, after.modified)
  return about.after ?? after
}

/**
 * Removes a stream permanently and stores its deletion, and its tombstone for other nodes. The caller handles its
 * events and children.
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
  const former = findTombstone(t, t.account, id)
  const own = { deleted, roots: roots.sort() }
  const tombstone = former === undefined ? own : mergeTombstones(former, own)
  for (const element of tombstoneElements(id, former, tombstone)) xorInto(state, element)
  putTombstone(t, id, former, tombstone)
  const about = removeFromTree(account, t, id, deleted)
  t.journal('stream', 'delete', id, { change: state, about: { stream: about } })
}

/** Removes a stream from the tree, with its merge state; returns its states. */
export function removeFromTree(account: Account, t: Transaction, id: string, now: number): States<Stream> {
  t.delete(accountKeys.streamPlace(t.account, id))
  const about = writeStreams(account, t, new Map([[id, undefined]]), now).get(id) ?? {}
  forgetMergeState(t, `s${id}`)
  return about
}

/**
 * Lists streams deleted after `since` (seconds), newest first.
 * @throws CallerGone from `assertConnected`, when yielding
 */
export async function streamDeletionsSince(account: Account, since: number, assertConnected?: () => void): Promise<StreamDeletion[]> {
  const a = account.prefix
  const range = { ...under(accountKeys.streamDeletions(a)), gte: accountKeys.streamDeletion(a, since, '') }
  const deletions = []
  const pause = yieldEvery(assertConnected)
  for await (const text of each(account.db.values(range, { reverse: true }))) {
    const deletion = JSON.parse(text) as StreamDeletion
    if (deletion.deleted > since) deletions.push(deletion)
    const pausing = pause()
    if (pausing !== undefined) await pausing
  }
  return deletions
}
