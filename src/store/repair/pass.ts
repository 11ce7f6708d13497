/**
 * Repair of damaged stores, by the steps that server/maintenance/repair combines. A repair never changes the damaged files:
 * salvage.ts reads their valid entries, draft.ts builds another store from these and from a backup, repairChain.ts rewrites
 * the chain of commits, and extractItems.ts collects broken items, to write them again by the regular code.
 *
 * This file runs one pass on the result: the check, with its problems sorted by remedy (`RepairPass`). The check names the
 * entry of a problem, and its correct value if that follows from other entries; the remedy for the rest depends on the kind
 * of entry.
 */
import { checkStore, type CheckOptions } from '../check/index.js'
import { createFindings, type Cause, type Problem } from '../check/findings.js'
import type { ChainHead } from '../engine/commit.js'
import type { Database } from '../engine/database.js'
import { decodeEntry } from '../engine/journal.js'
import { accountKeys, ORDERED_LENGTH, orderedToNumber, PLATFORM } from '../engine/keys.js'
import type { Item } from '../engine/changeRecorder.js'

/** An item stored by its changes that does not match them. */
export interface BrokenItem {
  account: string
  kind: Item['kind']
  id: string
  problem: Problem
  /** Entries in which the problem was found. */
  keys: string[]
}

/** An attached file with missing or wrong bytes. */
export type BrokenFile = NonNullable<Cause['file']> & { problem: Problem }

export interface RepairPass {
  /** Number of problems, and the first of them. */
  found: number
  problems: Problem[]
  checked: Record<string, number>
  /** Corrections that follow from other entries: key → value, null to remove. */
  derived: Map<string, { value: string | null; problem: Problem }>
  /** By account, kind and id. */
  items: Map<string, BrokenItem>
  /** Records that no other entry can restore. */
  records: Map<string, Problem>
  files: BrokenFile[]
  /** Missing data, although their remaining entries can be corrected. */
  losses: Problem[]
  /** Accounts without a user. */
  ownerless: Set<string>
  /** Accounts whose journals have changes that belong to no item. */
  strays: Set<string>
}

const MAX_PROBLEMS = 1000

/** Families that follow from others, or whose loss is harmless. */
const DERIVED = new Set('s r m d n k A F E U b I K Q q l o O C X M W G B V R Y J z secretBy received relation link joined'.split(' '))
const EVENTS = new Set(['e', 'i'])
const STREAMS = new Set(['t', 'f', 'T'])

/** Runs a pass over a database whose chain ends at `head`. */
export async function runRepairPass(db: Database, head: ChainHead, options: Omit<CheckOptions, 'head' | 'mark' | 'findings'>): Promise<RepairPass> {
  const round: RepairPass = {
    found: 0,
    problems: [],
    checked: {},
    derived: new Map(),
    items: new Map(),
    records: new Map(),
    files: [],
    losses: [],
    ownerless: new Set(),
    strays: new Set(),
  }
  const findings = createFindings(MAX_PROBLEMS, (problem, cause) => sort(db, round, problem, cause))
  const { problems, found, checked } = await checkStore(db, { ...options, head, mark: head, findings })
  return Object.assign(round, { problems, found, checked })
}

function sort(db: Database, pass: RepairPass, problem: Problem, { of, repair, isLoss, file, ownerless, strays }: Cause): void {
  if (isLoss === true) pass.losses.push(problem)
  if (file !== undefined) pass.files.push({ ...file, problem })
  else if (ownerless !== undefined) pass.ownerless.add(ownerless)
  else if (strays !== undefined) pass.strays.add(strays)
  else if (repair !== undefined && 'put' in repair) {
    const before = pass.derived.get(repair.put)?.value
    pass.derived.set(repair.put, { value: typeof before === 'string' ? joined(before, repair.value) : repair.value, problem })
  } else if (repair !== undefined) pass.derived.set(repair.remove, { value: null, problem })
  else if (of !== undefined) sortEntry(db, pass, problem, of)
}

function sortEntry(db: Database, pass: RepairPass, problem: Problem, key: string): void {
  const [account = '', family = ''] = key.split('/', 2)
  const item = isStaleCopy(db, account, family, key) ? undefined : itemOf(db, account, family, key)
  if (item !== undefined) {
    const name = `${account}/${item.kind}/${item.id}`
    const known = pass.items.get(name)
    if (known === undefined) pass.items.set(name, { account, ...item, problem, keys: [key] })
    else known.keys.push(key)
  } else if (family === 'e' || account.startsWith('!') || (account !== PLATFORM && DERIVED.has(family))) {
    if (!pass.derived.has(key)) pass.derived.set(key, { value: null, problem })
  } else if (!pass.records.has(key)) pass.records.set(key, problem)
}

/** Checks whether a record is a stale copy of an event that has moved to another time. */
function isStaleCopy(db: Database, account: string, family: string, key: string): boolean {
  if (family !== 'e' || account === PLATFORM) return false
  const id = key.slice(accountKeys.events(account).length + ORDERED_LENGTH)
  const place = db.get(accountKeys.eventPlace(account, id))
  if (place === undefined || place.startsWith('{')) return false
  const at = accountKeys.event(account, orderedToNumber(place), id)
  return at !== key && db.get(at) !== undefined
}

/** Returns the item of an entry, for kinds with changes. */
function itemOf(db: Database, account: string, family: string, key: string): { kind: Item['kind']; id: string } | undefined {
  if (account === PLATFORM || account.startsWith('!')) return undefined
  const rest = key.slice(account.length + family.length + 2)
  if (family === 'p') return { kind: 'profile', id: rest }
  if (EVENTS.has(family)) return { kind: 'event', id: family === 'e' ? rest.slice(ORDERED_LENGTH) : rest }
  if (STREAMS.has(family)) return { kind: 'stream', id: rest }
  if (key.startsWith(accountKeys.journals(account))) {
    const bytes = db.getBytes(key)
    const entry = bytes === undefined ? undefined : decodeEntry(bytes)
    if (entry?.kind === 'event' || entry?.kind === 'stream' || entry?.kind === 'profile') return { kind: entry.kind, id: entry.id }
  }
  return undefined
}

/** Merges two values for one key: the later stamp, or a head that covers both. */
function joined(one: string, other: string): string {
  if (/^\d+$/.test(one) && /^\d+$/.test(other)) return Number(one) > Number(other) ? one : other
  const [a, b] = [headIn(one), headIn(other)]
  if (a === undefined || b === undefined) return other
  return JSON.stringify({
    ...b,
    oldest: Math.min(a.oldest, b.oldest),
    next: Math.max(a.next, b.next),
    stamp: Math.max(a.stamp, b.stamp),
    fields: [...new Set([...a.fields, ...b.fields])],
  })
}

interface HeadLike {
  oldest: number
  next: number
  stamp: number
  fields: string[]
}

function headIn(text: string): HeadLike | undefined {
  if (!text.startsWith('{"epoch":')) return undefined
  return JSON.parse(text) as HeadLike
}
