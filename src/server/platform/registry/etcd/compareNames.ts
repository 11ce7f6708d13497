/**
 * Comparison of the names of this core's accounts with etcd, and claims of those that etcd lacks: when a node becomes the first
 * core of a platform, and after etcd was restored from an older snapshot. A name of another account is reported, never taken.
 */
import { aliasesByAccount } from '../../../../store/accesses/accesses.js'
import { listUsernames, namesOf, readUser, type User } from '../../../../store/accounts/users.js'
import type { Store } from '../../../../store/index.js'
import { platformUnavailable, type Name, type NamesReport } from '../port.js'
import type { Condition, EtcdClient, KeyValue, Operation } from './api.js'
import { itemsOf } from './claims.js'
import { valueOf, type AccountValue, type NameValue, type PlatformKeys } from './keys.js'
import { orUnavailable } from './outcome.js'
import { readAll } from './mirror.js'

interface Parts {
  client: EtcdClient
  keys: PlatformKeys
  store: Store
  core: string
  isClear: boolean
  presence(): number | undefined
  /** Returns whether etcd lacks the record of this core, which it creates with `repair`. */
  restoreCore(repair: boolean): Promise<boolean>
}

/** Operations of one transaction; etcd bounds them to 128. */
const MAX_OPERATIONS = 100
/** Attempts to claim the names of one transaction, which others may change meanwhile. */
const MAX_ATTEMPTS = 5

/** Names of an account with their values in etcd. Accounts with many names have several of these. */
interface Expected {
  user: User
  /** Values by key, with the names that they stand for. */
  names: Map<string, { name: Name; value: NameValue }>
  /** True for the first of an account, with which its home is compared. */
  isFirst: boolean
}

/** Names of an account that are compared together. */
const MAX_NAMES = 50

export async function compareNames(parts: Parts, repair: boolean): Promise<NamesReport> {
  const { client, keys, store, core } = parts
  const report: NamesReport = { accounts: 0, names: 0, missing: 0, conflicts: [], absent: [], lacksCore: false }
  const ids = new Set<string>()
  const aliases = await aliasesByAccount(store.db)
  let batch: Expected[] = []
  let size = 0
  for (const { account } of await listUsernames(store.db)) {
    const user = readUser(store.db, account)
    if (user === undefined) continue
    ids.add(user.id)
    report.accounts += 1
    for (const expected of expectedOf(keys, user, aliases.get(account) ?? [])) {
      // The home has two keys.
      const added = expected.names.size + 2
      if (size + added > MAX_OPERATIONS) {
        await compareRepeatedly(parts, batch, repair, report)
        batch = []
        size = 0
      }
      batch.push(expected)
      size += added
      report.names += expected.names.size
    }
  }
  await compareRepeatedly(parts, batch, repair, report)
  const { items } = await orUnavailable(readAll(client, keys.hosted(core)))
  report.absent = items.map(({ key }) => key.slice(keys.hosted(core).length)).filter((id) => !ids.has(id))
  // Last: until then, a platform without any record is created again at the next start.
  report.lacksCore = await parts.restoreCore(repair)
  return report
}

function expectedOf(keys: PlatformKeys, user: User, aliases: readonly string[]): Expected[] {
  const { usernames, unique } = namesOf(user)
  const names = new Map<string, { name: Name; value: NameValue }>()
  const add = (name: Name, value: NameValue): void => void names.set(keys.name(name), { name, value })
  for (const value of usernames) add({ field: 'username', value }, value === user.username ? { a: user.id } : { a: user.id, f: 1 })
  for (const [field, value] of unique) add({ field, value }, { a: user.id })
  for (const value of aliases) add({ field: 'alias', value }, { a: user.id })
  const all = [...names]
  return Array.from({ length: Math.ceil(all.length / MAX_NAMES) }, (_, at) => ({ user, names: new Map(all.slice(at * MAX_NAMES, (at + 1) * MAX_NAMES)), isFirst: at === 0 }))
}

/** Compares a batch, again when a registration elsewhere came first, or an attempt with an unknown outcome was applied. */
async function compareRepeatedly(parts: Parts, batch: readonly Expected[], repair: boolean, report: NamesReport): Promise<void> {
  if (batch.length === 0) return
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    const found = await compareBatch(parts, batch, repair)
    if (found === 'again') continue
    report.missing += found.missing
    report.conflicts.push(...found.conflicts)
    return
  }
  throw platformUnavailable()
}

async function compareBatch(parts: Parts, batch: readonly Expected[], repair: boolean): Promise<Pick<NamesReport, 'missing' | 'conflicts'> | 'again'> {
  const report: Pick<NamesReport, 'missing' | 'conflicts'> = { missing: 0, conflicts: [] }
  const { client, keys, core, isClear, presence } = parts
  const read = batch.flatMap(({ user, names }) => [...names.keys(), keys.account(user.id)])
  const found = itemsOf(await orUnavailable(client.transaction({ then: read.map((key) => ({ range: { key } })) })))
  const conditions: Condition[] = []
  const puts: Operation[] = []
  for (const { user, names, isFirst } of batch) {
    for (const [key, { name, value }] of names) {
      const item = found.get(key)
      if (item === undefined) {
        report.missing += 1
        conditions.push({ key, isAbsent: true })
        puts.push({ put: key, value: JSON.stringify(value) })
      } else if (valueOf<NameValue>(item.value).a !== user.id) {
        report.conflicts.push({ username: user.username, name })
      }
    }
    if (!isFirst) continue
    const home = keys.account(user.id)
    const item = found.get(home)
    if (isHere(item, core)) continue
    if (item !== undefined) {
      report.conflicts.push({ username: user.username, name: { field: 'id', value: user.id } })
      continue
    }
    report.missing += 1
    const value: AccountValue = { c: core, e: 1, o: 'repair', ...(isClear ? { u: user.username } : {}) }
    conditions.push({ key: home, isAbsent: true })
    puts.push({ put: home, value: JSON.stringify(value) }, { put: keys.hostedAccount(core, user.id), value: '' })
  }
  if (!repair || puts.length === 0) return report
  const shown = presence()
  if (shown === undefined) throw platformUnavailable()
  const { succeeded } = await orUnavailable(
    client.transaction({ if: [{ key: keys.liveOf(core), ifRevision: shown }, ...conditions], then: puts }),
  )
  return succeeded ? report : 'again'
}

const isHere = (item: KeyValue | undefined, core: string): boolean => item !== undefined && valueOf<AccountValue>(item.value).c === core
