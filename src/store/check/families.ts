/** Every family of keys that accounts and the platform have, and what reads its entries. */
import {
  accessDeletedDemands,
  accessEntryDemands,
  accessVersionDemands,
  checkAccess,
  checkAccessDeletion,
} from './accesses.js'
import { ofAccessDemands, userDemands, type Claims } from './accounts.js'
import { auditDemands, checkAuditName, checkAuditRetention } from './audit.js'
import { checkBook, checkChanges, checkJournalEntry, type ChangeCount, type Comparison } from './changes.js'
import { checkEpoch, checkReceived, checkShareDocuments, checkShared, checkSyncState } from './copies.js'
import { joinedDemands, linkDemands, relationDemands, taskDemands } from './consents.js'
import { contactDemands } from './contacts.js'
import { checkCredential, checkTally } from './credentials.js'
import { checkControlled, delegateDemands } from './delegations.js'
import { objectIn, textOf, type CheckContext, type Demand, type Entry } from './demand.js'
import {
  deletionDemands,
  eventDemands,
  modifiedDemands,
  periodDemands,
  placeDemands,
  readEvent,
  sequenceIn,
  streamEntryDemands,
  versionDemands,
} from './events.js'
import { attachmentDemands, checkWantedFile, digestDemands, referenceDemands } from './files.js'
import { sliceClaimDemands, sliceDemands } from './followedSlices.js'
import { graveDemands } from './graves.js'
import { owedDemands, peerPositionDemands } from './peerFeeds.js'
import { checkPeer } from './peers.js'
import { checkRefusal, checkUnrepaired, conflictDemands, hiddenMemberDemands } from './merging.js'
import { checkProfileRecord, type JournalStates } from './profiles.js'
import { actorsDemands, reachDemands } from './reaches.js'
import { checkHead, checkSegment } from './series.js'
import { secretByDemands, secretDemands } from './sharedSecrets.js'
import { checkStreamDeletion, readStream, streamDemands, streamPlaceDemands, streamSequenceIn } from './streams.js'
import { ofWebhookDemands, webhookDemands, webhooksOfDemands } from './webhooks.js'
import { accountKeys } from '../keys.js'
import { ATTACHED_FILES } from '../model/systemStreams.js'
import type { Tree } from '../model/tree.js'
import type { Seal } from '../seal.js'

/** What the readers of entries look at besides. */
export interface ReadingOptions {
  /** With it, tokens and unique values are verified too, not only counted. */
  seal?: Seal
  /** With it, records are compared with what their changes amount to: costs some 0.1 to 1 ms for each item. */
  compare?: Comparison
}

/** What the readers of an account's families share. */
export interface AccountCheck extends CheckContext {
  account: string
  lastEntry: number
  tree: Tree
  changes: ChangeCount
  /** Digests of profile sets according to the journal; absent where it is not read. */
  profiles?: JournalStates
  held: Claims
  options: ReadingOptions
}

/** Reads an entry: reports what is wrong with it, and answers what it demands of others. */
export type Family = (check: AccountCheck, entry: Entry) => Demand[] | void

