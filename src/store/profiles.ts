/**
 * How profile sets are kept: each is one record with a register for each key (model/profileRegisters.ts), and nothing of
 * it lies elsewhere, so that a value that is removed or replaced is gone with the next compaction. The journal has by what
 * the state of the set changed. The text of a record is a line of JSON, its stamps, and the JSON of its keys behind it, so
 * that reads answer with the end of it as it is.
 *
 * Stores of format 1 have CRDT documents in place of registers, see formerProfiles.ts.
 */
import type { Transaction } from './account.js'
import { isFormerRecord, partsOfFormer, takeOverProfile } from './formerProfiles.js'
import { accountKeys } from './keys.js'
import type { ClientData } from './model/event.js'
import { mapOfText, mapTextOf } from './model/jsonText.js'
import type { Profile } from './model/profile.js'
import {
  editProfile,
  joinProfile,
  profileState,
  type KeptProfile,
  type Mark,
  type ProfileChange,
  type Register,
} from './model/profileRegisters.js'
import type { ChangeRecorder } from './ports.js'

type Reader = { get(key: string): string | undefined }

/** The stamp of a key: its counter, its actor by the place in the list, the sequence of its journal entry. */
type Stamped = readonly [counter: number, actor: number, sequence: number]

/** The first line of a record. */
interface Head {
  modified: number
  actors: readonly string[]
  /** In the order of the keys. */
  set: readonly Stamped[]
  removed: Readonly<Record<string, Stamped>>
}

const END_OF_HEAD = '\n'

/** Returns the text of a record. */
export function profileText({ profile: { keys, modified }, registers }: KeptProfile): string {
  const actors = new Map<string, number>()
  const stamped = ({ counter, actor, sequence }: Mark): Stamped => {
    const at = actors.get(actor) ?? actors.size
    actors.set(actor, at)
    return [counter, at, sequence]
  }
  const set = Object.keys(keys).map((key) => stamped(registers.set.get(key) ?? NO_MARK))
  const removed = Object.fromEntries([...registers.removed].map(([name, mark]) => [name, stamped(mark)]))
  const head: Head = { modified, actors: [...actors.keys()], set, removed }
  return JSON.stringify(head) + END_OF_HEAD + mapTextOf(keys)
}

/** Of a key without a stamp, which the check of a store reports. */
const NO_MARK: Mark = { counter: 0, actor: '', sequence: 0 }

/**
 * Reads a record of the present form.
 * @throws SyntaxError when it is none
 */
export function textToKept(id: string, text: string): KeptProfile {
  const end = text.indexOf(END_OF_HEAD)
  const { modified, actors, set, removed } = JSON.parse(text.slice(0, Math.max(0, end))) as Head
  const keys = mapOfText(text.slice(end + 1)) as ClientData
  const names = Object.keys(keys)
  const marked = ([counter, at, sequence]: Stamped): Mark => ({ counter, actor: actors[at] ?? '', sequence })
  if (!Array.isArray(set) || set.length !== names.length) throw new SyntaxError('The stamps are not those of the keys.')
  return {
    profile: { id, keys, modified },
    registers: {
      set: new Map(names.map((key, i) => [key, marked(set[i] as Stamped)])),
      removed: new Map(Object.entries(removed).map(([name, stamp]) => [name, marked(stamp)])),
    },
  }
}

/**
 * Reads a record of either form.
 * @throws SyntaxError when it is none
 */
export function textToProfile(id: string, text: string): Profile {
  if (!isFormerRecord(text)) return textToKept(id, text).profile
  const { modified, json } = partsOfFormer(text)
  return { id, keys: mapOfText(json) as ClientData, modified }
}

/** The keys of a profile set as JSON text; `{}` when nobody has set one. */
export function profileJson(reader: Reader, account: string, id: string): string {
  const text = reader.get(accountKeys.profile(account, id))
  if (text === undefined) return '{}'
  return isFormerRecord(text) ? partsOfFormer(text).json : text.slice(text.indexOf(END_OF_HEAD) + 1)
}

/** Whether anybody has set a profile set. */
export const hasProfile = (reader: Reader, account: string, id: string): boolean => reader.get(accountKeys.profile(account, id)) !== undefined

/** A profile set with its stamps, as far as there is one of the present form. */
export function findProfile(reader: Reader, account: string, id: string): KeptProfile | undefined {
  const text = reader.get(accountKeys.profile(account, id))
  return text === undefined || isFormerRecord(text) ? undefined : textToKept(id, text)
}

/** A profile set that is about to be changed; one of the former form is taken over first. */
export function profileToChange(t: Transaction, recorder: ChangeRecorder, id: string): KeptProfile | undefined {
  const text = t.get(accountKeys.profile(t.account, id))
  if (text === undefined) return undefined
  if (!isFormerRecord(text)) return textToKept(id, text)
  const taken = takeOverProfile(t, recorder, id, text)
  return putWholeProfile(t, taken)
}

/** Gives a profile set, as `profileToChange` read it, its next keys; makes it when it is not there. */
export function putProfile(t: Transaction, former: KeptProfile | undefined, next: Profile): void {
  put(t, next.id, former, editProfile(former, next, t.actor))
}

/** Joins a profile set with registers that came from a peer; answers whether they changed anything. */
export function joinInProfile(
  t: Transaction,
  id: string,
  former: KeptProfile | undefined,
  came: { modified: number; registers: readonly Register[] },
  origin: number,
): boolean {
  const change = joinProfile(id, former, came)
  put(t, id, former, change, origin)
  return change.isChanged
}

/** Writes a profile set of which nothing is here, with its stamps; answers it as it is kept. */
export function putWholeProfile(t: Transaction, kept: KeptProfile): KeptProfile {
  const { id } = kept.profile
  const sequence = t.journal('profile', 'create', id, { change: profileState(kept) })
  const marked = (marks: ReadonlyMap<string, Mark>): Map<string, Mark> => new Map([...marks].map(([name, mark]) => [name, { ...mark, sequence }]))
  const whole = { profile: kept.profile, registers: { set: marked(kept.registers.set), removed: marked(kept.registers.removed) } }
  t.put(accountKeys.profile(t.account, id), profileText(whole))
  return whole
}

function put(t: Transaction, id: string, former: KeptProfile | undefined, change: ProfileChange, origin?: number): void {
  if (!change.isChanged) return
  const action = former === undefined ? 'create' : 'update'
  const sequence = t.journal('profile', action, id, { change: change.delta, ...(origin === undefined ? {} : { origin }) })
  t.put(accountKeys.profile(t.account, id), profileText(change.after(sequence)))
}
