/** The CRDT changes in the journal: whether each item's record is what its changes amount to. */
import { decodeEntry, isErased, kindLetter, type EntryKind } from '../engine/journal.js'
import { accountKeys, orderedToNumber } from '../engine/keys.js'
import type { EffectivePlace } from '../model/treeRepair.js'
import type { Item } from '../engine/changeRecorder.js'
import type { CheckContext, Entry } from './crossReference.js'
import { placeIn } from './mergeState.js'
import { addProfileDelta, isProfileDelta, type JournalStates } from './profiles.js'

/** The changes of an item as the store keeps them. */
export interface StoredChanges {
  /** All of them, latest first. */
  changes: readonly Uint8Array[]
  /** The bookkeeping for the next one; absent while there is only one. */
  docState: Uint8Array | undefined
  /** Whether it is noted that concurrent edits met. */
  isMet: boolean
  /** Of a stream that is shown elsewhere: where it says it is. */
  place?: EffectivePlace | undefined
  /** Whether a stream is there: an event is shown in those of its streams that are. */
  isStream(id: string): boolean
}

/** Says what in a record, or in the bookkeeping, is not what the item's changes amount to; implemented by `sync`. */
export type Comparison = (item: Item, stored: StoredChanges) => string | undefined

/** What the journal of one account holds, as far as items account for it. */
export interface ChangeCount {
  /** Changes that journal entries hold. */
  stored: number
  /** Changes that a live item leads to. */
  reached: number
}

/** Verifies the changes of a live item, whose latest journal entry is `latest`. */
export function checkChanges(
  { db, findings }: CheckContext,
  account: string,
  item: Item,
  latest: number,
  where: string,
  count: ChangeCount,
  compare: Comparison | undefined,
  isStream: (id: string) => boolean = () => true,
): void {
  const changes: Uint8Array[] = []
  let at: number | undefined = latest
  while (at !== undefined) {
    const bytes = db.getBytes(accountKeys.journal(account, at))
    const entry = bytes === undefined ? undefined : decodeEntry(bytes)
    if (entry === undefined || entry.kind !== item.kind || entry.id !== item.item.id || entry.action === 'delete') {
      return findings.report(where, `counts journal entry ${at} among its changes, which is none`)
    }
    count.reached += 1
    changes.push(entry.change)
    if (entry.previous === undefined && entry.action !== 'create') {
      return findings.report(where, `has no change before journal entry ${at}, which does not create it`)
    }
    if (entry.previous !== undefined && entry.previous >= at) {
      return findings.report(where, `has a journal entry ${at} that comes before the one before it`)
    }
    at = entry.previous
  }
  const docState = db.getBytes(accountKeys.docState(account, kindLetter(item.kind) + item.item.id))
  if (changes.length > 1 && docState === undefined) findings.report(where, 'lacks the bookkeeping of its changes')
  findings.count('changes')
  const { id } = item.item
  const isMet = db.get(accountKeys.conflict(account, kindLetter(item.kind) + id)) !== undefined
  const place = item.kind === 'stream' ? placeIn(db.get(accountKeys.declaredPlace(account, id))) : undefined
  const difference = compare?.(item, { changes, docState, isMet, place, isStream })
  if (difference !== undefined) findings.report(where, difference)
}

/** Verifies a journal entry: it can be read, is part of the chain, and holds no change of an item that is gone. */
export function checkJournalEntry(
  { db, findings }: CheckContext,
  { account, rest, bytes }: Entry,
  last: number,
  count: ChangeCount,
  profiles?: JournalStates,
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
  count.stored += 1
  if (!isLive(db, account, kind, id)) findings.report(where, `still holds a change of the ${kind} ${id}`)
}

/** Under which key each kind of item notes its latest change. */
const PLACES: Record<Item['kind'], (account: string, id: string) => string> = {
  event: accountKeys.eventPlace,
  stream: accountKeys.streamPlace,
  profile: accountKeys.profile,
}

const hasChanges = (kind: EntryKind): kind is Item['kind'] => Object.hasOwn(PLACES, kind)

/** Whether an item is there; the place of a deleted event holds what is left of it. */
function isLive(db: CheckContext['db'], account: string, kind: Item['kind'], id: string): boolean {
  const place = db.get(PLACES[kind](account, id))
  // Deletions of events, and profile sets of the current format, have no changes.
  return place !== undefined && !place.startsWith('{')
}

/** Verifies that the bookkeeping under a key is that of a live item with more than one change. */
export function checkDocState({ db, findings }: CheckContext, { account, rest }: Entry): void {
  const kind = (['event', 'stream', 'profile'] as const).find((one) => rest.startsWith(kindLetter(one)))
  findings.count('books')
  if (kind === undefined || !isLive(db, account, kind, rest.slice(1))) {
    findings.report(`account ${account}, book ${rest}`, 'is that of an item that is gone')
  }
}
