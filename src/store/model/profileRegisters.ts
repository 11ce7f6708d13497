/**
 * Merges copies of a profile set that were changed on several nodes: each key is a last-writer-wins register, set or
 * removed with a Lamport stamp (a state-based CRDT). Of two stamps the larger counter wins, then the larger actor; so an
 * edit wins over all that its copy had seen, and of concurrent edits of a key every node keeps the same one.
 *
 * A removed key leaves its stamp under a digest of its name, and neither name nor value. `join` is commutative,
 * associative and idempotent, and takes any part of another copy's registers.
 */
import { hash } from 'node:crypto'
import { inKeyOrder } from './clientData.js'
import { noElement, textElement, toggle, type Element } from './element.js'
import type { ClientData } from './event.js'
import { jsonTextOf, textOrValue } from './jsonText.js'
import type { Profile } from './profile.js'

/** When a key was set or removed: a Lamport counter, and the process. */
export interface Stamp {
  readonly counter: number
  readonly actor: string
}

/** A stamp with the journal entry by which it came here: what a peer lacks are the registers of later entries. */
export interface Mark extends Stamp {
  sequence: number
}

/** Stamps of a profile set. */
export interface Registers {
  /** By key: one for each that is set. */
  readonly set: ReadonlyMap<string, Mark>
  /** By `removedName`. */
  readonly removed: ReadonlyMap<string, Mark>
}

/** A profile set with its stamps. */
export interface KeptProfile {
  profile: Profile
  registers: Registers
}

/** One register as nodes exchange it: a key with the JSON text of its value, or the `removedName` of a removed one. */
export type Register = Stamp & ({ readonly key: string; readonly text: string } | { readonly removed: string })

/** Returns the name under which a removed key leaves its stamp: 22 characters. */
export const removedName = (id: string, key: string): string =>
  hash('sha256', `${id} ${JSON.stringify(key)}`, 'buffer').toString('base64url', 0, 16)

export const isRemovedName = (name: string): boolean => /^[A-Za-z0-9_-]{22}$/.test(name)

/** Larger counters are not taken: nobody could count on from them. */
const MOST_COUNTER = 2 ** 52

/** Returns whether a stamp is one that nodes make. */
export const isStamp = ({ counter, actor }: Stamp): boolean =>
  Number.isInteger(counter) && counter >= 1 && counter <= MOST_COUNTER && /^[A-Za-z0-9_-]{1,64}$/.test(actor)

const order = (a: Stamp, b: Stamp): number => a.counter - b.counter || (a.actor < b.actor ? -1 : a.actor > b.actor ? 1 : 0)

/** The element of the time of the last change. */
const modifiedElement = (id: string, modified: number): Element => textElement(`p${id}`, `modified ${modified}`)

/** The element of a register; `text` is undefined for a removed key. */
const registerElement = (id: string, name: string, { counter, actor }: Stamp, text: string | undefined): Element =>
  textElement(`p${id}`, `${name} ${counter} ${actor} ${text === undefined ? '-' : hash('sha256', text, 'base64url')}`)

/** Returns the state of a profile set (model/element.ts). */
export function profileState({ profile: { id, keys, modified }, registers }: KeptProfile): Element {
  const state = modifiedElement(id, modified)
  for (const [key, mark] of registers.set) toggle(state, registerElement(id, removedName(id, key), mark, jsonTextOf(keys[key])))
  for (const [name, mark] of registers.removed) toggle(state, registerElement(id, name, mark, undefined))
  return state
}

/** Lists the registers that came with a journal entry or a later one; all by default. */
export function registersSince({ profile: { keys }, registers }: KeptProfile, since = 0): Register[] {
  const list: Register[] = []
  for (const [key, { counter, actor, sequence }] of registers.set) {
    if (sequence >= since) list.push({ key, counter, actor, text: jsonTextOf(keys[key]) })
  }
  for (const [removed, { counter, actor, sequence }] of registers.removed) {
    if (sequence >= since) list.push({ removed, counter, actor })
  }
  return list
}

/** A change of a profile set. */
export interface ProfileChange {
  /** What the state of the set changes by; all zero when nothing changed. */
  delta: Element
  /** Whether anything changed. */
  isChanged: boolean
  /** Returns the set after the change, which came with a journal entry. */
  after(sequence: number): KeptProfile
}

/** A profile set that is being changed. */
class Draft {
  readonly delta = noElement()
  isChanged = false
  readonly #id: string
  readonly #keys: Map<string, unknown>
  readonly #set: Map<string, Mark>
  readonly #removed: Map<string, Mark>
  readonly #fresh: Mark[] = []
  #modified: number
  /** Keys by their `removedName`, once one was looked for. */
  #names: Map<string, string> | undefined

