/** How what other nodes changed is kept: changes in the journal, bookkeeping, records; and what is forgotten. */
import type { Account, Transaction } from '../engine/account.js'
import { changesOf, eraseChanges, latestEntry } from '../engine/changes.js'
import { writeEventIndexes } from '../events/eventIndexes.js'
import { eraseVersions, findEvent, placeOf } from '../events/events.js'
import type { FileDigests } from '../blobs/fileReferences.js'
import type { JournalDetail } from '../engine/journal.js'
import { kindLetter } from '../engine/journal.js'
import { accountKeys } from '../engine/keys.js'
import type { Event, Seconds } from '../model/event.js'
import { isSeriesType } from '../model/eventTypes/series.js'
import { forgetMergeState } from '../engine/mergeState.js'
import type { DocumentKind } from '../engine/changeRecorder.js'
import { removePoints } from '../series/series.js'
import { hideStream, sequenceAt } from '../streams/streams.js'

/** Changes of an item that are new here. */
export interface NewChanges {
  kind: DocumentKind
  id: string
  /** Each comes after those that it builds on. */
  changes: readonly Uint8Array[]
  /** The bookkeeping for the next local edit, when there is more than one change in all. */
  docState?: Uint8Array | undefined
  /** Number of the peer that they came from. */
  origin: number
  /** Sequence of the item's latest journal entry; absent when there is none. */
  latest?: number | undefined
}

/**
 * Journals changes and keeps the bookkeeping; answers the sequence of the last. Followers are told once, with the last
 * entry, what became of the item.
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

/** The changes of an item that are here, and the sequence of its latest journal entry; none of one that is not here. */
export function storedChanges(t: Transaction, kind: DocumentKind, id: string): { latest?: number; changes: Uint8Array[] } {
  const latest = latestEntry(t, t.account, kind, id)
  if (latest === undefined) return { changes: [] }
  return { latest, changes: [...changesOf(t, latest)].map(({ change }) => change) }
}

/** Gives an event the state that its merged changes amount to. */
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

/** Forgets an event that is not shared any more: nothing of it stays, not even that it was deleted. */
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

/** Forgets a stream that is not shared any more. What is shown in it is the caller's business. */
export function forgetStream(account: Account, t: Transaction, id: string, now: Seconds, origin: number): boolean {
  const latest = sequenceAt(t, id)
  if (latest === 0) return false
  const { state } = eraseChanges(t, `s${id}`, latest)
  const about = hideStream(account, t, id, now)
  t.journal('stream', 'delete', id, { change: state, origin, about: { stream: about } })
  return true
}
