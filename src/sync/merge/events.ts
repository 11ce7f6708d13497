/** Merges events from other nodes. */
import { resolveEventStreams } from '../../store/streams/effectiveStreams.js'
import { findDeletion, findEvent, putDeletion, removeEvent, type AddIntegrity } from '../../store/events/events.js'
import { isFileDigest } from '../../store/leveldb/filesOnDisk.js'
import { forgetEvent, putMergedEvent } from '../../store/replication/applyRemote.js'
import { deletionElement, zeroDigest, xorInto } from '../../store/model/digestElement.js'
import type { Event, EventDeletion } from '../../store/model/event.js'
import { eventIntegrity } from '../../store/model/integrity.js'
import type { Tree } from '../../store/model/tree.js'
import { forgetMergeState, noteConflict } from '../../store/engine/mergeState.js'
import type { ChangesEntry, DeletionEntry, Outcome } from '../wire/entry.js'
import { applied, known, refusal, type MergeStep } from './context.js'
import { isLaterDeletion } from './deletion.js'
import type { AppliedChanges } from './applyChanges.js'
import { sharesEvent, isLeftBehind, isWithin, withdrawalForbidden, outOfScope, type Share } from './scope.js'
import type { Objection } from '../crdt/validate.js'

/** Merges validated changes of an event. */
export function mergeEvent(step: MergeStep, { id, files }: ChangesEntry, ready: AppliedChanges): Outcome {
  const { account, t, from, options, now } = step
  if (ready.declared.kind !== 'event') throw new Error('The changes are not those of an event.')
  const declared = ready.declared.item
  const before = findEvent(t, t.account, id)
  const { scope } = from
  // An event whose streams are missing cannot be moved out of a shared stream.
  const places = before === undefined || isLeftBehind(step, { kind: 'event', id }, before.streamIds) ? [] : before.streamIds
  const strays = scope.is === 'share' ? moveObjection(account.tree, scope, places, declared) : undefined
  const objection = strays ?? unnamedFilesObjection(before, declared, files)
  if (objection !== undefined) return refusal(objection)
  const streamIds = resolveEventStreams(account, t, options.store.recorder, id, declared.streamIds, now)
  const { integrity } = options.keeping()
  // Changed in place, since it was made for this merge: a copy takes 2 % of a first sync.
  const after: Event = declared
  after.streamIds = streamIds
  if (integrity !== undefined) after.integrity = eventIntegrity(after, integrity)
  const { changes, latest, docState } = ready
  const added = { kind: 'event', id, changes, latest, docState, origin: from.peer } as const
  putMergedEvent(t, added, before, after, { digests: files, now })
  for (const { id: file, size } of newFiles(before, after)) options.noteMissingFile(t, files?.get(file) ?? '', size)
  noteConflict(t, `e${id}`, { edits: ready.conflicts }, now)
  return applied
}

const newFiles = (before: Event | undefined, after: Event): NonNullable<Event['attachments']> =>
  (after.attachments ?? []).filter(({ id }) => before?.attachments?.some((file) => file.id === id) !== true)

function unnamedFilesObjection(before: Event | undefined, after: Event, files: ChangesEntry['files']): Objection | undefined {
  const unnamed = newFiles(before, after).find(({ id }) => !isFileDigest(files?.get(id) ?? ''))
  return unnamed === undefined ? undefined : { reason: 'damaged', message: 'The digest of an attached file is missing.' }
}

/**
 * Returns the objection to a peer's new version of an event: it must not move the event out of the share, nor add or remove
 * streams outside it.
 */
function moveObjection(tree: Tree, share: Share, from: readonly string[], declared: Event): Objection | undefined {
  if (!sharesEvent(tree, share, declared.streamIds)) return outOfScope('The event would lie outside the share.')
  const moved = [...declared.streamIds.filter((id) => !from.includes(id)), ...from.filter((id) => !declared.streamIds.includes(id))]
  // Missing streams do not contain the event.
  const outside = moved.filter((id) => tree.has(id) && !isWithin(tree, share, id))
  return outside.length === 0 ? undefined : outOfScope('The peer may not move an event into or out of a stream that is not shared.')
}

/** Merges the deletion of an event. */
export function deleteEvent({ t, from, options }: MergeStep, { id, deleted }: DeletionEntry): Outcome {
  if (!Number.isFinite(deleted)) return refusal({ reason: 'invalid', message: 'The deletion has no time.' })
  const { integrity, deletionMode } = options.keeping()
  const integrityOf: AddIntegrity =
    integrity === undefined ? (stored) => stored : (stored) => ({ ...stored, integrity: eventIntegrity(stored, integrity) })
  const event = findEvent(t, t.account, id)
  if (event !== undefined) {
    removeEvent(t, options.store.recorder, event, deleted, deletionMode, integrityOf, from.peer)
    return applied
  }
  const former = findDeletion(t, t.account, id)
  if (!isLaterDeletion(former, deleted)) return known
  const item = `e${id}`
  const change = zeroDigest()
  xorInto(change, deletionElement(item, deleted))
  if (former !== undefined) xorInto(change, deletionElement(item, former.deleted))
  const { integrity: _, ...stored }: EventDeletion = { ...former, id, deleted }
  putDeletion(t, integrityOf(stored), former)
  forgetMergeState(t, item)
  t.journal('event', 'delete', id, { change, origin: from.peer })
  return applied
}

/** Removes an event that a peer no longer shares; refused or ignored when this side is the grantor. */
export function withdrawEvent({ account, t, from, now }: MergeStep, id: string): Outcome {
  const { scope } = from
  if (scope.is !== 'share') return refusal(withdrawalForbidden)
  if (scope.grantor === 'them') return forgetEvent(t, id, now, from.peer) ? applied : known
  const isHeld = sharesEvent(account.tree, scope, findEvent(t, t.account, id)?.streamIds ?? [])
  return isHeld ? refusal(withdrawalForbidden) : known
}
