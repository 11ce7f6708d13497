/**
 * Merges replicas of a profile set (a state-based CRDT): each key is a last-writer-wins register with a Lamport stamp. The
 * larger counter wins, then the larger actor. An edit therefore wins over all edits that its replica had seen, and all nodes
 * resolve concurrent edits of a key alike.
 *
 * A removed key leaves a tombstone: its stamp under a digest of its name, without name or value. Merging is commutative,
 * associative and idempotent, and accepts any subset of a replica's registers.
 */
import { hash } from 'node:crypto'
import { inKeyOrder } from './clientData.js'
import { zeroDigest, textElement, xorInto, type DigestElement } from './digestElement.js'
import type { ClientData } from './event.js'
import { jsonTextOf, textOrValue } from './jsonText.js'
import type { Profile } from './profile.js'

/** Lamport timestamp of an edit; `actor` names the process. */
export interface Stamp {
  readonly counter: number
  readonly actor: string
}

/** Stamp with the sequence of the local journal entry that stored it: a peer at a journal position lacks later registers only. */
export interface LocalStamp extends Stamp {
  sequence: number
}

/** Stamps of all keys of a profile set. */
interface Registers {
  /** Stamps of set keys, by key. */
  readonly set: ReadonlyMap<string, LocalStamp>
  /** Tombstones, by `tombstoneName`. */
  readonly removed: ReadonlyMap<string, LocalStamp>
}

/** Profile set with its stamps. */
export interface StoredProfile {
  profile: Profile
  registers: Registers
}

/** A register on the wire: a key with its value as JSON text, or the `tombstoneName` of a removed key. */
export type Register = Stamp & ({ readonly key: string; readonly text: string } | { readonly removed: string })

/** Returns the name of a key's tombstone: 22 characters of a digest. */
export const tombstoneName = (id: string, key: string): string =>
  hash('sha256', `${id} ${JSON.stringify(key)}`, 'buffer').toString('base64url', 0, 16)

export const isTombstoneName = (name: string): boolean => /^[A-Za-z0-9_-]{22}$/.test(name)

/** Maximum counter, beyond practical use; edits at it are ordered by actor. */
const MAX_COUNTER = 2 ** 52

/** Checks whether a stamp is valid. */
export const isStamp = ({ counter, actor }: Stamp): boolean =>
  Number.isInteger(counter) && counter >= 1 && counter <= MAX_COUNTER && /^[A-Za-z0-9_-]{1,64}$/.test(actor)

const order = (a: Stamp, b: Stamp): number => a.counter - b.counter || (a.actor < b.actor ? -1 : a.actor > b.actor ? 1 : 0)

/** Returns the digest element of the modification time. */
const modifiedElement = (id: string, modified: number): DigestElement => textElement(`p${id}`, `modified ${modified}`)

/** Returns the digest element of a register, which covers its value; `text` is undefined for tombstones. */
const registerElement = (id: string, name: string, { counter, actor }: Stamp, text: string | undefined): DigestElement =>
  textElement(`p${id}`, `${name} ${counter} ${actor} ${text === undefined ? '-' : hash('sha256', text, 'base64url')}`)

/** Returns the digest of a profile set: the XOR of its elements (digestElement.ts). */
export function profileState({ profile: { id, keys, modified }, registers }: StoredProfile): DigestElement {
  const state = modifiedElement(id, modified)
  for (const [key, stamp] of registers.set) xorInto(state, registerElement(id, tombstoneName(id, key), stamp, jsonTextOf(keys[key])))
  for (const [name, stamp] of registers.removed) xorInto(state, registerElement(id, name, stamp, undefined))
  return state
}

/** Lists the registers stored by the journal entry `since` or later ones; all by default. */
export function registersSince({ profile: { keys }, registers }: StoredProfile, since = 0): Register[] {
  const list: Register[] = []
  for (const [key, { counter, actor, sequence }] of registers.set) {
    if (sequence >= since) list.push({ key, counter, actor, text: jsonTextOf(keys[key]) })
  }
  for (const [removed, { counter, actor, sequence }] of registers.removed) {
    if (sequence >= since) list.push({ removed, counter, actor })
  }
  return list
}

/** Result of an edit or a merge. */
export interface ProfileChange {
  /** XOR of the digests before and after; all zero without a change. */
  delta: DigestElement
  isChanged: boolean
  /** Returns the new state, given the sequence of the journal entry that stores it. */
  after(sequence: number): StoredProfile
}

/** Mutable copy of a profile set. */
class Draft {
  readonly delta = zeroDigest()
  isChanged = false
  readonly #id: string
  readonly #keys: Map<string, unknown>
  readonly #set: Map<string, LocalStamp>
  readonly #removed: Map<string, LocalStamp>
  readonly #fresh: LocalStamp[] = []
  #modified: number
  /** Keys by `tombstoneName`; built on first use. */
  #names: Map<string, string> | undefined

