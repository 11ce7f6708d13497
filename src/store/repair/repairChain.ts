/**
 * Repairs the chain of commits. Its intact start stays; from the first break on, links are rewritten over the existing
 * entries: in commit order where known, then entries with lost links, in the order of each journal. Lost entries are
 * replaced by erased ones, so that journals have no gaps.
 */
import { decodeLink, digest, encodeLink, type ChainHead } from '../engine/commit.js'
import { each, type Database } from '../engine/database.js'
import { encodeEntry, erasedEntry, isErased, type CommittedEntry } from '../engine/journal.js'
import { accountKeys, nodeKeys, orderedToNumber, ORDERED_LENGTH, under } from '../engine/keys.js'

/** Result of a chain repair. */
export interface RepairedChain {
  head: ChainHead
  /** The first commit whose link was rewritten; undefined when the chain was intact. */
  from: number | undefined
  /** Lost journal entries, by account. */
  lost: Map<string, number[]>
  /** Number of entries from the backup, by account. */
  fromBackup: Map<string, number>
  /** Number and time of the last commit found. */
  commits: number
  time: number
  /** Last journal entry of each account. */
  last: Map<string, number>
}

const same = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0
const WRITE_EACH = 500
/** Maximum number of entries in a rewritten link. */
const MAX_ENTRIES = 1000

/** Repairs the chain and the journals in `db`; looks for entries that differ from the committed ones in `backup`. */
export async function repairChain(db: Database, backup: Database | undefined): Promise<RepairedChain> {
  const missing: RepairedChain['lost'] = new Map()
  const restored: RepairedChain['fromBackup'] = new Map()
  const last = new Map<string, number>()
  const ended = new Set<string>()
  let head: ChainHead = { sequence: 0, hash: new Uint8Array(32) }
  let from: number | undefined
  let time = 0
  let commits = 0
  let batch = db.batch()
  const flush = async (): Promise<void> => {
    if (batch.length > 0) await batch.write({ sync: false })
    batch = db.batch()
  }

  /** Returns the correct bytes of an entry: the committed ones from either database, or those of an erased entry. */
  const entryAt = (account: string, sequence: number, committed: Uint8Array | undefined): Uint8Array => {
    const key = accountKeys.journal(account, sequence)
    const bytes = db.getBytes(key)
    if (bytes !== undefined && (committed === undefined || isErased(bytes) || same(digest(bytes), committed))) return bytes
    const stored = backup?.getBytes(key)
    if (stored !== undefined && (isErased(stored) || (committed !== undefined && same(digest(stored), committed)))) {
      batch.put(key, stored)
      restored.set(account, (restored.get(account) ?? 0) + 1)
      return stored
    }
    // The entries of a deleted account are erased with it.
    if (ended.has(account)) return erasedEntry()
    batch.put(key, erasedEntry())
    const list = missing.get(account)
    if (list === undefined) missing.set(account, [sequence])
    else list.push(sequence)
    return erasedEntry()
  }

  const link = (entries: CommittedEntry[]): void => {
    const bytes = encodeLink(head.hash, time, entries)
    head = { sequence: head.sequence + 1, hash: digest(bytes) }
    batch.put(nodeKeys.commit(head.sequence), bytes)
  }

  /** Links entries of an account before `until` whose own links are lost. */
  const linkUpTo = (account: string, until: number): void => {
    for (let at = (last.get(account) ?? 0) + 1; at < until; ) {
      const entries: CommittedEntry[] = []
      for (; at < until && entries.length < MAX_ENTRIES; at++) entries.push(entryOf(account, at, entryAt(account, at, undefined)))
      link(entries)
    }
    last.set(account, Math.max(until - 1, last.get(account) ?? 0))
  }

  await noteEnded(db, ended)
  const takeLink = (number: number, bytes: Uint8Array): void => {
    const read = decodeLink(bytes)
    if (read === undefined) return
    const isNext = number === head.sequence + 1 && same(read.previous, head.hash)
    time = Number.isFinite(read.time) ? read.time : time
    commits = number
    if (from === undefined && isNext) {
      for (const { account, sequence, digest: committed } of read.entries) {
        entryAt(account, sequence, committed)
        last.set(account, sequence)
      }
      head = { sequence: number, hash: digest(bytes) }
      return
    }
    from ??= head.sequence + 1
    const entries: CommittedEntry[] = []
    for (const { account, sequence, digest: committed } of read.entries) {
      if (sequence <= (last.get(account) ?? 0)) continue
      linkUpTo(account, sequence)
      entries.push(entryOf(account, sequence, entryAt(account, sequence, committed)))
      last.set(account, sequence)
    }
    if (entries.length > 0) link(entries)
  }
  // The iterator reads a snapshot, independent of concurrent writes.
  for await (const [key, bytes] of each(db.byteEntries(under(nodeKeys.commits)))) {
    takeLink(orderedToNumber(key, key.length - ORDERED_LENGTH), bytes)
    if (batch.length >= WRITE_EACH) await flush()
  }
  await flush()
  for await (const [account, until] of lastEntries(db)) {
    if (until <= (last.get(account) ?? 0)) continue
    from ??= head.sequence + 1
    linkUpTo(account, until + 1)
    await flush()
  }
  await dropBehind(db, head.sequence)
  return { head, from, lost: missing, fromBackup: restored, last, commits, time }
}

