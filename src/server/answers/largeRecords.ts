/**
 * Large records that are answered one by one. Their sizes are remembered, so that the next answer waits for room in the
 * budget before the record is read, not after; and answers that hold the same record at once hold the same bytes.
 */
import type { Database } from '../../store/engine/database.js'
import { recordKeyOf } from '../../store/events/events.js'
import type { AnswerBudget } from './answerBudget.js'

/** Records whose size is remembered: those asked for last. */
const MAX_RECORDS = 1000

export class LargeRecords {
  /** Bytes by account and id, as they were when the record was last read. */
  readonly #sizes = new Map<string, number>()
  /** Bytes that some answer still holds, by account, id and version. */
  readonly #read = new Map<string, WeakRef<Uint8Array>>()

  /** Bytes of a record that was found large before; undefined for others. */
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

  /** Forgets a record that is not large any more, or gone. */
  forget(account: string, id: string): void {
    this.#sizes.delete(`${account} ${id}`)
  }

  /** The record of a live event as UTF-8: the bytes that another answer has of it, or read. */
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

/** The large records of a node, by its budget. */
export function largeRecordsOf(budget: AnswerBudget): LargeRecords {
  let records = known.get(budget)
  if (records === undefined) known.set(budget, (records = new LargeRecords()))
  return records
}
