/** Counts the files that an account waits for, in memory: read once when the account is, kept by each transaction. */
import { each, type Database } from '../database.js'
import { accountKeys, under } from '../keys.js'

/** A file that an account waits for. */
export interface WantedFile {
  /** SHA-256, hexadecimal. */
  digest: string
  /** Bytes. */
  size: number
}

/** A file that is waited for from now on, or no more: its bytes are here, or no event refers to it. */
export type WantedChange = WantedFile & { isWanted: boolean }

/** Counts of what is waited for; listeners hear of each change once it is on disk. */
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

  /** Passes a change on that was committed. */
  committed(change: WantedChange): void {
    for (const listener of [...this.#listeners]) listener(change)
  }

  /** Calls `listener` with each change; answers how to stop. */
  follow(listener: (change: WantedChange) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }
}

/** Counts the files that an account waits for, while nobody changes it. */
export async function countWanted(db: Database, account: string): Promise<WantedCount> {
  const wanted = new WantedCount()
  for await (const size of each(db.values(under(accountKeys.wantedFiles(account))))) {
    wanted.stage({ digest: '', size: Number(size), isWanted: true })
  }
  return wanted
}
