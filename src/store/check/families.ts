/** Key families of accounts and the platform, with the check of each. */
import {
  expectedAccessDeletionEntries,
  expectedAccessEntries,
  expectedAccessVersionEntries,
  checkAccess,
  checkAccessDeletion,
} from './accesses.js'
import { expectedOfAccessEntries, expectedUserEntries, type Claims } from './platform.js'
import {
  checkAuditName,
  checkAuditRetention,
  checkCredential,
  checkFailureCounter,
  checkProfileRecord,
  expectedAuditEntries,
  expectedSliceClaimEntries,
  expectedSliceEntries,
  type JournalStates,
} from './accountRecords.js'
import { checkChanges, checkDocState, checkJournalEntry, type ChangeCount, type Comparison } from './changes.js'
import {
  checkDeclaredPlace,
  checkEpoch,
  checkPeer,
  checkReceived,
  checkRefusal,
  checkShared,
  checkShareDocuments,
  checkSyncState,
  expectedActorEntries,
  expectedConflictEntries,
  expectedContactEntries,
  expectedPeerPositionEntries,
  expectedPendingFetchEntries,
  expectedSeriesVersionEntries,
  expectedTombstoneEntries,
  expectedUnplacedEventEntries,
} from './replication.js'
import {
  checkControlled,
  expectedDelegateEntries,
  expectedLinkEntries,
  expectedLinkMemberEntries,
  expectedOfWebhookEntries,
  expectedRelationEntries,
  expectedSecretByAccessEntries,
  expectedSecretEntries,
  expectedTaskEntries,
  expectedWebhookEntries,
  expectedWebhooksOfEntries,
} from './accessRecords.js'
import { eventAt, objectIn, textOf, type CheckContext, type ExpectedEntry, type Entry } from './crossReference.js'
import {
  expectedDeletionEntries,
  expectedEventEntries,
  expectedModifiedEntries,
  expectedDurationEntries,
  expectedEventKeyEntries,
  readEvent,
  sequenceIn,
  expectedStreamEntries,
  expectedVersionEntries,
} from './events.js'
import { expectedAttachmentEntries, checkWantedFile, expectedDigestEntries, expectedReferenceEntries } from './files.js'
import { checkHead, checkSegment, checkSummarized } from './series.js'
import { checkStreamDeletion, readStream, expectedStreamIndexEntries, expectedStreamPlaceEntries, streamSequenceIn } from './streams.js'
import { addChange, addRecord, removeChange, removeRecord, type EventSums, type InitialRecord } from './eventSums.js'
import { kindLetter, type DecodedEntry } from '../engine/journal.js'
import { accountKeys, orderedToNumber } from '../engine/keys.js'
import type { Event } from '../model/event.js'
import { recordToEvent } from '../model/eventRecord.js'
import { ATTACHED_FILES } from '../model/systemStreams.js'
import type { Tree } from '../model/tree.js'
import type { Seal } from '../keyring/seal.js'

/** Options of entry checks. */
export interface ReadingOptions {
  /** If set, also verifies tokens and unique values instead of only counting them. */
  seal?: Seal
  /** If set, compares records with their changes: costs about 0.1 to 1 ms per edited item, less for others. */
  comparison?: Comparison
}

/** State shared by the checks of an account's families. */
export interface AccountCheck extends CheckContext {
  account: string
  lastEntry: number
  tree: Tree
  changes: ChangeCount
  /** Digests of profile sets according to the journal; absent when it is not read. */
  profiles?: JournalStates
  claims: Claims
  options: ReadingOptions
  /** If set, records, indexes and changes of events are added to these sums in place of being compared with each other. */
  sums?: EventSums
}

/** Checks an entry: reports its problems, and returns what it expects of others. */
export type Family = (check: AccountCheck, entry: Entry) => ExpectedEntry[] | void

/** Returns the expectations of an entry; reports an entry that cannot be parsed. */
export function readEntry(read: Family, check: AccountCheck, entry: Entry): ExpectedEntry[] {
  try {
    return read(check, entry) ?? []
  } catch (error) {
    check.findings.report(`account ${check.account}, key ${JSON.stringify(entry.rest)}`, `cannot be read: ${String(error)}`)
    return []
  }
}

