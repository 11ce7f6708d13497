/**
 * Cache of large event records that are returned as single results. Remembers their sizes, so that the next answer waits for room
 * before reading the record; simultaneous answers of one record share its bytes.
 */
import type { Database } from '../../../store/engine/database.js'
import { recordKeyOf } from '../../../store/events/events.js'
import type { AnswerBudget } from './answerBudget.js'

/** Number of most recently requested records whose size is remembered. */
const MAX_RECORDS = 1000

class LargeRecords {
  /** Bytes by account and id, as of the last read. */
  readonly #sizes = new Map<string, number>()
  /** Bytes still held by some answer, by account, id and version. */
  readonly #read = new Map<string, WeakRef<Uint8Array>>()

  /** Returns the bytes of a record known to be large; undefined for others. */
  size(account: string, id: string): number | undefined {
    return this.#sizes.get(`${account} ${id}`)
  }

  /** Remembers the size of a record. */
  note(account: string, id: string, bytes: number): void {
    const name = `${account} ${id}`
    this.#sizes.delete(name)
    this.#sizes.set(name, bytes)
    for (const oldest of this.#sizes.keys()) {
      if (this.#sizes.size <= MAX_RECORDS) break
      this.#sizes.delete(oldest)
    }
  }

  /** Forgets a record that is no longer large, or gone. */
  forget(account: string, id: string): void {
    this.#sizes.delete(`${account} ${id}`)
  }

  /** Returns the record of a live event as UTF-8, shared with other answers or read. */
  bytes(db: Database, account: string, id: string): Uint8Array | undefined {
    const found = recordKeyOf(db, account, id)
    if (found === undefined) return undefined
    const name = `${account} ${id} ${found.version}`
    const shared = this.#read.get(name)?.deref()
    if (shared !== undefined) return shared
    const bytes = db.getBytes(found.key)
    if (bytes === undefined) return undefined
    for (const [key, reference] of this.#read) if (reference.deref() === undefined) this.#read.delete(key)
    this.#read.set(name, new WeakRef(bytes))
    return bytes
  }
}

const known = new WeakMap<AnswerBudget, LargeRecords>()

/** Returns the large-record cache of a node, by its budget. */
export function largeRecordsOf(budget: AnswerBudget): LargeRecords {
  let records = known.get(budget)
  if (records === undefined) known.set(budget, (records = new LargeRecords()))
  return records
}
