/**
 * Checks the records of an account beside users, events, streams and accesses: credentials and failure counters, followed
 * slices with their claims, profile sets, audit records.
 *
 * The XOR of the digest changes of a profile set in the journal must equal the digest of its record, which reveals lost and
 * altered records. Records of format 1 are compared with their changes instead.
 */
import { auditAccessName, auditActionName } from '../accounts/audit.js'
import { isEnrolmentName, openTotpSecret } from '../accounts/credentials.js'
import { claimsOf, textToSlice } from '../accounts/followedSlices.js'
import { isFormerRecord, splitFormerRecord } from '../accounts/formerProfiles.js'
import { textToStored } from '../accounts/profiles.js'
import type { DecodedEntry } from '../engine/journal.js'
import { accountKeys, ORDERED_LENGTH, orderedToNumber } from '../engine/keys.js'
import type { Seal } from '../keyring/seal.js'
import { auditRecord } from '../model/auditRecord.js'
import { accessBase, accessOfAuditStream, actionOfAuditStream, AUDIT_ROOT, readAuditId } from '../model/auditStreams.js'
import { ELEMENT_LENGTH, xorInto, zeroDigest, type DigestElement } from '../model/digestElement.js'
import { eventToRecord } from '../model/eventRecord.js'
import type { FollowedSlice } from '../model/followedSlice.js'
import { isJsonObject } from '../model/json.js'
import { mapOfText } from '../model/jsonText.js'
import { isProfileId, type Profile } from '../model/profile.js'
import { isStamp, isTombstoneName, profileState, type LocalStamp, type StoredProfile } from '../model/profileRegisters.js'
import { expectValue, objectIn, recordOf, textOf, type CheckContext, type Entry, type ExpectedEntry } from './crossReference.js'
import { parseEvent } from './events.js'

const isNumber = (value: unknown): boolean => typeof value === 'number'

/** Checks a credential, `<name>`: its record is readable, and the secret of an authenticator app can be decrypted. */
export function checkCredential({ findings }: CheckContext, entry: Entry, seal?: Seal): void {
  findings.count('credentials')
  const { account, rest: name } = entry
  const where = `account ${account}, credential ${name}`
  const record = objectIn(textOf(entry))
  const isWhole = record !== undefined && (name !== 'reset' || isReset(record)) && (!isEnrolmentName(name) || isEnrolment(record))
  if (!isWhole) return findings.report(where, 'has a record that cannot be read')
  const totp = isEnrolmentName(name) ? recordOf(record['totp']) : undefined
  if (totp === undefined || seal === undefined) return
  try {
    openTotpSecret(seal, account, String(totp['secret']))
  } catch {
    findings.report(where, 'has a secret that this node key cannot decrypt')
  }
}

function isReset({ token, requests }: Record<string, unknown>): boolean {
  const { digest, expires } = Object(token) as Record<string, unknown>
  const isToken = /^[0-9a-f]{64}$/.test(String(digest)) && isNumber(expires)
  return (token === undefined || isToken) && Array.isArray(requests) && requests.every(isNumber)
}

function isEnrolment({ id, method, content, recoveryCodes, totp }: Record<string, unknown>): boolean {
  const isOfMethod = method === 'sms' ? totp === undefined : method === 'totp' && recordOf(totp) !== undefined
  const areDigests = Array.isArray(recoveryCodes) && recoveryCodes.every((code) => /^[0-9a-f]{64}$/.test(String(code)))
  return typeof id === 'string' && isOfMethod && recordOf(content) !== undefined && areDigests
}

/** Checks a failure counter: `<attempt>`. */
export function checkFailureCounter({ findings }: CheckContext, entry: Entry): void {
  findings.count('tallies')
  const { failures, last } = objectIn(textOf(entry)) ?? {}
  if (isNumber(failures) && isNumber(last)) return
  findings.report(`account ${entry.account}, failure counter ${entry.rest}`, 'has a record that cannot be read')
}

const sliceAt = (account: string, id: string): string => `account ${account}, followed slice ${id}`

