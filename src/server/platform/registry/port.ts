/**
 * Interface of the registry: state on which all cores of a platform must agree. Unique names need consensus, not
 * convergence, so they are claimed only here; small records of the platform, the homes of accounts and the list of cores are
 * stored here too. `local.ts` is the registry of a platform with one core, in its own store; `etcd` that of several cores.
 * Every implementation passes test/server/platform/registry/contract.ts. Methods that ask another machine throw Failure
 * `platform-unavailable` when it does not answer.
 */
import { normalEmail } from '../../../store/model/emails.js'
import type { User } from '../../../store/accounts/users.js'
import type { Transaction } from '../../../store/engine/account.js'
import { Failure } from '../../../store/model/failure.js'
import type { Seal } from '../../../store/keyring/seal.js'

/** Unique name within the platform: a username, or a value of a unique account field. */
export interface Name {
  /** `username`, or the id of an account field such as `email`. */
  field: string
  value: string
}

/** Returns the comparison key of a name; only e-mail addresses are case-insensitive. */
export const nameKey = ({ field, value }: Name): string => `${field}/${field === 'email' ? normalEmail(value) : value}`

/** Holder of a name. */
export interface Holder {
  /** Id of the core that serves the account. */
  core: string
  /** Id of the account (`User.id`). */
  account: string
  /** Current username of the account; absent where only its home core knows it. */
  username?: string
}

/** Error for names in use or about to be; lists all requested names that are unavailable. */
export class NamesTaken extends Error {
  constructor(readonly names: readonly Name[]) {
    super(`In use: ${names.map(({ field }) => field).join(', ')}`)
  }
}

/** Returns the failure of a call that needs the registry while it cannot be reached. */
export const platformUnavailable = (): Failure => new Failure('platform-unavailable', undefined, { retryAfterSeconds: 5 })

