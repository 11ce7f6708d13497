/** Repair of whole accounts, and of single database entries. */
import { each, type Database } from '../../../store/engine/database.js'
import type { ChainHead } from '../../../store/engine/commit.js'
import { accountKeys, nodeKeys, under } from '../../../store/engine/keys.js'
import { isFormerRecord } from '../../../store/accounts/formerProfiles.js'
import { endJournals, type RepairedChain } from '../../../store/repair/repairChain.js'
import type { FormatRecord } from '../../../store/engine/open.js'
import type { RepairPass } from '../../../store/repair/pass.js'
import type { LossReport } from './lossReport.js'
import { restoreUserRecord } from './restoreUserRecord.js'

/** Raises the account counter, so that no number of an existing account is assigned again. */
export async function countAccounts(db: Database): Promise<void> {
  let last = Number.parseInt(db.get(nodeKeys.lastAccount) ?? '0', 36)
  for await (const account of accountsIn(db)) last = Math.max(last, Number.parseInt(account, 36))
  if (last > 0) await writeAll(db, new Map([[nodeKeys.lastAccount, last.toString(36)]]))
}

/** Lists the account prefixes that keys have. */
async function* accountsIn(db: Database): AsyncGenerator<string> {
  for (let from = '0'; ; ) {
    const source = db.keys({ gte: from }, { limit: 1 })
    const [key] = await source.next(1)
    await source.close()
    const account = key === undefined ? undefined : /^([0-9a-z]+)\//.exec(key)?.[1]
    if (key === undefined) return
    if (account !== undefined) yield account
    from = account === undefined ? `${key}\0` : under(accountKeys.all(account)).lt
  }
}

/** Writes entries without waiting for the disk; null deletes an entry. */
export async function writeAll(db: Database, values: ReadonlyMap<string, string | Uint8Array | null>): Promise<void> {
  const batch = db.batch()
  for (const [key, value] of values) {
    if (value === null) batch.delete(key)
    else batch.put(key, value)
  }
  if (batch.length > 0) await batch.write({ sync: false })
}

/** Restores the user records of accounts that lost them, if a name still leads to the account. */
export async function putUsers(db: Database, pass: RepairPass, losses: LossReport, now: number): Promise<void> {
  for (const account of pass.ownerless) {
    const user = await restoreUserRecord(db, account, now)
    if (user === undefined) continue
    await writeAll(db, new Map([[accountKeys.user(account), user]]))
    pass.ownerless.delete(account)
    // Entries that lead to the user are no longer stale.
    for (const [key, { value }] of pass.derived) if (value === null && key.startsWith('!')) pass.derived.delete(key)
    losses.add({ where: `account ${account}`, what: 'lost its user record except the name; set a password with coffer users set-password' })
  }
}

/** Deletes accounts without any user record. Returns the end of the chain that records the deletions. */
export async function dropAccounts(db: Database, chain: RepairedChain, { ownerless }: RepairPass, losses: LossReport): Promise<ChainHead> {
  for (const account of ownerless) {
    losses.add({ where: `account ${account}`, what: 'has no user record and is dropped' })
    let keys: string[] = []
    for await (const key of each(db.keys(under(accountKeys.all(account))))) {
      keys.push(key)
      if (keys.length < 2000) continue
      await writeAll(db, new Map(keys.map((one) => [one, null])))
      keys = []
    }
    await writeAll(db, new Map(keys.map((one) => [one, null])))
  }
  return endJournals(db, chain, ownerless)
}

/** Marks a store for migration if a backup contributed profile sets of format 1 (store/accounts/formerProfiles.ts). */
export async function markFormerProfiles(db: Database): Promise<void> {
  for await (const account of accountsIn(db)) {
    for await (const text of each(db.values(under(accountKeys.profile(account, ''))))) {
      const record = isFormerRecord(text) ? db.get(nodeKeys.format) : undefined
      if (record !== undefined) return writeAll(db, new Map([[nodeKeys.format, JSON.stringify({ ...(JSON.parse(record) as FormatRecord), from: 1 })]]))
    }
  }
}

/** Deletes the replica digests, which are then computed from the items. */
export async function dropStates(db: Database): Promise<void> {
  for await (const account of accountsIn(db)) {
    const deleted = new Map<string, null>()
    for await (const key of each(db.keys(under(accountKeys.syncStates(account))))) deleted.set(key, null)
    await writeAll(db, deleted)
  }
}
