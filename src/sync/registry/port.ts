/**
 * The registry: what all cores of a platform must agree on. Unique names need consensus, not convergence, so they are
 * claimed here and nowhere else; small records of the platform are kept here too. `local.ts` is the registry of a
 * platform of one core, in its own store. Every implementation passes test/sync/registry/contract.ts.
 */
import { normalEmail } from '../../store/model/emails.js'
import type { Transaction } from '../../store/engine/account.js'

/** What only one account of the platform may have: a user name, or a value of a unique account field. */
export interface Name {
  /** `username`, or the id of an account field such as `email`. */
  field: string
  value: string
}

/** What a name is compared by: e-mail addresses differ by letter case in name only. */
export const nameKey = ({ field, value }: Name): string => `${field}/${field === 'email' ? normalEmail(value) : value}`

/** Who holds a name. */
export interface Holder {
  /** The core that serves the account. */
  core: string
  /** The account's present user name. */
  username: string
}

/** Thrown when names are in use, or about to be: all of those that were asked for and cannot be had. */
export class NamesTaken extends Error {
  constructor(readonly names: readonly Name[]) {
    super(`In use: ${names.map(({ field }) => field).join(', ')}`)
  }
}

/** What changes hands with a change of an account. */
export interface Transfer {
  take?: readonly Name[]
  /** Names that become free. A user name that the account shall keep as a former one is in `retire`. */
  leave?: readonly Name[]
  /** User names that lead to the account from now on without being its name. */
  retire?: readonly string[]
  /** User names that lead to the account already, and become its name again. */
  resume?: readonly string[]
}

/** What a step of `Records.change` decides: `put` replaces the record, `null` removes it, undefined leaves it. */
export interface Step<T> {
  put?: unknown
  /** When the record put ends, in seconds; without it, never. */
  expires?: number
  result: T
}

/** Records of the platform, by family and id. */
export interface Records {
  get(family: string, id: string): Promise<unknown>
  list(family: string): Promise<{ id: string; value: unknown }[]>
  /**
   * Changes a record by what it is at this moment: of simultaneous steps each sees the one before it. Resolves with the
   * step's result once the change is on disk. A step that throws changes nothing.
   */
  change<T>(family: string, id: string, step: (now: unknown) => Step<T>): Promise<T>
  /**
   * Takes an id that is good for one use: of all who ask for it until `expires`, in seconds, one is answered true. That
   * outlives the process once it is answered, but not necessarily a power cut: this is for what comes with every call.
   */
  claim(family: string, id: string, expires: number): Promise<boolean>
  /** Calls back after each change of a family's records that do not expire, whoever made it. Answers how to stop. */
  watch(family: string, listener: (id: string) => void): () => void
}

export interface Registry {
  /** The core that this is. */
  readonly core: string
  lookUp(name: Name): Promise<Holder | undefined>
  /**
   * Runs `work` while the names to take are held for it. `work` changes the account in one transaction, in which it
   * calls `enter` with it. When it resolves the names have changed hands; when it rejects nothing has.
   * @throws NamesTaken when a name is held by another account, or by another transfer that is under way
   */
  transfer<T>(input: Transfer, work: (enter: (t: Transaction) => void) => Promise<T>): Promise<T>
  readonly records: Records
  /** Removes records that have expired. */
  sweep(): Promise<void>
}

/** Takes a record that is good for one use: of simultaneous takers exactly one gets its value. */
export function takeOnce(records: Records, family: string, id: string): Promise<unknown> {
  return records.change(family, id, (now) => (now === undefined ? { result: undefined } : { put: null, result: now }))
}
