/**
 * Journal entries: action and item, with the item's CRDT change. Websockets, webhooks, sync and caches follow the
 * journal, never a handler. See commit.ts for the chain that links entries.
 */
import { accountKeys, orderedToNumber, under } from './keys.js'
import { each, type Database, type Snapshot } from './database.js'
import { prefixed } from './headroom.js'
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

/** States of an item around a change: no `before` when it is new, no `after` when it is gone. */
export interface States<T> {
  before?: T
  after?: T
}

/** Content of a change, for followers in this process that filter by content; not stored. */
export interface JournalDetail {
  event?: States<Event>
  stream?: States<Stream>
  access?: States<Access>
  /** Written points, unless they are many: followers then read them. */
  points?: WrittenPoints
}

/** Points of one write, for followers that forward them at once. */
interface WrittenPoints {
  actor: string
  /** Stamp of the write, in microseconds. */
  time: number
  /** Stamp of the actor's previous write to this series; 0 for its first. */
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
  /** Detail of events, streams and accesses. */
  about?: JournalDetail
  /** True for the first entry of its change; the following entries without it were staged with it. */
  begins?: true
  /** Number of the peer that sent the change; absent for local changes. */
  origin?: number
  /** Events as stored before and after the change, those without entries of their own included; with its last entry. */
  storedEvents?: readonly States<Event>[]
}

/** An entry on disk, with its bytes, so that followers need not read them back. */
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

/** Returns the letter of a kind of item in keys. */
export const kindLetter = (kind: EntryKind): string => KINDS[kind]

/** Effect of each kind of change on later calls. */
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

/** Checks whether a change may affect callers and their rights. */
export const concernsCallers = (kind: EntryKind): boolean => CONCERNS[kind] === 'callers'

/** Checks whether readers wait until a change is on disk: rights and the stream tree decide the content of answers. */
export const isStructure = (kind: EntryKind): boolean => CONCERNS[kind] !== 'content'

const encoder = new TextEncoder()
const NEWLINE = 10

/**
 * Encodes an entry: `<kind><action><id> <previous>[@<origin>]\n<change>`. `previous` is the sequence of the item's
 * previous entry (base 36, empty for the first), so that an item's changes need no index of their own. `origin` is the
 * number of the peer that sent it (base 36). After the newline comes the CRDT change. Items without CRDT and deletions
 * have the digest elements of the change instead (model/digestElement.ts).
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

/** Decodes an entry; undefined when the bytes are not one or the entry was erased. */
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

/** Returns the change of an encoded entry without decoding its head. */
export const changeIn = (bytes: Uint8Array): Uint8Array => bytes.subarray(bytes.indexOf(NEWLINE) + 1)

const ERASED = 0x21 // !
/** Length of an erased entry in an earlier format: the mark, two bytes of the item's hash and its digest element, all ignored. */
const ERASED_WITH_ELEMENT = 1 + 2 + ELEMENT_LENGTH

/** Returns the bytes of an erased entry, which replace an entry when its item is deleted. */
export const erasedEntry = (): Uint8Array => Uint8Array.of(ERASED)

/** Checks whether the bytes are those of an erased entry. */
export const isErased = (bytes: Uint8Array): boolean =>
  bytes[0] === ERASED && (bytes.length === 1 || bytes.length === ERASED_WITH_ELEMENT)

/** Returns the entries of an account from a sequence on, with their changes; skips erased ones. */
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