/** Names that change hands with a change of an account. */
export interface Transfer {
  /** Id of the account that takes and releases the names (`User.id`), chosen before it exists. */
  account: string
  /** Set when the account is created, which makes this core its home, or erased, which ends that. */
  by?: 'creation' | 'erasure'
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

/** State of a core: invited and not yet there, in service, being emptied, or given up. */
type CoreState = 'pending' | 'active' | 'draining' | 'lost'

/** A core, as it is stored for all. */
export interface CoreRecord {
  id: string
  /** Advertised URL, with a trailing slash; null when it follows from the id and the domain of the platform. */
  url: string | null
  ip: string | null
  ipv6: string | null
  cname: string | null
  /** Key of the hosting that it belongs to. */
  hosting: string | null
  /** True when it accepts new accounts. */
  available: boolean
  state: CoreState
  /** Public key that signs its calls to other cores, base64url; null before it joined. */
  identity: string | null
  /** Digests of the settings that must be equal on all cores, by key. */
  settings: Record<string, string>
  /** Version of coffer. */
  version: string | null
  /** Seconds since 1970. */
  added: number
}

/** A core, with what is known of it at the moment. */
export interface CoreView extends CoreRecord {
  /** True when it renewed its lease in time: its process runs and reaches the registry. */
  isLive: boolean
}

/** The cores of the platform. Reads are from memory. */
export interface CoreDirectory {
  /** Returns the cores by id, this one included. */
  list(): CoreView[]
  get(id: string): CoreView | undefined
  /**
   * Changes the record of a core atomically. `step` returns the new record, null to remove it, or undefined to leave it, and
   * may run several times. Resolves when the change is stored; other cores see it within a second.
   */
  change(id: string, step: (now: CoreRecord | undefined) => CoreRecord | null | undefined): Promise<void>
  /** Calls `listener` after each change of the list. Returns a function that stops. */
  watch(listener: () => void): () => void
}

/** Accounts of each core. */
export interface Homes {
  /** Returns the number of accounts of a core. */
  count(core: string): Promise<number>
  /** Returns at most `limit` account ids of a core after one, in order. */
  page(core: string, after: string | undefined, limit: number): Promise<string[]>
}

/** A change of names in the store that the registry rejects, because another account has one of the names. */
export interface LostNames {
  /** Key prefix of the account in the store. */
  prefix: string
  /** Set when the change created the account, which must be erased. */
  by?: 'creation' | 'erasure'
  /** The user before the change. */
  before?: User
}

/** State of a member of the store that the cores share. */
export interface StoreMember {
  endpoint: string
  /** The error of a member that did not answer. */
  problem?: string
  version?: string
  dbBytes?: number
  isLeader?: boolean
  revision?: number
  alarms?: string[]
}

/** Comparison of the accounts of this core with the registry. */
export interface NamesReport {
  /** Number of accounts compared. */
  accounts: number
  /** Number of their names: user names, unique values and aliases of accesses. */
  names: number
  /** Names that the registry lacked: claimed, or only counted. */
  missing: number
  /** Names that the registry gives to other accounts. */
  conflicts: { username: string; name: Name }[]
  /** Accounts that the registry places on this core, and that it does not have: their ids. */
  absent: string[]
  /** True when the registry lacked the record of this core: created, or only reported. */
  lacksCore: boolean
}

/** Operation of a platform of several cores. */
export interface SharedPlatform {
  readonly id: string
  /** Checks whether this core renewed its presence in the shared store in time. */
  isReachable(): boolean
  /** Asks every member of the shared store. Never rejects. */
  members(): Promise<StoreMember[]>
  /** Revision of the shared store that this core has seen. */
  readonly revision: number
  /** Number of changes of names that are not confirmed. */
  readonly unsettled: number
  /**
   * Confirms the changes of names that a crash interrupted. `undo` reverts one whose names another account has. Accounts of
   * changes that cannot be settled yet stay closed, and are tried again.
   */
  settle(undo: (lost: LostNames) => Promise<void>): Promise<void>
  /**
   * Compares the names of all accounts of this core, and its record, with the registry. With `repair`, claims missing names and
   * creates a missing record.
   */
  compareNames(repair: boolean): Promise<NamesReport>
}

export interface Registry {
  /** Id of this core. */
  readonly core: string
  /** True when the platform may have other cores. */
  readonly isShared: boolean
  /** Returns the holder of a name. `isFresh` ignores what is in memory; otherwise holders on other cores may be half a minute old. */
  lookUp(name: Name, options?: { isFresh?: true }): Promise<Holder | undefined>
  /** Returns what is known of a name without asking: null when nobody has it, undefined when it must be looked up. */
  peek(name: Name): Holder | null | undefined
  /**
   * Runs `work` while the names to take are held. `work` changes the account in one transaction, in which it calls
   * `enter`. When it resolves, the names have changed hands; when it rejects, none have.
   * @throws NamesTaken when a name belongs to another account, or is held
   */
  transfer<T>(input: Transfer, work: (enter: (t: Transaction) => void) => Promise<T>): Promise<T>
  /**
   * Holds free names while `work` runs: nobody else takes or holds them meanwhile. They are free again afterwards.
   * @throws NamesTaken when a name is taken or held
   */
  hold<T>(names: readonly Name[], work: () => Promise<T>): Promise<T>
  /** Records of the platform. */
  readonly records: Records
  /** Records of this core alone, which need no other machine: state of its own accounts and callers. */
  readonly ownRecords: Records
  /** Encrypts and digests for the platform: with the same key on every core. */
  readonly platformSeal: Seal
  readonly cores: CoreDirectory
  readonly homes: Homes
  /** Absent on a platform of one core. */
  readonly platform?: SharedPlatform
  /** Checks whether an account may be served: not while a change of its names from before a crash is not settled. */
  isSettled(account: string): boolean
  /** Removes expired records. */
  sweep(): Promise<void>
  close(): Promise<void>
}

/** Takes a single-use record: of concurrent callers exactly one receives its value. */
export function takeOnce(records: Records, family: string, id: string): Promise<unknown> {
  return records.change(family, id, (now) => (now === undefined ? { result: undefined } : { put: null, result: now }))
}