/** Checks a slice, `<id>`: with a seal, its token can be decrypted and its claims refer to it. */
export function expectedSliceEntries({ findings }: CheckContext, entry: Entry, seal: Seal | undefined): ExpectedEntry[] {
  findings.count('followed slices')
  const { account, rest: id } = entry
  const where = sliceAt(account, id)
  const text = textOf(entry)
  if (objectIn(text)?.['id'] !== id) {
    findings.report(where, 'has a record that cannot be read')
    return []
  }
  if (seal === undefined) return []
  const slice = openedBy(seal, account, text)
  if (slice === undefined) {
    findings.report(where, 'has a token that this node key cannot decrypt')
    return []
  }
  return claimsOf(seal, account, slice).map((key) => expectValue(key, id, where, 'claim of its name or access'))
}

function openedBy(seal: Seal, account: string, text: string): FollowedSlice | undefined {
  try {
    return textToSlice(seal, account, text)
  } catch {
    return undefined
  }
}

/** Expects the slice of a claim, `<digest>`, to have the claimed value. */
export function expectedSliceClaimEntries({ findings }: CheckContext, entry: Entry, seal: Seal | undefined): ExpectedEntry[] {
  findings.count('slice claims')
  const { account, rest } = entry
  const id = textOf(entry)
  const isStale = (text: string): boolean => {
    if (seal === undefined) return false
    const slice = openedBy(seal, account, text)
    return slice !== undefined && !claimsOf(seal, account, slice).includes(accountKeys.sliceClaim(account, rest))
  }
  const wrong = (text: string | undefined): string | undefined =>
    text === undefined || isStale(text) ? 'has a stale claim of a name or access' : undefined
  return [{ key: accountKeys.slice(account, id), where: sliceAt(account, id), wrong }]
}

/** Digests of profile sets according to the journal of an account, by id. */
export type JournalStates = Map<string, DigestElement>

/** Checks whether a journal entry has a digest change of a profile set, not a CRDT change of format 1. */
export const isProfileDelta = ({ kind, change }: Pick<DecodedEntry, 'kind' | 'change'>): boolean => kind === 'profile' && change.length === ELEMENT_LENGTH

/** Adds the digest change of a journal entry. */
export function addProfileDelta(states: JournalStates, { id, change }: Pick<DecodedEntry, 'id' | 'change'>): void {
  const state = states.get(id) ?? zeroDigest()
  xorInto(state, change)
  states.set(id, state)
}

/** Record of format 1, with the sequence of its latest change. */
interface FormerProfile {
  profile: Profile
  sequence: number
}

/**
 * Verifies a record: `<id>`. `states` and `lastEntry` are absent if the journal was not read. Returns a record of format 1,
 * whose changes the caller verifies.
 */
export function checkProfileRecord({ findings }: CheckContext, entry: Entry, lastEntry: number | undefined, states: JournalStates | undefined): FormerProfile | undefined {
  findings.count('profiles')
  const { account, rest: id } = entry
  const where = `account ${account}, profile ${id}`
  const text = textOf(entry)
  const former = isFormerRecord(text) ? parseFormerProfile(id, text) : undefined
  const stored = isFormerRecord(text) ? undefined : parseStoredProfile(id, text)
  const state = states?.get(id)
  states?.delete(id)
  if (!isProfileId(id) || (former === undefined && stored === undefined)) findings.report(where, 'has a record that cannot be read')
  else if (former !== undefined) return former
  else if (stored !== undefined && lastEntry !== undefined && !isWithin(stored, lastEntry)) findings.report(where, 'has a key of a missing journal entry')
  else if (stored !== undefined && states !== undefined && (state === undefined || Buffer.compare(state, profileState(stored)) !== 0)) {
    findings.report(where, 'does not match its journal entries')
  }
  return undefined
}

/** Reports profile sets without a record; `states` contains those without a matching record. */
export function checkLostProfiles({ findings }: CheckContext, account: string, states: JournalStates): void {
  for (const [id, state] of states) {
    if (state.every((byte) => byte === 0)) continue
    findings.report(`account ${account}, profile ${id}`, 'was set but is missing', { of: accountKeys.profile(account, id) })
  }
}