/** Families of an account's keys, by letter (see keys.ts). */
export const FAMILIES: Record<string, Family> = {
  u: (check, entry) => expectedUserEntries(check, entry, check.claims, check.options.seal),
  a: (check, entry) => checkAccess(check, entry, check.claims, check.options.seal),
  n: (check, entry) => expectedAccessEntries(check, entry, 'name'),
  k: (check, entry) => expectedAccessEntries(check, entry, 'managed'),
  y: expectedAccessVersionEntries,
  D: (check, entry) => checkAccessDeletion(check, entry, check.options.seal),
  Y: expectedAccessDeletionEntries,
  A: (check, entry) => expectedOfAccessEntries(check, entry, 'usage'),
  x: (check, entry) => expectedOfAccessEntries(check, entry, 'session'),
  e: checkEvent,
  i: expectedEventKeyEntries,
  s: expectedStreamEntries,
  r: expectedDurationEntries,
  m: expectedModifiedEntries,
  d: expectedDeletionEntries,
  h: expectedVersionEntries,
  t: checkStream,
  f: expectedStreamPlaceEntries,
  v: checkStreamDeletion,
  F: (check, entry) => expectedReferenceEntries(check, entry),
  E: (check, entry) => expectedDigestEntries(check, entry),
  U: checkWantedFile,
  S: checkHead,
  P: (check, entry) => checkSegment(check, entry, 'merged'),
  N: (check, entry) => checkSegment(check, entry, 'fresh'),
  summary: checkSummarized,
  V: expectedSeriesVersionEntries,
  R: expectedActorEntries,
  p: checkProfile,
  w: (check, entry) => expectedSliceEntries(check, entry, check.options.seal),
  W: (check, entry) => expectedSliceClaimEntries(check, entry, check.options.seal),
  secret: (check, entry) => expectedSecretEntries(check, entry, check.options.seal),
  secretBy: expectedSecretByAccessEntries,
  delegate: (check, entry) => expectedDelegateEntries(check, entry, check.options.seal),
  controlled: (check, entry) => checkControlled(check, entry, check.options.seal),
  relation: expectedRelationEntries,
  link: expectedLinkEntries,
  joined: expectedLinkMemberEntries,
  message: (check, entry) => expectedTaskEntries(check, entry, check.options.seal),
  H: (check, entry) => expectedWebhookEntries(check, entry, check.options.seal),
  K: expectedWebhooksOfEntries,
  Q: (check, entry) => expectedOfWebhookEntries(check, entry, 'runs'),
  q: (check, entry) => expectedOfWebhookEntries(check, entry, 'messages'),
  j: checkJournal,
  b: checkDocumentState,
  B: (check, entry) => checkEpoch(check, entry, check.lastEntry),
  received: (check, entry) => checkReceived(check, entry, check.lastEntry),
  I: (check, entry) => checkSyncState(check, entry, check.lastEntry),
  J: checkShared,
  shareDoc: checkShareDocuments,
  z: checkFailureCounter,
  c: (check, entry) => checkCredential(check, entry, check.options.seal),
  L: checkPeer,
  l: expectedPeerPositionEntries,
  o: expectedPendingFetchEntries,
  O: expectedContactEntries,
  g: expectedAuditEntries,
  G: checkAuditName,
  auditRetention: checkAuditRetention,
  Z: (check, entry) => expectedTombstoneEntries(check, entry, check.tree),
  T: (check, entry) => checkDeclaredPlace(check, entry, check.tree),
  M: (check, entry) => expectedUnplacedEventEntries(check, entry, check.tree),
  C: expectedConflictEntries,
  X: checkRefusal,
}

/** Families of the platform's own keys. */
export const PLATFORM_FAMILIES: Record<string, Family> = {
  R: checkPlatformRecord,
  j: checkJournal,
}

function checkPlatformRecord({ findings }: AccountCheck, entry: Entry): void {
  findings.count('platform records')
  if (objectIn(textOf(entry))?.['value'] === undefined) {
    findings.report(`platform record ${JSON.stringify(entry.rest)}`, 'cannot be read')
  }
}

/** Streams outside the account's tree: those of its fields. */
const isAccountStream = (id: string): boolean => id.startsWith(':')

const isStreamOf = ({ tree }: AccountCheck) => (id: string): boolean => tree.has(id) || isAccountStream(id)

