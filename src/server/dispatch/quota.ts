/**
 * Storage usage (docs/interface/account-streams.md#fields) and quotas of accounts: limits from the settings, or from `quota` of the user. Over its limits, changes that add to an
 * account fail with `user-intervention-required`; reading, deleting, trashing, logging in and revoking continue to work. Checked
 * by server/dispatch/accountWrite.ts for every change that adds.
 *
 * The bytes of attachments are known exactly. Those of records are the size on disk, measured before the first change that adds
 * (`measureFirst`) and then periodically in the background, plus the bytes written since.
 */
import type { Account, Transaction } from '../../store/engine/account.js'
import { findEvent } from '../../store/events/events.js'
import { accountKeys, under } from '../../store/engine/keys.js'
import { Failure } from '../../store/model/failure.js'
import { DB_DOCUMENTS, ATTACHED_FILES } from '../../store/model/systemStreams.js'
import type { User } from '../../store/accounts/users.js'
import type { Call } from '../call/method.js'
import type { Context } from '../call/context.js'
import { noteDeferral } from '../call/json/largeJsonThread.js'
import type { RecordReader } from '../../store/engine/recordReader.js'

/** Limits in bytes; null is unlimited. */
interface Limits {
  dbDocuments: number | null
  attachedFiles: number | null
}

/** Returns the limits of an account; undefined when it has none. */
export function limitsOf({ config }: Pick<Context, 'config'>, { quota }: User): Limits | undefined {
  const { dbDocuments = config.get('limits.account.dbDocuments'), attachedFiles = config.get('limits.account.attachedFiles') } =
    quota ?? {}
  return dbDocuments === null && attachedFiles === null ? undefined : { dbDocuments, attachedFiles }
}

/** Measured size of the records of an account. */
interface Measured {
  /** Bytes on disk at the last measurement. */
  size: number
  /** Bytes written since. */
  recent: number
  /** Time of the measurement, in seconds. */
  at: number
  /** The account's sequence at that time: if unchanged, nothing was deleted since. */
  sequence: number
  isUnderWay: boolean
}

/** Validity of a measurement, in seconds and in bytes written. */
const GOOD_SECONDS = 60
const GOOD_BYTES = 1 << 20
/** Minimum interval in seconds between measurements of an account over its limit. */
const OVER_SECONDS = 5

const known = new WeakMap<Account, Measured>()

/** First measurements in progress. */
const first = new WeakMap<Account, Promise<void>>()

/**
 * Measures the records of an account with a limit for the first time in this process, or again after a time without a limit.
 * Returns undefined when there is nothing to wait for.
 */
export function measureFirst({ node, account, user }: Pick<Call, 'node' | 'account' | 'user'>): Promise<void> | undefined {
  const limit = limitsOf(node, user)?.dbDocuments ?? null
  if (limit === null || known.has(account)) return undefined
  noteDeferral()
  let measuring = first.get(account)
  if (measuring === undefined) {
    measuring = measuredAtFirst(node, account, limit).finally(() => first.delete(account))
    first.set(account, measuring)
  }
  return measuring
}

async function measuredAtFirst(node: Context, account: Account, limit: number): Promise<void> {
  try {
    const { sequence } = account
    const size = await measuredRecords(account)
    const measured = { size, recent: 0, at: node.clock.now(), sequence, isUnderWay: false }
    // Small accounts are counted uncompressed, so that one over its limit may still have space on disk.
    if (size >= limit && node.store.state === 'writable') await measure(node, account, measured, limit)
    known.set(account, measured)
  } catch (error) {
    node.log.warn('the size of an account could not be measured', { account: account.prefix, error: String(error) })
  }
}

/** Discards the measurement of an account without a limit, whose writes are not counted. */
export const forgetMeasurement = ({ account }: Pick<Call, 'account'>): void => void known.delete(account)

/** Returns the measurement of an account; before the first one, the last stored size. */
function measuredOf({ clock }: Context, account: Account): Measured {
  let found = known.get(account)
  if (found === undefined) {
    const noted = findEvent(account.db, account.prefix, DB_DOCUMENTS)?.content
    const size = typeof noted === 'number' ? noted : 0
    found = { size, recent: 0, at: clock.now() - GOOD_SECONDS, sequence: -1, isUnderWay: false }
    known.set(account, found)
  }
  return found
}

/** Measures an account in the background, if the measurement is outdated. */
function measureSometimes(node: Context, account: Account, measured: Measured, limit: number): void {
  const age = node.clock.now() - measured.at
  const isOver = measured.size + measured.recent >= limit
  // An account over its limit is only measured again after a change.
  const isDue = isOver
    ? age >= OVER_SECONDS && account.sequence !== measured.sequence
    : age >= GOOD_SECONDS || measured.recent >= GOOD_BYTES
  if (!isDue || measured.isUnderWay || node.store.state !== 'writable') return
  measured.isUnderWay = true
  measure(node, account, measured, limit).catch((error: unknown) => {
    measured.isUnderWay = false
    node.log.warn('the size of an account could not be measured', { account: account.prefix, error: String(error) })
  })
}

async function measure(node: Context, account: Account, measured: Measured, limit: number): Promise<void> {
  const { recent } = measured
  const { sequence, db, prefix } = account
  await db.flush()
  let size = await recordsOnDisk(account)
  if (size >= limit) {
    // Deleted records count until their space is reclaimed.
    await db.compact(under(accountKeys.all(prefix)))
    size = await recordsOnDisk(account)
  }
  measured.size = size
  measured.recent -= recent
  measured.at = node.clock.now()
  measured.sequence = sequence
  measured.isUnderWay = false
}