  constructor(id: string, former: StoredProfile | undefined, modified: number) {
    this.#id = id
    this.#keys = new Map(Object.entries(former?.profile.keys ?? {}))
    this.#set = new Map(former?.registers.set)
    this.#removed = new Map(former?.registers.removed)
    const before = former?.profile.modified
    this.#modified = before === undefined ? modified : Math.max(before, modified)
    if (before === this.#modified) return
    if (before !== undefined) xorInto(this.delta, modifiedElement(id, before))
    xorInto(this.delta, modifiedElement(id, this.#modified))
    this.isChanged = true
  }

  /** Returns the counter of the next edit. */
  nextCounter(): number {
    let last = 0
    for (const { counter } of this.#set.values()) last = Math.max(last, counter)
    for (const { counter } of this.#removed.values()) last = Math.max(last, counter)
    return Math.min(last + 1, MAX_COUNTER)
  }

  /** Applies a register unless the current one wins. `known`: the parsed value, or the key of a tombstone, if available. */
  apply(incoming: Register, known: { value?: unknown; key?: string } = {}): void {
    const name = 'key' in incoming ? tombstoneName(this.#id, incoming.key) : incoming.removed
    const key = 'key' in incoming ? incoming.key : (known.key ?? this.#keyNamed(name))
    const current = (key === undefined ? undefined : this.#set.get(key)) ?? this.#removed.get(name)
    const text = key !== undefined && this.#set.has(key) ? jsonTextOf(this.#keys.get(key)) : undefined
    if (current !== undefined && !wins(incoming, current, text)) return
    if (current !== undefined) xorInto(this.delta, registerElement(this.#id, name, current, text))
    const next: LocalStamp = { counter: incoming.counter, actor: incoming.actor, sequence: 0 }
    if ('key' in incoming) {
      this.#keys.set(incoming.key, 'value' in known ? known.value : textOrValue(incoming.text))
      this.#set.set(incoming.key, next)
      this.#names?.set(name, incoming.key)
      this.#removed.delete(name)
    } else {
      if (key !== undefined) this.#keys.delete(key)
      if (key !== undefined) this.#set.delete(key)
      this.#names?.delete(name)
      this.#removed.set(name, next)
    }
    xorInto(this.delta, registerElement(this.#id, name, next, 'key' in incoming ? incoming.text : undefined))
    this.#fresh.push(next)
    this.isChanged = true
  }

  #keyNamed(name: string): string | undefined {
    if (this.#removed.has(name)) return undefined
    this.#names ??= new Map([...this.#set.keys()].map((key) => [tombstoneName(this.#id, key), key]))
    return this.#names.get(name)
  }

  after(sequence: number): StoredProfile {
    for (const stamp of this.#fresh) stamp.sequence = sequence
    const keys = inKeyOrder([...this.#keys])
    return {
      profile: { id: this.#id, keys, modified: this.#modified },
      registers: { set: this.#set, removed: this.#removed },
    }
  }
}

/** Checks whether a register wins. Equal stamps belong to one edit; if their values differ, the larger text wins. */
function wins(incoming: Register, current: Stamp, text: string | undefined): boolean {
  const later = order(incoming, current)
  if (later !== 0 || !('key' in incoming)) return later > 0
  return text === undefined || incoming.text > text
}

/** Edits a profile set into `next`: sets the keys that differ and removes the missing ones. The modification time never decreases. */
export function editProfile(former: StoredProfile | undefined, next: Profile, actor: string): ProfileChange {
  const { id, keys, modified } = next
  const draft = new Draft(id, former, modified)
  const before = new Map(Object.entries(former?.profile.keys ?? {}))
  const counter = draft.nextCounter()
  for (const [key, value] of Object.entries(keys)) {
    if (value === undefined || (before.has(key) && isSame(before.get(key), value))) continue
    draft.apply({ key, text: jsonTextOf(value), counter, actor }, { value })
  }
  for (const key of before.keys()) if (!Object.hasOwn(keys, key)) draft.apply({ removed: tombstoneName(id, key), counter, actor }, { key })
  return draft
}

/** Compares two values. Unchanged values are the same object, so large ones are not serialised. */
const isSame = (a: unknown, b: unknown): boolean => a === b || jsonTextOf(a) === jsonTextOf(b)

/** Merges registers of another replica into a profile set. */
export function joinProfile(
  id: string,
  former: StoredProfile | undefined,
  incoming: { modified: number; registers: readonly Register[] },
): ProfileChange {
  const draft = new Draft(id, former, incoming.modified)
  for (const register of incoming.registers) draft.apply(register)
  return draft
}

/** Returns the keys that registers set, with their values. */
export function registerKeys(registers: readonly Register[]): ClientData {
  return inKeyOrder(registers.flatMap((one): [string, unknown][] => ('key' in one ? [[one.key, textOrValue(one.text)]] : [])))
}
