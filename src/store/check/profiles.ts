/**
 * Checks profile sets: the XOR of the digest changes in the journal must equal the digest of the record, which reveals lost
 * and altered records. Records of format 1 are compared with their changes instead.
 */
import { isFormerRecord, splitFormerRecord } from '../accounts/formerProfiles.js'
import { accountKeys } from '../engine/keys.js'
import { ELEMENT_LENGTH, zeroDigest, xorInto, type DigestElement } from '../model/digestElement.js'
import { isProfileId, type Profile } from '../model/profile.js'
import { isTombstoneName, isStamp, profileState, type StoredProfile, type LocalStamp } from '../model/profileRegisters.js'
import { mapOfText } from '../model/jsonText.js'
import { textToStored } from '../accounts/profiles.js'
import type { DecodedEntry } from '../engine/journal.js'
import { textOf, type CheckContext, type Entry } from './crossReference.js'

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
export interface FormerProfile {
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

const isMap = ({ keys, modified }: Profile): boolean =>
  typeof keys === 'object' && keys !== null && !Array.isArray(keys) && typeof modified === 'number' && Number.isFinite(modified)

const isLocalStamp = (stamp: LocalStamp): boolean => isStamp(stamp) && Number.isSafeInteger(stamp.sequence) && stamp.sequence >= 1

const isWithin = ({ registers: { set, removed } }: StoredProfile, last: number): boolean =>
  [...set.values(), ...removed.values()].every(({ sequence }) => sequence <= last)