/** Every family of an account's keys, by its letter (see keys.ts). */
export const FAMILIES: Record<string, Family> = {
  u: (check, entry) => userDemands(check, entry, check.held, check.options.seal),
  a: (check, entry) => checkAccess(check, entry, check.held, check.options.seal),
  n: (check, entry) => accessEntryDemands(check, entry, 'name'),
  k: (check, entry) => accessEntryDemands(check, entry, 'managed'),
  y: accessVersionDemands,
  D: (check, entry) => checkAccessDeletion(check, entry, check.options.seal),
  Y: accessDeletedDemands,
  A: (check, entry) => ofAccessDemands(check, entry, 'usage'),
  x: (check, entry) => ofAccessDemands(check, entry, 'session'),
  e: checkEvent,
  i: placeDemands,
  s: streamEntryDemands,
  r: periodDemands,
  m: modifiedDemands,
  d: deletionDemands,
  h: versionDemands,
  t: checkStream,
  f: streamPlaceDemands,
  v: checkStreamDeletion,
  F: (check, entry) => referenceDemands(check, entry),
  E: (check, entry) => digestDemands(check, entry),
  U: checkWantedFile,
  S: checkHead,
  P: (check, entry) => checkSegment(check, entry, 'merged'),
  N: (check, entry) => checkSegment(check, entry, 'fresh'),
  V: reachDemands,
  R: actorsDemands,
  p: checkProfile,
  w: (check, entry) => sliceDemands(check, entry, check.options.seal),
  W: (check, entry) => sliceClaimDemands(check, entry, check.options.seal),
  secret: (check, entry) => secretDemands(check, entry, check.options.seal),
  secretBy: secretByDemands,
  delegate: (check, entry) => delegateDemands(check, entry, check.options.seal),
  controlled: (check, entry) => checkControlled(check, entry, check.options.seal),
  relation: relationDemands,
  link: linkDemands,
  joined: joinedDemands,
  message: (check, entry) => taskDemands(check, entry, check.options.seal),
  H: (check, entry) => webhookDemands(check, entry, check.options.seal),
  K: webhooksOfDemands,
  Q: (check, entry) => ofWebhookDemands(check, entry, 'runs'),
  q: (check, entry) => ofWebhookDemands(check, entry, 'messages'),
  j: (check, entry) => checkJournalEntry(check, entry, check.lastEntry, check.changes, check.profiles),
  b: checkBook,
  B: (check, entry) => checkEpoch(check, entry, check.lastEntry),
  received: (check, entry) => checkReceived(check, entry, check.lastEntry),
  I: (check, entry) => checkSyncState(check, entry, check.lastEntry),
  J: checkShared,
  shareDoc: checkShareDocuments,
  z: checkTally,
  c: (check, entry) => checkCredential(check, entry, check.options.seal),
  L: checkPeer,
  l: peerPositionDemands,
  o: owedDemands,
  O: contactDemands,
  g: auditDemands,
  G: checkAuditName,
  auditRetention: checkAuditRetention,
  Z: (check, entry) => graveDemands(check, entry, check.tree),
  T: (check, entry) => checkUnrepaired(check, entry, check.tree),
  M: (check, entry) => hiddenMemberDemands(check, entry, check.tree),
  C: conflictDemands,
  X: checkRefusal,
}

/** Families of the platform's own keys. */
export const PLATFORM_FAMILIES: Record<string, Family> = {
  R: checkPlatformRecord,
  j: (check, entry) => checkJournalEntry(check, entry, check.lastEntry, check.changes, check.profiles),
}

function checkPlatformRecord({ findings }: AccountCheck, entry: Entry): void {
  findings.count('platform records')
  if (objectIn(textOf(entry))?.['value'] === undefined) {
    findings.report(`platform record ${JSON.stringify(entry.rest)}`, 'cannot be read')
  }
}

/** Streams of an account that are not in its tree: those of its fields. */
const isAccountStream = (id: string): boolean => id.startsWith(':')

function checkEvent(check: AccountCheck, entry: Entry): Demand[] {
  const { account, db, tree, changes, options } = check
  const event = readEvent(check, entry)
  if (event === undefined) return []
  const demands = eventDemands(check, account, event, (id) => tree.has(id) || isAccountStream(id))
  const place = db.get(accountKeys.eventPlace(account, event.id))
  if (place === undefined || place.startsWith('{')) return demands
  demands.push(...attachmentDemands(check, account, event))
  const where = `account ${account}, event ${event.id}`
  const item = { kind: 'event', item: event } as const
  // The sum of file sizes follows from the references, not from changes.
  const compare = event.id === ATTACHED_FILES ? undefined : options.compare
  checkChanges(check, account, item, sequenceIn(place), where, changes, compare, (id) => tree.has(id) || isAccountStream(id))
  return demands
}

function checkStream(check: AccountCheck, entry: Entry): Demand[] {
  const { account, db, tree, changes, options } = check
  const stream = readStream(check, entry)
  if (stream === undefined) return []
  const demands = streamDemands(check, account, stream, tree)
  const place = db.get(accountKeys.streamPlace(account, stream.id))
  if (place === undefined) return demands
  const where = `account ${account}, stream ${stream.id}`
  const item = { kind: 'stream', item: stream } as const
  checkChanges(check, account, item, streamSequenceIn(place), where, changes, options.compare)
  return demands
}

function checkProfile(check: AccountCheck, entry: Entry): void {
  const { account, changes, options, profiles } = check
  const former = checkProfileRecord(check, entry, profiles === undefined ? undefined : check.lastEntry, profiles)
  if (former === undefined) return
  const { profile, sequence } = former
  const where = `account ${account}, profile ${profile.id}`
  checkChanges(check, account, { kind: 'profile', item: profile }, sequence, where, changes, options.compare)
}