/** Ends the journals of discarded accounts, as the deletion of an account does. Returns the new end of the chain. */
export async function endJournals(db: Database, { head, last }: RepairedChain, accounts: Iterable<string>): Promise<ChainHead> {
  const batch = db.batch()
  let at = head
  for (const account of accounts) {
    const bytes = encodeEntry('user', 'delete', account)
    const link = encodeLink(at.hash, 0, [entryOf(account, (last.get(account) ?? 0) + 1, bytes)])
    at = { sequence: at.sequence + 1, hash: digest(link) }
    batch.put(nodeKeys.commit(at.sequence), link)
  }
  if (batch.length > 0) await batch.write({ sync: false })
  return at
}

const entryOf = (account: string, sequence: number, bytes: Uint8Array): CommittedEntry => ({
  account,
  sequence,
  bytes,
  // A link only stores the digest.
  kind: 'record',
  action: 'update',
  id: '',
})

/** Collects accounts whose journal ends with their deletion, according to any link. */
async function noteEnded(db: Database, ended: Set<string>): Promise<void> {
  for await (const [, bytes] of each(db.byteEntries(under(nodeKeys.commits)))) {
    for (const { account, digest: of } of decodeLink(bytes)?.entries ?? []) {
      if (same(of, digest(encodeEntry('user', 'delete', account)))) ended.add(account)
    }
  }
}

/** Iterates over the last journal entry of each account. */
async function* lastEntries(db: Database): AsyncGenerator<[account: string, sequence: number]> {
  for (let from = '0'; ; ) {
    const [key] = await firstOf(db, from)
    const account = key === undefined ? undefined : /^([0-9a-z]+)\//.exec(key)?.[1]
    if (key === undefined) return
    if (account === undefined) {
      from = `${key}\0`
      continue
    }
    const source = db.keys(under(accountKeys.journals(account)), { reverse: true, limit: 1 })
    const [last] = await source.next(1)
    await source.close()
    if (last !== undefined) yield [account, orderedToNumber(last, last.length - ORDERED_LENGTH)]
    from = under(accountKeys.all(account)).lt
  }
}

async function firstOf(db: Database, from: string): Promise<string[]> {
  const source = db.keys({ gte: from }, { limit: 1 })
  const keys = await source.next(1)
  await source.close()
  return keys
}

/** Removes links after the end of the chain. */
async function dropBehind(db: Database, last: number): Promise<void> {
  const batch = db.batch()
  const { lt } = under(nodeKeys.commits)
  for await (const key of each(db.keys({ gt: nodeKeys.commit(last), lt }))) batch.delete(key)
  if (batch.length > 0) await batch.write({ sync: false })
}
