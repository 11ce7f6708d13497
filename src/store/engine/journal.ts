/**
 * Journal entries: what was done to which item, with the item's CRDT change. Websockets, webhooks, sync and caches
 * follow the journal, never a handler. See commit.ts for the chain that links them.
 */
import { accountKeys, orderedToNumber, under } from './keys.js'
import { each, type Database, type Snapshot } from './database.js'
import { prefixed } from '../headroom.js'
import type { Access } from '../model/access.js'
import { ELEMENT_LENGTH } from '../model/digestElement.js'
import type { Event } from '../model/event.js'
import type { Stream } from '../model/stream.js'

export type EntryKind =
  | 'event'
  | 'stream'
  | 'access'
  | 'user'
  | 'session'
  | 'profile'
  | 'slice'
  | 'credential'
  | 'record'
  | 'series'
  | 'webhook'
  | 'secret'
  | 'delegation'
export type EntryAction = 'create' | 'update' | 'delete'

/** An item around a change: no `before` when it is new, no `after` when it is gone. */
export interface States<T> {
  before?: T
  after?: T
}

/** What a change did to its item, for followers in this process who choose by content; it is not kept. */
export interface JournalDetail {
  event?: States<Event>
  stream?: States<Stream>
  access?: States<Access>
  /** Points that were written, unless they are many: those are read. */
  points?: WrittenPoints
}

/** Points of one write, for whoever passes them on at once. */
export interface WrittenPoints {
  actor: string
  /** Stamp of the write, in microseconds. */
  time: number
  /** Stamp of the actor's write before it to this series; 0 for its first. */
  previous: number
  /** The points as encoded segments. */
  segments: readonly Uint8Array[]
}

/** An entry as followers see it. */
export interface JournalEntry {
  /** The account's key prefix. */
  account: string
  /** Position in the account's journal, counting up from 1. */
  sequence: number
  kind: EntryKind
  action: EntryAction
  id: string
  /** Of events, streams and accesses. */
  about?: JournalDetail
  /** Whether it is the first entry of its change: those that follow it without this were staged with it. */
  begins?: true
  /** Number of the peer that the change came from; absent for what was written here. */
  origin?: number
}

/** An entry that is on disk, with its bytes: followers need not read them back. */
export type CommittedEntry = JournalEntry & { bytes: Uint8Array }

const KINDS: Record<EntryKind, string> = {
  event: 'e',
  stream: 's',
  access: 'a',
  user: 'u',
  session: 'x',
  profile: 'p',
  slice: 'w',
  credential: 'c',
  record: 'r',
  series: 'm',
  webhook: 'h',
  secret: 'o',
  delegation: 'd',
}
const ACTIONS: Record<EntryAction, string> = { create: '+', update: '~', delete: '-' }
const KIND_OF = new Map(Object.entries(KINDS).map(([kind, letter]) => [letter, kind as EntryKind]))
const ACTION_OF = new Map(Object.entries(ACTIONS).map(([action, letter]) => [letter, action as EntryAction]))

/** The letter that a kind of item has in keys. */
export const kindLetter = (kind: EntryKind): string => KINDS[kind]

/** What a change of each kind means for the calls that follow it. */
const CONCERNS: Record<EntryKind, 'callers' | 'streams' | 'content'> = {
  event: 'content',
  stream: 'streams',
  access: 'callers',
  user: 'callers',
  session: 'callers',
  profile: 'content',
  slice: 'content',
  credential: 'content',
  record: 'content',
  series: 'content',
  webhook: 'content',
  secret: 'content',
  delegation: 'content',
}

/** Whether a change may decide who calls and with which rights. */
export const concernsCallers = (kind: EntryKind): boolean => CONCERNS[kind] === 'callers'

/** Whether readers wait until a change is on disk: rights and the tree of streams decide what an answer holds. */
export const isStructure = (kind: EntryKind): boolean => CONCERNS[kind] !== 'content'

const encoder = new TextEncoder()
const NEWLINE = 10

/**
 * Entry bytes: `<kind><action><id> <previous>[@<origin>]\n<change>`, where `previous` is the sequence of the item's entry
 * before this one (base 36, empty for the first), so that an item's changes are found without an index of their own, and
 * `origin` the number of the peer that it came from (base 36). What is behind the line is the CRDT change, or, of items
 * that have none and of deletions, by what the state of the account differs afterwards (model/element.ts).
 */
export function encodeEntry(
  kind: EntryKind,
  action: EntryAction,
  id: string,
  change?: Uint8Array,
  previous?: number,
  origin?: number,
): Uint8Array {
  const from = origin === undefined ? '' : `@${origin.toString(36)}`
  const head = `${KINDS[kind]}${ACTIONS[action]}${id} ${previous === undefined ? '' : previous.toString(36)}${from}\n`
  if (change === undefined) return encoder.encode(head)
  const whole = prefixed(head, change)
  if (whole !== undefined) return whole
  const bytes = Buffer.allocUnsafe(head.length * 3 + change.length)
  const used = bytes.write(head, 'utf8')
  bytes.set(change, used)
  return bytes.subarray(0, used + change.length)
}

export interface DecodedEntry {
  kind: EntryKind
  action: EntryAction
  id: string
  change: Uint8Array
  previous?: number
  origin?: number
}

/** Reads an entry; undefined when the bytes are not one (an erased entry reads as its action with an empty change). */
export function decodeEntry(bytes: Uint8Array): DecodedEntry | undefined {
  const end = bytes.indexOf(NEWLINE)
  if (end < 2) return undefined
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, end).toString('utf8')
  const kind = KIND_OF.get(head.charAt(0))
  const action = ACTION_OF.get(head.charAt(1))
  if (kind === undefined || action === undefined) return undefined
  const space = head.lastIndexOf(' ')
  const [before = '', from] = head.slice(space + 1).split('@')
  const entry: DecodedEntry = { kind, action, id: head.slice(2, space), change: bytes.subarray(end + 1) }
  if (before !== '') entry.previous = Number.parseInt(before, 36)
  if (from !== undefined) entry.origin = Number.parseInt(from, 36)
  return entry
}

/** The change in the bytes of an entry, without reading what is before it. */
export const changeIn = (bytes: Uint8Array): Uint8Array => bytes.subarray(bytes.indexOf(NEWLINE) + 1)

const ERASED = 0x21 // !
/** The other length of an erased entry: the mark, two bytes of its item's hash and its element, which nothing reads. */
const ERASED_WITH_ELEMENT = 1 + 2 + ELEMENT_LENGTH

/** What an entry becomes when its item is deleted: nothing but the fact that there was one. */
export const erasedEntry = (): Uint8Array => Uint8Array.of(ERASED)

/** Whether the bytes of an entry are those of an erased one. */
export const isErased = (bytes: Uint8Array): boolean =>
  bytes[0] === ERASED && (bytes.length === 1 || bytes.length === ERASED_WITH_ELEMENT)

/** Entries of an account from a sequence on, with their changes; erased ones are skipped. */
export async function* readJournal(
  db: Database,
  account: string,
  from = 1,
  snapshot?: Snapshot,
): AsyncGenerator<JournalEntry & { change: Uint8Array }> {
  const range = { ...under(accountKeys.journals(account)), gte: accountKeys.journal(account, from) }
  for await (const [key, bytes] of each(db.byteEntries(range, {}, snapshot))) {
    const entry = decodeEntry(bytes)
    if (entry === undefined) continue
    yield { account, sequence: orderedToNumber(key, key.length - 11), ...entry }
  }
}
