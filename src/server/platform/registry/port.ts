/**
 * Interface of the registry: state on which all cores of a platform must agree. Unique names need consensus, not
 * convergence, so they are claimed only here; small records of the platform are stored here too. `local.ts` is the registry
 * of a platform with one core, in its own store. Every implementation passes test/server/platform/registry/contract.ts.
 */
import { normalEmail } from '../../../store/model/emails.js'
import type { Transaction } from '../../../store/engine/account.js'

/** Unique name within the platform: a username, or a value of a unique account field. */
export interface Name {
  /** `username`, or the id of an account field such as `email`. */
  field: string
  value: string
}

/** Returns the comparison key of a name; only e-mail addresses are case-insensitive. */
export const nameKey = ({ field, value }: Name): string => `${field}/${field === 'email' ? normalEmail(value) : value}`

/** Holder of a name. */
interface Holder {
  /** Core that serves the account. */
  core: string
  /** Current username of the account. */
  username: string
}

/** Error for names in use or about to be; lists all requested names that are unavailable. */
export class NamesTaken extends Error {
  constructor(readonly names: readonly Name[]) {
    super(`In use: ${names.map(({ field }) => field).join(', ')}`)
  }
}

/** Names that change hands with a change of an account. */
export interface Transfer {
  take?: readonly Name[]
  /** Names to release. A username that the account keeps as a former one is in `retire`. */
  leave?: readonly Name[]
  /** Usernames to keep as former ones, which still lead to the account. */
  retire?: readonly string[]
  /** Former usernames of the account that become its name again. */
  resume?: readonly string[]
}

/** Result of a step of `Records.change`: `put` replaces the record, `null` removes it, undefined leaves it unchanged. */
interface RecordChange<T> {
  put?: unknown
  /** Expiry of the new record, in seconds; without it, the record never expires. */
  expires?: number
  result: T
}

/** Records of the platform, by family and id. */
export interface Records {
  get(family: string, id: string): Promise<unknown>
  list(family: string): Promise<{ id: string; value: unknown }[]>
  /**
   * Changes a record atomically: of concurrent steps each sees the result of the previous one. Resolves with the step's
   * result once the change is on disk. A step that throws changes nothing.
   */
  change<T>(family: string, id: string, step: (now: unknown) => RecordChange<T>): Promise<T>
  /**
   * Claims a single-use id until `expires`, in seconds: of all callers, only one receives true. A claim survives the end of
   * the process, but not necessarily a power failure; intended for ids of every call.
   */
  claim(family: string, id: string, expires: number): Promise<boolean>
  /** Calls `listener` after each change of a family's records without expiry, from any process. Returns a function that stops. */
  watch(family: string, listener: (id: string) => void): () => void
}

export interface Registry {
  /** This core. */
  readonly core: string
  lookUp(name: Name): Promise<Holder | undefined>
  /**
   * Runs `work` while the names to take are reserved. `work` changes the account in one transaction, in which it calls
   * `enter`. When it resolves, the names have changed hands; when it rejects, none have.
   * @throws NamesTaken when a name is held by another account, or reserved by another transfer
   */
  transfer<T>(input: Transfer, work: (enter: (t: Transaction) => void) => Promise<T>): Promise<T>
  readonly records: Records
  /** Removes expired records. */
  sweep(): Promise<void>
}

/** Takes a single-use record: of concurrent callers exactly one receives its value. */
export function takeOnce(records: Records, family: string, id: string): Promise<unknown> {
  return records.change(family, id, (now) => (now === undefined ? { result: undefined } : { put: null, result: now }))
}
