/**
 * How much an account may hold: limits of the settings, or of its own (`quota` of its user). What adds to an account
 * over its limits is refused with `user-intervention-required`; reading, deleting, trashing, logging in and withdrawing
 * rights go on. Asked by server/accountWrite.ts for every change that adds.
 *
 * The bytes of attached files are known exactly. Those of records are the account's size on disk, measured before the first
 * change that adds (`measureFirst`), then now and then beside the calls, plus what was written since.
 */
import type { Account, Transaction } from '../store/engine/account.js'
import { findEvent } from '../store/events/events.js'
import { accountKeys, under } from '../store/engine/keys.js'
import { Failure } from '../store/model/failure.js'
import { DB_DOCUMENTS } from '../store/model/systemStreams.js'
import type { User } from '../store/accounts/users.js'
import type { Call } from './method.js'
import type { Node } from './node.js'
import { noteDeferral } from './json/largeJsonThread.js'
import { attachedFilesOf, recordsOnDisk, storageUsedOf } from './storageUsed.js'

/** In bytes; null is without limit. */
export interface Limits {
  dbDocuments: number | null
  attachedFiles: number | null
}

/** The limits of an account; undefined when it has none. */
export function limitsOf({ config }: Pick<Node, 'config'>, { quota }: User): Limits | undefined {
  const { dbDocuments = config.get('limits.account.dbDocuments'), attachedFiles = config.get('limits.account.attachedFiles') } =
    quota ?? {}
  return dbDocuments === null && attachedFiles === null ? undefined : { dbDocuments, attachedFiles }
}

/** What is known of the size of an account's records. */
interface Measured {
  /** Bytes on disk, when measured last. */
  size: number
  /** Bytes written since. */
  recent: number
  /** When that was, in seconds. */
  at: number
  /** The account's sequence then: when it is the same, nothing was deleted since. */
  sequence: number
  isUnderWay: boolean
}

/** A measurement is good for so long, and for so many bytes written. */
const GOOD_SECONDS = 60
const GOOD_BYTES = 1 << 20
/** How soon an account over its limit is measured again when it changed. */
const OVER_SECONDS = 5

const known = new WeakMap<Account, Measured>()

/** First measurements under way. */
const first = new WeakMap<Account, Promise<void>>()

/**
 * Measures the records of an account that is held to a limit for the first time in this process, or again after a time
 * without one, so that no change passes for want of a measurement. Returns undefined where there is nothing to wait for.
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

async function measuredAtFirst(node: Node, account: Account, limit: number): Promise<void> {
  try {
    const { sequence } = account
    const { dbDocuments: size } = await storageUsedOf(account)
    const measured = { size, recent: 0, at: node.clock.now(), sequence, isUnderWay: false }
    // Small accounts are counted uncompressed: what is over its limit so may have room on disk.
    if (size >= limit && node.store.state === 'writable') await measure(node, account, measured, limit)
    known.set(account, measured)
  } catch (error) {
    node.log.warn('the size of an account could not be measured', { account: account.prefix, error: String(error) })
  }
}

/** Forgets the measurement of an account that has no limit: its writes are not counted. */
export const forgetMeasurement = ({ account }: Pick<Call, 'account'>): void => void known.delete(account)

/** The measurement of an account; before the first, what was noted of it last. */
function measuredOf({ clock }: Node, account: Account): Measured {
  let found = known.get(account)
  if (found === undefined) {
    const noted = findEvent(account.db, account.prefix, DB_DOCUMENTS)?.content
    const size = typeof noted === 'number' ? noted : 0
    found = { size, recent: 0, at: clock.now() - GOOD_SECONDS, sequence: -1, isUnderWay: false }
    known.set(account, found)
  }
  return found
}

/** Measures an account beside the calls, when that is due. */
function measureSometimes(node: Node, account: Account, measured: Measured, limit: number): void {
  const age = node.clock.now() - measured.at
  const isOver = measured.size + measured.recent >= limit
  // Over its limit an account is measured again only once it has changed.
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

async function measure(node: Node, account: Account, measured: Measured, limit: number): Promise<void> {
  const { recent } = measured
  const { sequence, db, prefix } = account
  await db.flush()
  let size = await recordsOnDisk(account)
  if (size >= limit) {
    // What was deleted counts until its space is reclaimed.
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
  const message = `The account is over its limit of ${limit} bytes of ${name}: delete some, or ask the operator for more.`
  return new Failure('user-intervention-required', message, { exceeded: what, limit, used })
}

type Reader = { get(key: string): string | undefined }

/**
 * Refuses what would add to an account that is over its limits.
 * @throws Failure `user-intervention-required`, its data `{ exceeded, limit, used }` in bytes
 */
export function assertWithinLimits({ node, account, uploads }: Call, reader: Reader, limits: Limits, brings = false): void {
  const { dbDocuments, attachedFiles } = limits
  if (dbDocuments !== null) {
    const measured = measuredOf(node, account)
    measureSometimes(node, account, measured, dbDocuments)
    const used = measured.size + measured.recent
    if (used >= dbDocuments) throw over('dbDocuments', dbDocuments, used)
  }
  if (attachedFiles === null || !(brings || (uploads !== undefined && uploads.length > 0))) return
  const used = attachedFilesOf(reader, account.prefix)
  const added = uploads?.reduce((sum, { size }) => sum + size, 0) ?? 0
  if (used + added > attachedFiles || used >= attachedFiles) throw over('attachedFiles', attachedFiles, used)
}

/** The transaction, its writes counted. */
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
