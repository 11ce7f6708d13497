/**
 * Storage of profile sets: one record each, with a register per key (model/profileRegisters.ts). Values are stored nowhere
 * else, so removed and overwritten ones disappear with the next compaction; journal entries hold digest changes only. A
 * record is a line of JSON with the stamps, then the JSON of the keys, which reads return as is.
 *
 * Stores of format 1 hold CRDT documents instead (formerProfiles.ts).
 */
import type { Transaction } from '../engine/account.js'
import { isFormerRecord, splitFormerRecord, convertProfile } from './formerProfiles.js'
import { accountKeys } from '../engine/keys.js'
import type { ClientData } from '../model/event.js'
import { mapOfText, mapTextOf } from '../model/jsonText.js'
import type { Profile } from '../model/profile.js'
import {
  editProfile,
  joinProfile,
  profileState,
  type StoredProfile,
  type LocalStamp,
  type ProfileChange,
  type Register,
} from '../model/profileRegisters.js'
import type { ChangeRecorder } from '../engine/changeRecorder.js'
import type { RecordReader } from '../engine/recordReader.js'

/** Stored form of a stamp; `actor` is an index into the list of actors. */
type StampTuple = readonly [counter: number, actor: number, sequence: number]

/** First line of a record. */
interface Head {
  modified: number
  actors: readonly string[]
  /** In the order of the keys. */
  set: readonly StampTuple[]
  removed: Readonly<Record<string, StampTuple>>
}

const END_OF_HEAD = '\n'

/** Returns the text of a record. */
export function profileText({ profile: { keys, modified }, registers }: StoredProfile): string {
  const actors = new Map<string, number>()
  const toTuple = ({ counter, actor, sequence }: LocalStamp): StampTuple => {
    const at = actors.get(actor) ?? actors.size
    actors.set(actor, at)
    return [counter, at, sequence]
  }
  const set = Object.keys(keys).map((key) => toTuple(registers.set.get(key) ?? NO_STAMP))
  const removed = Object.fromEntries([...registers.removed].map(([name, stamp]) => [name, toTuple(stamp)]))
  const head: Head = { modified, actors: [...actors.keys()], set, removed }
  return JSON.stringify(head) + END_OF_HEAD + mapTextOf(keys)
}

/** Stamp of a key without one, which a store check reports. */
const NO_STAMP: LocalStamp = { counter: 0, actor: '', sequence: 0 }

/**
 * Parses a record of the current format.
 * @throws SyntaxError
 */
export function textToStored(id: string, text: string): StoredProfile {
  const end = text.indexOf(END_OF_HEAD)
  const { modified, actors, set, removed } = JSON.parse(text.slice(0, Math.max(0, end))) as Head
  const keys = mapOfText(text.slice(end + 1)) as ClientData
  const names = Object.keys(keys)
  const fromTuple = ([counter, at, sequence]: StampTuple): LocalStamp => ({ counter, actor: actors[at] ?? '', sequence })
  if (!Array.isArray(set) || set.length !== names.length) throw new SyntaxError('The stamps are not those of the keys.')
  return {
    profile: { id, keys, modified },
    registers: {
      set: new Map(names.map((key, i) => [key, fromTuple(set[i] as StampTuple)])),
      removed: new Map(Object.entries(removed).map(([name, stamp]) => [name, fromTuple(stamp)])),
    },
  }
}

/**
 * Parses a record of either format.
 * @throws SyntaxError
 */
export function textToProfile(id: string, text: string): Profile {
  if (!isFormerRecord(text)) return textToStored(id, text).profile
  const { modified, json } = splitFormerRecord(text)
  return { id, keys: mapOfText(json) as ClientData, modified }
}

/** Returns the keys of a profile set as JSON text; `{}` without a record. */
export function profileJson(reader: RecordReader, account: string, id: string): string {
  const text = reader.get(accountKeys.profile(account, id))
  if (text === undefined) return '{}'
  return isFormerRecord(text) ? splitFormerRecord(text).json : text.slice(text.indexOf(END_OF_HEAD) + 1)
}

/** Checks whether a profile set has a record. */
export const hasProfile = (reader: RecordReader, account: string, id: string): boolean => reader.get(accountKeys.profile(account, id)) !== undefined

/** Reads a profile set; undefined without a record of the current format. */
export function findProfile(reader: RecordReader, account: string, id: string): StoredProfile | undefined {
  const text = reader.get(accountKeys.profile(account, id))
  return text === undefined || isFormerRecord(text) ? undefined : textToStored(id, text)
}

/** Reads a profile set for an edit; converts a record of format 1 first. */
export function findProfileToEdit(t: Transaction, recorder: ChangeRecorder, id: string): StoredProfile | undefined {
  const text = t.get(accountKeys.profile(t.account, id))
  if (text === undefined) return undefined
  if (!isFormerRecord(text)) return textToStored(id, text)
  return createProfile(t, convertProfile(t, recorder, id, text))
}

/** Writes the next state of a profile set; `former` comes from `findProfileToEdit`. */
export function putProfile(t: Transaction, former: StoredProfile | undefined, next: Profile): void {
  put(t, next.id, former, editProfile(former, next, t.actor))
}

/** Merges registers from a peer, given by its number; returns whether anything changed. */
export function mergeRegisters(
  t: Transaction,
  id: string,
  former: StoredProfile | undefined,
  incoming: { modified: number; registers: readonly Register[] },
  origin: number,
): boolean {
  const change = joinProfile(id, former, incoming)
  put(t, id, former, change, origin)
  return change.isChanged
}

/** Writes a profile set that has no record yet, keeping its stamps; returns the stored state. */
export function createProfile(t: Transaction, state: StoredProfile): StoredProfile {
  const { id } = state.profile
  const sequence = t.journal('profile', 'create', id, { change: profileState(state) })
  const withSequence = (stamps: ReadonlyMap<string, LocalStamp>): Map<string, LocalStamp> =>
    new Map([...stamps].map(([name, stamp]) => [name, { ...stamp, sequence }]))
  const stored = { profile: state.profile, registers: { set: withSequence(state.registers.set), removed: withSequence(state.registers.removed) } }
  t.put(accountKeys.profile(t.account, id), profileText(stored))
  return stored
}

function put(t: Transaction, id: string, former: StoredProfile | undefined, change: ProfileChange, origin?: number): void {
  if (!change.isChanged) return
  const action = former === undefined ? 'create' : 'update'
  const sequence = t.journal('profile', action, id, { change: change.delta, ...(origin === undefined ? {} : { origin }) })
  t.put(accountKeys.profile(t.account, id), profileText(change.after(sequence)))
}
