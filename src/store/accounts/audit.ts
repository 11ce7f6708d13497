/**
 * Storage of audit records: one entry per call, under the calling access, by time. Records are node-local: neither
 * journaled nor synced.
 */
import type { Account, Transaction } from '../engine/account.js'
import { each, type Snapshot } from '../engine/database.js'
import { createPredicate } from '../events/eventFilter.js'
import type { EventQuery } from '../events/eventQuery.js'
import { accountKeys, END, ordered, ORDERED_LENGTH, orderedToNumber, under } from '../engine/keys.js'
import { auditRecord } from '../model/auditRecord.js'
import { accessBase, accessOfAuditStream, readAuditId } from '../model/auditStreams.js'
import type { ResolvedQuery } from '../model/streamsQuery.js'
import { yieldEvery } from '../engine/yield.js'
import { mergeRanges } from '../engine/mergeRanges.js'

/** The accesses and methods that occur in an account's records. */
interface AuditNames {
  accesses: string[]
  actions: string[]
}

const ACCESS = 'access-'
const ACTION = 'action-'

/** Returns the list name of an access or a method. */
export const auditAccessName = (base: string): string => ACCESS + base
export const auditActionName = (method: string): string => ACTION + method

/** Adds an access or a method to the list of those that occur. */
export function putAuditName(t: Transaction, name: string): void {
  const key = accountKeys.auditName(t.account, name)
  if (t.get(key) === undefined) t.put(key, '')
}

/** Returns the accesses and methods that occur in an account's records. */
export async function auditNames(account: Pick<Account, 'db' | 'prefix'>, snapshot?: Snapshot): Promise<AuditNames> {
  const found: AuditNames = { accesses: [], actions: [] }
  const prefix = accountKeys.auditNames(account.prefix)
  for await (const key of each(account.db.keys(under(prefix), {}, snapshot))) {
    const name = key.slice(prefix.length)
    if (name.startsWith(ACCESS)) found.accesses.push(name.slice(ACCESS.length))
    else found.actions.push(name.slice(ACTION.length))
  }
  return found
}

/** Returns a record by id, as the event's JSON text. */
export async function findAuditRecord(account: Account, id: string): Promise<string | undefined> {
  const read = readAuditId(id)
  if (read === undefined) return undefined
  const { accesses } = await auditNames(account)
  const keys = accesses.map((base) => accountKeys.audit(account.prefix, base, read.time, read.item))
  const found = await account.db.getMany(keys)
  const stored = found.find((value) => value !== undefined)
  return stored === undefined ? undefined : auditRecord(read.item, read.time, stored)
}

/** Returns pages of audit records in the order of the answer, before skip and limit. Pages may be empty. */
export async function* scanAudit(account: Account, scan: EventQuery, snapshot: Snapshot): AsyncGenerator<string[]> {
  // Audit records have no duration and cannot be trashed.
  if (scan.runningOnly || scan.state === 'trashed' || scan.limit <= 0) return
  const { accesses } = await auditNames(account, snapshot)
  const wanted = accessesOf(scan.streams)
  const bases = wanted === 'all' ? accesses : accesses.filter((base) => wanted.has(base))
  const prefixes = bases.map((base) => accountKeys.auditOf(account.prefix, base))
  const { window, modifiedSince } = scan
  const earliest = Math.max(window?.from ?? -Infinity, modifiedSince ?? -Infinity)
  const bounds = {
    from: earliest === -Infinity ? '' : ordered(earliest),
    exclusive: false,
    before: window === undefined ? END : under(ordered(window.to)).lt,
  }
  const keep = createPredicate(scan)
  const order = { ascending: scan.ascending, wanted: scan.skip + scan.limit }
  const take = (end: string, stored: string): string | undefined => {
    const record = auditRecord(end.slice(ORDERED_LENGTH), orderedToNumber(end), stored)
    return record !== undefined && keep(record) ? record : undefined
  }
  yield* mergeRanges(account.db, prefixes, bounds, order, snapshot, take, yieldEvery(scan.assertConnected))
}

/** Returns the accesses whose records can match a query. */
function accessesOf(queries: ResolvedQuery): ReadonlySet<string> | 'all' {
  const bases = new Set<string>()
  for (const { any } of queries) {
    if (!(any instanceof Set)) return 'all'
    for (const id of any as ReadonlySet<string>) {
      const access = accessOfAuditStream(id)
      // Method streams and lists contain records of any access.
      if (access === undefined) return 'all'
      bases.add(accessBase(access))
    }
  }
  return bases
}