  constructor(id: string, former: KeptProfile | undefined, modified: number) {
    this.#id = id
    this.#keys = new Map(Object.entries(former?.profile.keys ?? {}))
    this.#set = new Map(former?.registers.set)
    this.#removed = new Map(former?.registers.removed)
    const before = former?.profile.modified
    this.#modified = before === undefined ? modified : Math.max(before, modified)
    if (before === this.#modified) return
    if (before !== undefined) toggle(this.delta, modifiedElement(id, before))
    toggle(this.delta, modifiedElement(id, this.#modified))
    this.isChanged = true
  }

  /** The counter of the next edit. */
  nextCounter(): number {
    let last = 0
    for (const { counter } of this.#set.values()) last = Math.max(last, counter)
    for (const { counter } of this.#removed.values()) last = Math.max(last, counter)
    return last + 1
  }

  /**
   * Takes a register unless the one that is here wins. `known` is what a caller knows of it beside: its value, and the key
   * of a removed one.
   */
  take(came: Register, known: { value?: unknown; key?: string } = {}): void {
    const name = 'key' in came ? removedName(this.#id, came.key) : came.removed
    const key = 'key' in came ? came.key : (known.key ?? this.#keyNamed(name))
    const mark = (key === undefined ? undefined : this.#set.get(key)) ?? this.#removed.get(name)
    const text = key !== undefined && this.#set.has(key) ? jsonTextOf(this.#keys.get(key)) : undefined
    if (mark !== undefined && !wins(came, mark, text)) return
    if (mark !== undefined) toggle(this.delta, registerElement(this.#id, name, mark, text))
    const next: Mark = { counter: came.counter, actor: came.actor, sequence: 0 }
    if ('key' in came) {
      this.#keys.set(came.key, 'value' in known ? known.value : textOrValue(came.text))
      this.#set.set(came.key, next)
      this.#names?.set(name, came.key)
      this.#removed.delete(name)
    } else {
      if (key !== undefined) this.#keys.delete(key)
      if (key !== undefined) this.#set.delete(key)
      this.#names?.delete(name)
      this.#removed.set(name, next)
    }
    toggle(this.delta, registerElement(this.#id, name, next, 'key' in came ? came.text : undefined))
    this.#fresh.push(next)
    this.isChanged = true
  }

  #keyNamed(name: string): string | undefined {
    if (this.#removed.has(name)) return undefined
    this.#names ??= new Map([...this.#set.keys()].map((key) => [removedName(this.#id, key), key]))
    return this.#names.get(name)
  }

  after(sequence: number): KeptProfile {
    for (const mark of this.#fresh) mark.sequence = sequence
    const keys = inKeyOrder([...this.#keys])
    return {
      profile: { id: this.#id, keys, modified: this.#modified },
      registers: { set: this.#set, removed: this.#removed },
    }
  }
}

/** Equal stamps of one key are those of one edit; should they differ all the same, every node keeps the same one. */
function wins(came: Register, mark: Stamp, text: string | undefined): boolean {
  const later = order(came, mark)
  if (later !== 0 || !('key' in came)) return later > 0
  return text === undefined || came.text > text
}

/**
 * Changes a profile set to what `next` says: keys that differ are set, those that it lacks are removed, and the time is
 * the later one. `actor` names the process.
 */
export function editProfile(former: KeptProfile | undefined, next: Profile, actor: string): ProfileChange {
  const { id, keys, modified } = next
  const draft = new Draft(id, former, modified)
  const before = new Map(Object.entries(former?.profile.keys ?? {}))
  const counter = draft.nextCounter()
  for (const [key, value] of Object.entries(keys)) {
    if (value === undefined || (before.has(key) && isSame(before.get(key), value))) continue
    draft.take({ key, text: jsonTextOf(value), counter, actor }, { value })
  }
  for (const key of before.keys()) if (!Object.hasOwn(keys, key)) draft.take({ removed: removedName(id, key), counter, actor }, { key })
  return draft
}

/** Values that stay are the same objects: nothing of theirs is written out to be compared. */
const isSame = (a: unknown, b: unknown): boolean => a === b || jsonTextOf(a) === jsonTextOf(b)

/** Joins a profile set with registers of another copy. */
export function joinProfile(
  id: string,
  former: KeptProfile | undefined,
  came: { modified: number; registers: readonly Register[] },
): ProfileChange {
  const draft = new Draft(id, former, came.modified)
  for (const register of came.registers) draft.take(register)
  return draft
}

/** Keys with their values that the registers of a former document set. */
export function keysOf(registers: readonly Register[]): ClientData {
  return inKeyOrder(registers.flatMap((one): [string, unknown][] => ('key' in one ? [[one.key, textOrValue(one.text)]] : [])))
}
