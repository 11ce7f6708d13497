/**
 * Audit entry of one call: collects the record's data while the call runs, and stores the record, with the call's change
 * if there is one.
 */
import type { Account, Transaction } from '../../store/engine/account.js'
import { Failure } from '../../store/model/failure.js'
import { CallerGone } from '../../store/engine/yield.js'
import { redactContent, type RecordedCall } from './record.js'

/** Storage for audit records. */
export interface RecordKeeper {
  /** Allocates the place of a record. `time` in seconds. */
  place(account: Account, access: string): RecordPlace
  /** Stores a record with a change of its account. `stored` is its stored form. */
  stage(t: Transaction, account: Account, call: RecordedCall, place: RecordPlace, stored: string): void
  /** Queues a record to be stored soon; replaces an earlier one of the same place. */
  gather(account: Account, call: RecordedCall, place: RecordPlace, stored: string): void
  /** Notifies followers of a staged record after it is on disk. */
  notify(account: Account, place: RecordPlace, stored: string): void
}

export interface RecordPlace {
  item: string
  time: number
  key: string
}

/**
 * Kind of call recorded: a single call; a batch whose calls have their own records, so that only its failure is recorded; or
 * a whole batch under one record, written with its first change.
 */
type CallRecorderOf = 'call' | 'batch' | 'whole batch'

export class CallRecorder {
  readonly #keeper: RecordKeeper
  readonly #account: Account
  readonly #call: RecordedCall
  readonly #of: CallRecorderOf
  #detail = ''
  #place: RecordPlace | undefined
  #staged: string | undefined
  #isListed = false

  constructor(keeper: RecordKeeper, account: Account, call: RecordedCall, of: CallRecorderOf = 'call') {
    this.#keeper = keeper
    this.#account = account
    this.#call = call
    this.#of = of
  }

  /** True when inner calls get no records of their own unless they fail. */
  get isOfWholeBatch(): boolean {
    return this.#of === 'whole batch'
  }

  /** True when the record is part of a staged change. */
  get isStaged(): boolean {
    return this.#staged !== undefined
  }

  /** Sets the number of calls in a batch. */
  holds(calls: number): void {
    if (this.isOfWholeBatch) this.#detail = ',"recordCount":' + String(calls)
  }

  /** Records the written item: its integrity key, and its integrity if it has one (docs/interface/integrity.md). */
  wrote(key: string, integrity: string | undefined): void {
    if (integrity === undefined || this.#of !== 'call') return
    this.#detail += ',"record":{"key":"' + key + '","integrity":"' + integrity + '"}'
  }

  /** Records the number of returned items; `scope` is the result of `auditScope` for the query. */
  answered(count: number, scope = ''): void {
    if (this.#of === 'call') this.#detail += ',"recordCount":' + String(count) + scope
  }

  /** Passes pages through and counts items; the record is made when they end or are abandoned. */
  counting(pages: AsyncIterable<string[]>, scope: string): AsyncIterable<string[]> {
    if (this.#of !== 'call') return pages
    this.#isListed = true
    return this.#counted(pages, scope)
  }

  async *#counted(pages: AsyncIterable<string[]>, scope: string): AsyncGenerator<string[]> {
    let count = 0
    let cut: string | undefined = ',"recordCountIncomplete":true'
    try {
      for await (const page of pages) {
        count += page.length
        yield page
      }
      cut = ''
    } catch (error) {
      // A client that has left is handled like one that stops reading.
      if (error instanceof CallerGone) throw error
      cut = undefined
      this.failed(error)
      throw error
    } finally {
      if (cut !== undefined) {
        this.answered(count, cut + scope)
        this.#record()
      }
    }
  }

  /** Stages the record in the transaction of the call's change, so that both or neither are stored. */
  stage(t: Transaction): void {
    if (this.#staged !== undefined || this.#of === 'batch') return
    const stored = redactContent(this.#call, this.#detail)
    t.onStaged(() => {
      this.#staged = stored
    })
    this.#keeper.stage(t, this.#account, this.#call, this.#placed(), stored)
  }

  /** Records success. */
  succeeded(): void {
    if (this.#of === 'batch' || this.#isListed) return
    if (this.#staged === undefined) this.#record()
    else this.#keeper.notify(this.#account, this.#placed(), this.#staged)
  }

  /** Records failure, also while the answer was read or after a partial change. */
  failed(error: unknown): void {
    const isLeft = error instanceof CallerGone
    // The record of a client that stopped reading already lists the items read.
    if (isLeft && this.#isListed) return
    // Uncatalogued errors are logged elsewhere and answered as unexpected-error.
    const failure = error instanceof Failure ? error : isLeft ? new Failure('invalid-operation', error.message) : new Failure('unexpected-error')
    this.#detail = ''
    this.#record(failure)
  }

  #record(failure?: Failure): void {
    this.#keeper.gather(this.#account, this.#call, this.#placed(), redactContent(this.#call, this.#detail, failure))
  }

  #placed(): RecordPlace {
    return (this.#place ??= this.#keeper.place(this.#account, this.#call.access))
  }
}
