/**
 * Replication: data that other nodes determine. peers.ts has the records of paired nodes, with the `Scope` that both exchange.
 *
 * This file stores changes from other nodes (`NewChanges`): journal entries, document state and records. It also removes items
 * that are no longer shared. sync/merge decides what to store; engine/changes.ts reads the changes.
 */
import type { Account, Transaction } from '../engine/account.js'
import { changesOf, eraseChanges, latestEntry } from '../engine/changes.js'
import { eraseVersions, findEvent, placeOf, writeEventIndexes } from '../events/events.js'
import type { FileDigests } from '../blobs/fileReferences.js'
import { kindLetter, type JournalDetail } from '../engine/journal.js'
import { accountKeys } from '../engine/keys.js'
import type { Event, Seconds } from '../model/event.js'
import { isSeriesType } from '../model/eventTypes/series.js'
import { forgetMergeState } from '../engine/mergeState.js'
import type { DocumentKind } from '../engine/changeRecorder.js'
import { removePoints } from '../series/series.js'
import { removeFromTree, sequenceAt } from '../streams/streams.js'

/** Changes of an item that are new to this replica. */
interface NewChanges {
  kind: DocumentKind
  id: string
  /** In causal order. */
  changes: readonly Uint8Array[]
  /** Document state for the next local edit, when there is more than one change in all. */
  docState?: Uint8Array | undefined
  /** Number of the peer that sent them. */
  origin: number
  /** Sequence of the item's latest journal entry; absent when there is none. */
  latest?: number | undefined
}

/**
 * Journals changes and stores the document state; returns the sequence of the last. Followers are notified once about the
 * item, with the last entry.
 */
export function journalChanges(t: Transaction, { kind, id, changes, docState, origin, latest }: NewChanges, about?: JournalDetail): number {
  let previous = latest
  for (const [i, change] of changes.entries()) {
    const isLast = i === changes.length - 1
    previous = t.journal(kind, previous === undefined ? 'create' : 'update', id, {
      change,
      origin,
      ...(previous === undefined ? {} : { previous }),
      ...(isLast && about !== undefined ? { about } : {}),
    })
  }
  const key = accountKeys.docState(t.account, kindLetter(kind) + id)
  if (docState !== undefined) t.put(key, docState)
  return previous ?? 0
}

/** Returns the stored changes of an item, and the sequence of its latest journal entry; no changes for an unknown item. */
export function storedChanges(t: Transaction, kind: DocumentKind, id: string): { latest?: number; changes: Uint8Array[] } {
  const latest = latestEntry(t, t.account, kind, id)
  if (latest === undefined) return { changes: [] }
  return { latest, changes: [...changesOf(t, latest)].map(({ change }) => change) }
}

/** Writes the merged state of an event. */
export function putMergedEvent(
  t: Transaction,
  added: NewChanges,
  before: Event | undefined,
  after: Event,
  more: { digests: FileDigests | undefined; now: Seconds },
): void {
  const about = { event: { ...(before === undefined ? {} : { before }), after } }
  const sequence = journalChanges(t, added, about)
  writeEventIndexes(t, before, after, { sequence, digests: more.digests, now: more.now })
}

/** Removes an event that is no longer shared, without leaving a tombstone. */
export function forgetEvent(t: Transaction, id: string, now: Seconds, origin: number): boolean {
  const before = findEvent(t, t.account, id)
  if (before === undefined) return false
  const { sequence } = placeOf(t, id)
  const { state } = eraseChanges(t, `e${id}`, sequence)
  eraseVersions(t, id)
  forgetMergeState(t, `e${id}`)
  t.journal('event', 'delete', id, { change: state, origin, about: { event: { before } } })
  if (isSeriesType(before.type)) removePoints(t, id)
  writeEventIndexes(t, before, undefined, { sequence, now })
  t.delete(accountKeys.eventPlace(t.account, id))
  return true
}

/** Removes a stream that is no longer shared. The caller handles the events in it. */
export function forgetStream(account: Account, t: Transaction, id: string, now: Seconds, origin: number): boolean {
  const latest = sequenceAt(t, id)
  if (latest === 0) return false
  const { state } = eraseChanges(t, `s${id}`, latest)
  const about = removeFromTree(account, t, id, now)
  t.journal('stream', 'delete', id, { change: state, origin, about: { stream: about } })
  return true
}