function over(what: keyof Limits, limit: number, used: number): Failure {
  const name = what === 'dbDocuments' ? 'records' : 'attached files'
  const message = `The account is over its limit of ${limit} bytes of ${name}. Delete some, or ask the operator for a higher quota.`
  return new Failure('user-intervention-required', message, { exceeded: what, limit, used })
}

/**
 * Throws for changes that add to an account over its limits.
 * @throws Failure `user-intervention-required` with data `{ exceeded, limit, used }` in bytes
 */
export function assertWithinLimits({ node, account, uploads }: Call, reader: RecordReader, limits: Limits, addsFiles = false): void {
  const { dbDocuments, attachedFiles } = limits
  if (dbDocuments !== null) {
    const measured = measuredOf(node, account)
    measureSometimes(node, account, measured, dbDocuments)
    const used = measured.size + measured.recent
    if (used >= dbDocuments) throw over('dbDocuments', dbDocuments, used)
  }
  if (attachedFiles === null || !(addsFiles || (uploads !== undefined && uploads.length > 0))) return
  const used = attachedFilesOf(reader, account.prefix)
  const added = uploads?.reduce((sum, { size }) => sum + size, 0) ?? 0
  if (used + added > attachedFiles || used >= attachedFiles) throw over('attachedFiles', attachedFiles, used)
}

/** Returns the transaction with its writes counted. */
export function counted({ node, account }: Call, t: Transaction): Transaction {
  let bytes = 0
  t.onStaged(() => {
    measuredOf(node, account).recent += bytes
  })
  return {
    ...t,
    put(key, value) {
      bytes += key.length + value.length
      t.put(key, value)
    },
    journal(kind, action, id, more) {
      bytes += more?.change?.length ?? 0
      return t.journal(kind, action, id, more)
    },
  }
}

/** Storage usage in bytes, as every view of the account shows it. */
export interface StorageUsed {
  /** Approximate size of its records on disk. */
  dbDocuments: number
  /** Exact size of its attachments. */
  attachedFiles: number
}

/** Returns the exact size of an account's attachments. */
function attachedFilesOf(reader: RecordReader, account: string): number {
  const content = findEvent(reader, account, ATTACHED_FILES)?.content
  return typeof content === 'number' ? content : 0
}

/** Returns the size of an account's records in LevelDB's tables, without recent writes that are still in memory. */
const recordsOnDisk = ({ db, prefix }: Account): Promise<number> => db.size(under(accountKeys.all(prefix)))

/** Maximum size of LevelDB's memory table. */
const MAX_IN_MEMORY = 4 * 1024 * 1024
const PAGE = 1000

async function measuredRecords(account: Account): Promise<number> {
  const onDisk = await recordsOnDisk(account)
  // For a large account, the part in memory is negligible.
  return onDisk >= MAX_IN_MEMORY ? onDisk : Math.max(onDisk, await countedOnce(account))
}

/**
 * Growth since the size was stored in the account stream that does not count while the account is unchanged: audit records of
 * reads add to the size, and each update of the account stream notifies clients.
 */
const LITTLE_BYTES = 4096
const LITTLE_SHARE = 0.01

const isNear = (noted: number, size: number): boolean => noted > 0 && Math.abs(size - noted) < Math.max(LITTLE_BYTES, noted * LITTLE_SHARE)

/** Versions of accounts at which their size was stored or found to be near the stored one. */
const notedVersions = new WeakMap<Account, unknown>()

/** Counts by account, for the counted version. */
const countedSizes = new WeakMap<Account, { version: unknown; size: number }>()

/**
 * Notes that the size in the account stream, in bytes, is that of the present version of the account. It is not counted again for
 * that version: storing the size, and audit records written meanwhile, add to the records.
 */
export function confirmNotedSize(account: Account, size: number): void {
  const { version } = account
  notedVersions.set(account, version)
  countedSizes.set(account, { version, size })
}

/**
 * Returns the storage usage of an account, as the account stream, `account.get` and the operator's views show it: measured now, or
 * the size in the account stream while nothing else changed, so that all show the same number.
 */
export async function storageUsedOf(account: Account): Promise<StorageUsed> {
  const { db, prefix } = account
  const size = await measuredRecords(account)
  const noted = findEvent(db, prefix, DB_DOCUMENTS)?.content
  const attachedFiles = attachedFilesOf(db, prefix)
  if (typeof noted !== 'number' || !isNear(noted, size)) return { dbDocuments: size, attachedFiles }
  if (!notedVersions.has(account)) notedVersions.set(account, account.version)
  return { dbDocuments: notedVersions.get(account) === account.version ? noted : size, attachedFiles }
}

async function countedOnce(account: Account): Promise<number> {
  const { version } = account
  const counted = countedSizes.get(account)
  if (counted?.version === version) return counted.size
  const size = await countedRecords(account)
  countedSizes.set(account, { version, size })
  return size
}

/** Counts the characters of an account's records, up to the size of LevelDB's memory table. */
async function countedRecords({ db, prefix }: Account): Promise<number> {
  const reading = db.entries(under(accountKeys.all(prefix)))
  let size = 0
  try {
    for (let page = await reading.next(PAGE); page.length > 0; page = await reading.next(PAGE)) {
      for (const [key, value] of page) size += key.length + value.length
      if (size >= MAX_IN_MEMORY) break
    }
  } finally {
    await reading.close()
  }
  return size
}
