/** Counts the missing files of an account in memory: loaded with the account, updated by each transaction. */
import { each, type Database } from './database.js'
import { accountKeys, under } from './keys.js'

/** A missing file of an account. */
export interface WantedFile {
  /** SHA-256, hexadecimal. */
  digest: string
  /** Bytes. */
  size: number
}

/** A file that becomes missing, or no longer is: its bytes arrived, or no event refers to it. */
export type WantedChange = WantedFile & { isWanted: boolean }

/** Counters of missing files; listeners are called after each change is committed. */
export class WantedCount {
  #count = 0
  #bytes = 0
  readonly #listeners = new Set<(change: WantedChange) => void>()

  get count(): number {
    return this.#count
  }

  get bytes(): number {
    return this.#bytes
  }

  /** Counts a staged change. */
  stage({ size, isWanted }: WantedChange): void {
    this.#count += isWanted ? 1 : -1
    this.#bytes += isWanted ? size : -size
  }

  /** Notifies listeners of a committed change. */
  committed(change: WantedChange): void {
    for (const listener of [...this.#listeners]) listener(change)
  }

  /** Calls `listener` on each change; returns a function that unsubscribes it. */
  follow(listener: (change: WantedChange) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }
}

/** Counts the account's missing files while no transaction runs. */
export async function countWanted(db: Database, account: string): Promise<WantedCount> {
  const wanted = new WantedCount()
  for await (const size of each(db.values(under(accountKeys.wantedFiles(account))))) {
    wanted.stage({ digest: '', size: Number(size), isWanted: true })
  }
  return wanted
}