function checkEvent(check: AccountCheck, entry: Entry): ExpectedEntry[] {
  const { account, db, sums, options, findings } = check
  const event = readEvent(check, entry)
  if (event === undefined) return []
  const demands = expectedEventEntries(check, account, event, isStreamOf(check))
  if (sums !== undefined) {
    findings.count('changes')
    if (options.comparison !== undefined) addRecord(sums, event.id, textOf(entry))
    demands.push(...expectedAttachmentEntries(check, account, event))
    return demands
  }
  const place = db.get(accountKeys.eventPlace(account, event.id))
  if (place === undefined || place.startsWith('{')) return demands
  demands.push(...expectedAttachmentEntries(check, account, event))
  checkEventChanges(check, event, place)
  return demands
}

/** Verifies the changes of an event one by one. */
function checkEventChanges(check: AccountCheck, event: Event, place: string, onChange?: (at: number, change: DecodedEntry) => void): void {
  const { account, changes, options } = check
  const where = `account ${account}, event ${event.id}`
  const item = { kind: 'event', item: event } as const
  // The sum of file sizes follows from the references, not from changes.
  const comparison = event.id === ATTACHED_FILES ? undefined : options.comparison
  checkChanges(check, account, item, sequenceIn(place), where, changes, comparison, isStreamOf(check), onChange)
}

/** Returns the record that an initial change determines; undefined when records are not compared with changes. */
function initialRecordIn(check: AccountCheck): InitialRecord | undefined {
  const { comparison } = check.options
  return comparison === undefined ? undefined : (id, change) => comparison.initialRecord(id, change, isStreamOf(check))
}

function checkJournal(check: AccountCheck, entry: Entry): void {
  const { sums, findings } = check
  const add =
    sums === undefined
      ? undefined
      : (at: number, change: DecodedEntry): void => {
          const { id, previous, action } = change
          // Earlier than its change, so that the changes of an event cannot form a circle.
          const isInOrder = previous === undefined ? action === 'create' : previous < at
          if (isInOrder) addChange(sums, at, change, initialRecordIn(check))
          else findings.report(eventAt(check.account, id), `has a journal entry ${at} out of order`)
        }
  checkJournalEntry(check, entry, check.lastEntry, check.changes, check.profiles, add)
}

function checkDocumentState(check: AccountCheck, entry: Entry): void {
  checkDocState(check, entry)
  const { account, db, sums } = check
  const letter = kindLetter('event')
  if (sums === undefined || !entry.rest.startsWith(letter)) return
  // An edited event does not follow from its initial change: it is read with all of its changes.
  const id = entry.rest.slice(letter.length)
  const place = db.get(accountKeys.eventPlace(account, id)) ?? ''
  const record = db.get(accountKeys.event(account, orderedToNumber(place), id))
  if (record === undefined) return check.findings.report(eventAt(account, id), 'has no record')
  const initialRecord = initialRecordIn(check)
  const single = { ...check, changes: { stored: 0, reached: 0 }, findings: { ...check.findings, count: () => {} } }
  checkEventChanges(single, recordToEvent(record), place, (at, change) => removeChange(sums, at, change, initialRecord))
  if (initialRecord !== undefined) removeRecord(sums, id, record)
}

function checkStream(check: AccountCheck, entry: Entry): ExpectedEntry[] {
  const { account, db, tree, changes, options } = check
  const stream = readStream(check, entry)
  if (stream === undefined) return []
  const demands = expectedStreamIndexEntries(check, account, stream, tree)
  const place = db.get(accountKeys.streamPlace(account, stream.id))
  if (place === undefined) return demands
  const where = `account ${account}, stream ${stream.id}`
  const item = { kind: 'stream', item: stream } as const
  checkChanges(check, account, item, streamSequenceIn(place), where, changes, options.comparison)
  return demands
}

function checkProfile(check: AccountCheck, entry: Entry): void {
  const { account, changes, options, profiles } = check
  const former = checkProfileRecord(check, entry, profiles === undefined ? undefined : check.lastEntry, profiles)
  if (former === undefined) return
  const { profile, sequence } = former
  const where = `account ${account}, profile ${profile.id}`
  checkChanges(check, account, { kind: 'profile', item: profile }, sequence, where, changes, options.comparison)
}
