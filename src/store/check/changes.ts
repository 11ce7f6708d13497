/** Verifies the CRDT changes in the journal against the records of items. */
import { decodeEntry, isErased, kindLetter, type DecodedEntry, type EntryKind } from '../engine/journal.js'
import { accountKeys, orderedToNumber } from '../engine/keys.js'
import type { EffectivePlace } from '../model/treeRepair.js'
import type { Item } from '../engine/changeRecorder.js'
import type { CheckContext, Entry } from './crossReference.js'
import { placeIn } from './replication.js'
import { addProfileDelta, isProfileDelta, type JournalStates } from './accountRecords.js'

/** Stored changes of an item. */
export interface StoredChanges {
  /** All of them, latest first. */
  changes: readonly Uint8Array[]
  /** Document state for the next change; absent with a single change. */
  docState: Uint8Array | undefined
  /** True when a conflict of concurrent edits is recorded. */
  hasRecordedConflict: boolean
  /** Streams only: the declared place, if it differs from the effective one. */
  place?: EffectivePlace | undefined
  /** Checks whether a stream exists: the effective streams of an event are its existing ones. */
  isStream(id: string): boolean
}

/** Comparison of records with their changes. Implemented by `sync`. */
export interface Comparison {
  /** Compares a record and its document state with the item's changes; returns the difference. */
  differenceOf(item: Item, stored: StoredChanges): string | undefined
  /**
   * Returns the record of an event, without integrity, as its initial change alone determines it; `isStream` as in
   * `StoredChanges`. Undefined when the change cannot be read or builds on others.
   */
  initialRecord(id: string, change: Uint8Array, isStream: (id: string) => boolean): string | undefined
}

/** Number of changes in the journal of one account. */
export interface ChangeCount {
  /** Changes in journal entries. */
  stored: number
  /** Changes reachable from live items. */
  reached: number
}

/**
 * Verifies the changes of a live item, whose latest journal entry is `latest`; `onChange` receives each with its position, latest
 * first.
 */
export function checkChanges(
  { db, findings }: CheckContext,
  account: string,
  item: Item,
  latest: number,
  where: string,
  count: ChangeCount,
  comparison: Comparison | undefined,
  isStream: (id: string) => boolean = () => true,
  onChange: (at: number, entry: DecodedEntry) => void = () => {},
): void {
  findings.count('changes')
  const changes: Uint8Array[] = []
  let at: number | undefined = latest
  while (at !== undefined) {
    const bytes = db.getBytes(accountKeys.journal(account, at))
    const entry = bytes === undefined ? undefined : decodeEntry(bytes)
    if (entry === undefined || entry.kind !== item.kind || entry.id !== item.item.id || entry.action === 'delete') {
      return findings.report(where, `lists journal entry ${at}, which is not one of its changes`)
    }
    count.reached += 1
    changes.push(entry.change)
    onChange(at, entry)
    if (entry.previous === undefined && entry.action !== 'create') {
      return findings.report(where, `has no change before journal entry ${at}, which does not create it`)
    }
    if (entry.previous !== undefined && entry.previous >= at) {
      return findings.report(where, `has a journal entry ${at} out of order`)
    }
    at = entry.previous
  }
  const docState = db.getBytes(accountKeys.docState(account, kindLetter(item.kind) + item.item.id))
  if (changes.length > 1 && docState === undefined) findings.report(where, 'lacks the document state of its changes')
  const { id } = item.item
  const isMet = db.get(accountKeys.conflict(account, kindLetter(item.kind) + id)) !== undefined
  const place = item.kind === 'stream' ? placeIn(db.get(accountKeys.declaredPlace(account, id))) : undefined
  const difference = comparison?.differenceOf(item, { changes, docState, hasRecordedConflict: isMet, place, isStream })
  if (difference !== undefined) findings.report(where, difference)
}

/**
 * Verifies a journal entry: it is readable, part of the chain, and has no change of a deleted item. `onEventChange`, if set,
 * receives the changes of events in place of the latter check and of the count.
 */
export function checkJournalEntry(
  { db, findings }: CheckContext,
  { account, rest, bytes }: Entry,
  last: number,
  count: ChangeCount,
  profiles?: JournalStates,
  onEventChange?: (sequence: number, entry: DecodedEntry) => void,
): void {
  const sequence = orderedToNumber(rest)
  const where = `account ${account}, entry ${sequence}`
  if (!(sequence >= 1 && sequence <= last)) return findings.report(where, 'is in no commit')
  if (isErased(bytes)) return
  const entry = decodeEntry(bytes)
  if (entry === undefined) return findings.report(where, 'cannot be read')
  const { kind, action, id } = entry
  if (isProfileDelta(entry)) {
    if (profiles !== undefined) addProfileDelta(profiles, entry)
    return
  }
  if (action === 'delete' || !hasChanges(kind)) return
  if (kind === 'event' && onEventChange !== undefined) return onEventChange(sequence, entry)
  count.stored += 1
  if (!isLive(db, account, kind, id)) findings.report(where, `still has a change of the deleted ${kind} ${id}`)
}

/** Keys that store the latest change, by kind of item. */
const PLACES: Record<Item['kind'], (account: string, id: string) => string> = {
  event: accountKeys.eventPlace,
  stream: accountKeys.streamPlace,
  profile: accountKeys.profile,
}

const hasChanges = (kind: EntryKind): kind is Item['kind'] => Object.hasOwn(PLACES, kind)

/** Checks whether an item exists; the place of a deleted event contains its tombstone. */
function isLive(db: CheckContext['db'], account: string, kind: Item['kind'], id: string): boolean {
  const place = db.get(PLACES[kind](account, id))
  // Deletions of events, and profile sets of the current format, have no changes.
  return place !== undefined && !place.startsWith('{')
}

/** Verifies that a document state belongs to a live item with more than one change. */
export function checkDocState({ db, findings }: CheckContext, { account, rest }: Entry): void {
  const kind = (['event', 'stream', 'profile'] as const).find((one) => rest.startsWith(kindLetter(one)))
  findings.count('books')
  if (kind === undefined || !isLive(db, account, kind, rest.slice(1))) {
    findings.report(`account ${account}, document state ${rest}`, 'belongs to a deleted item')
  }
}