/** Parses a record of the current format; undefined when it is invalid. */
export function parseStoredProfile(id: string, text: string): StoredProfile | undefined {
  try {
    const stored = textToStored(id, text)
    const { set, removed } = stored.registers
    const isSound = isMap(stored.profile) && [...set.values(), ...removed.values()].every(isLocalStamp) && [...removed.keys()].every(isTombstoneName)
    return isSound ? stored : undefined
  } catch {
    return undefined
  }
}

/** Parses a record of format 1; undefined when it is invalid. */
export function parseFormerProfile(id: string, text: string): FormerProfile | undefined {
  try {
    const { sequence, modified, json } = splitFormerRecord(text)
    const profile: Profile = { id, keys: mapOfText(json), modified }
    return isMap(profile) && Number.isSafeInteger(sequence) && sequence >= 1 ? { profile, sequence } : undefined
  } catch {
    return undefined
  }
}

const isMap = ({ keys, modified }: Profile): boolean => isJsonObject(keys) && typeof modified === 'number' && Number.isFinite(modified)

const isLocalStamp = (stamp: LocalStamp): boolean => isStamp(stamp) && Number.isSafeInteger(stamp.sequence) && stamp.sequence >= 1

const isWithin = ({ registers: { set, removed } }: StoredProfile, last: number): boolean =>
  [...set.values(), ...removed.values()].every(({ sequence }) => sequence <= last)

/** Expects the list entries of an audit record, `<access>/<time><id>`; checks its streams and time. */
export function expectedAuditEntries({ findings }: CheckContext, entry: Entry): ExpectedEntry[] {
  findings.count('audit records')
  const slash = entry.rest.indexOf('/')
  const access = entry.rest.slice(0, slash)
  const end = entry.rest.slice(slash + 1)
  const id = AUDIT_ROOT + end.slice(ORDERED_LENGTH)
  const where = `account ${entry.account}, audit record ${id}`
  const time = orderedToNumber(end)
  const text = auditRecord(end.slice(ORDERED_LENGTH), time, textOf(entry))
  const event = text === undefined ? undefined : parseEvent(text)
  if (event === undefined) {
    findings.report(where, 'cannot be read')
    return []
  }
  if (readAuditId(id)?.time !== time) findings.report(where, 'has an id with another time')
  // Filters inspect the text of records, so its form matters as much as its content.
  if (eventToRecord(event) !== text) findings.report(where, 'is not in canonical form')
  const [own = '', action] = [event.streamIds[0], event.streamIds.at(-1)]
  const method = actionOfAuditStream(action ?? '')
  if (accessBase(accessOfAuditStream(own) ?? '') !== access || method === undefined) {
    findings.report(where, `is not in the streams of access ${access} and of a method`)
    return []
  }
  const listed = (name: string): ExpectedEntry =>
    expectValue(accountKeys.auditName(entry.account, name), '', where, `entry in the list of audit names (${name})`)
  return [listed(auditAccessName(access)), listed(auditActionName(method))]
}

/** Checks the stored state of audit retention. */
export function checkAuditRetention({ findings }: CheckContext, entry: Entry): void {
  const { since, counted } = objectIn(textOf(entry)) ?? { since: '' }
  const { before, bytes } = recordOf(counted) ?? {}
  const isNumber = (value: unknown): boolean => typeof value === 'number'
  const isWhole = (since === undefined || isNumber(since)) && (counted === undefined || (isNumber(before) && isNumber(bytes)))
  if (!isWhole) findings.report(`account ${entry.account}, retention of audit records`, 'cannot be read')
}

/** Checks an entry of the list: `access-<id>` or `action-<method>`. */
export function checkAuditName({ findings }: CheckContext, entry: Entry): void {
  findings.count('audit names')
  if (/^(access|action)-./.test(entry.rest) && textOf(entry) === '') return
  findings.report(`account ${entry.account}, audit name ${JSON.stringify(entry.rest)}`, 'is not valid')
}
