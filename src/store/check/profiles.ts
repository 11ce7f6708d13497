/**
 * Profile sets: a record says all of one, and the journal by what its state changed with each entry, so that a record that is
 * lost or altered shows. Sets of the former form have changes instead.
 */
import { isFormerRecord, partsOfFormer } from '../formerProfiles.js'
import { accountKeys } from '../keys.js'
import { ELEMENT_LENGTH, noElement, toggle, type Element } from '../model/element.js'
import { isProfileId, type Profile } from '../model/profile.js'
import { isRemovedName, isStamp, profileState, type KeptProfile, type Mark } from '../model/profileRegisters.js'
import { mapOfText } from '../model/jsonText.js'
import { textToKept } from '../profiles.js'
import type { DecodedEntry } from '../journal.js'
import { textOf, type CheckContext, type Entry } from './demand.js'

/** The states of profile sets that the journal of an account tells, by id. */
export type ToldStates = Map<string, Element>

/** Whether an entry of the journal tells by what a profile set changed, and is no change of the former form. */
export const tellsState = ({ kind, change }: Pick<DecodedEntry, 'kind' | 'change'>): boolean => kind === 'profile' && change.length === ELEMENT_LENGTH

/** Adds what an entry of the journal tells of a profile set. */
export function tellState(told: ToldStates, { id, change }: Pick<DecodedEntry, 'id' | 'change'>): void {
  const state = told.get(id) ?? noElement()
  toggle(state, change)
  told.set(id, state)
}

/** A set of the former form, with the sequence of its latest change. */
export interface FormerProfile {
  profile: Profile
  sequence: number
}

/**
 * Verifies a record: `<id>`. `told` is absent where the journal was not read. Answers a set of the former form, whose changes
 * are still to be looked at.
 */
export function checkProfileRecord({ findings }: CheckContext, entry: Entry, lastEntry: number | undefined, told: ToldStates | undefined): FormerProfile | undefined {
  findings.count('profiles')
  const { account, rest: id } = entry
  const where = `account ${account}, profile ${id}`
  const text = textOf(entry)
  const former = isFormerRecord(text) ? formerIn(id, text) : undefined
  const kept = isFormerRecord(text) ? undefined : keptIn(id, text)
  const state = told?.get(id)
  told?.delete(id)
  if (!isProfileId(id) || (former === undefined && kept === undefined)) findings.report(where, 'has a record that cannot be read')
  else if (former !== undefined) return former
  else if (kept !== undefined && lastEntry !== undefined && !isWithin(kept, lastEntry)) findings.report(where, 'has a key of a journal entry that is not there')
  else if (kept !== undefined && told !== undefined && (state === undefined || Buffer.compare(state, profileState(kept)) !== 0)) {
    findings.report(where, 'is not what its journal entries say')
  }
  return undefined
}

/** Reports the profile sets that the journal tells of and that are not there: `told` has no others any more. */
export function checkLostProfiles({ findings }: CheckContext, account: string, told: ToldStates): void {
  for (const [id, state] of told) {
    if (state.every((byte) => byte === 0)) continue
    findings.report(`account ${account}, profile ${id}`, 'was set, and is not there', { of: accountKeys.profile(account, id) })
  }
}

/** Reads a record of the present form; undefined when it is none. */
export function keptIn(id: string, text: string): KeptProfile | undefined {
  try {
    const kept = textToKept(id, text)
    const { set, removed } = kept.registers
    const isSound = isMap(kept.profile) && [...set.values(), ...removed.values()].every(isMark) && [...removed.keys()].every(isRemovedName)
    return isSound ? kept : undefined
  } catch {
    return undefined
  }
}

/** Reads a record of the former form; undefined when it is none. */
export function formerIn(id: string, text: string): FormerProfile | undefined {
  try {
    const { sequence, modified, json } = partsOfFormer(text)
    const profile: Profile = { id, keys: mapOfText(json), modified }
    return isMap(profile) && Number.isSafeInteger(sequence) && sequence >= 1 ? { profile, sequence } : undefined
  } catch {
    return undefined
  }
}

const isMap = ({ keys, modified }: Profile): boolean =>
  typeof keys === 'object' && keys !== null && !Array.isArray(keys) && typeof modified === 'number' && Number.isFinite(modified)

const isMark = (mark: Mark): boolean => isStamp(mark) && Number.isSafeInteger(mark.sequence) && mark.sequence >= 1

const isWithin = ({ registers: { set, removed } }: KeptProfile, last: number): boolean =>
  [...set.values(), ...removed.values()].every(({ sequence }) => sequence <= last)
