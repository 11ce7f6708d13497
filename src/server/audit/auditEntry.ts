/**
 * The trail of one call: gathers what its record tells while the call runs, and sees that it is kept, with the call's
 * change when there is one.
 */
import type { Account, Transaction } from '../../store/engine/account.js'
import { Failure } from '../../store/model/failure.js'
import { CallerGone } from '../../store/engine/yield.js'
import { redactContent, type CallMade } from './record.js'

/** Where records go. */
export interface RecordKeeper {
  /** A fresh place for a record. `time` in seconds. */
  place(account: Account, access: string): RecordPlace
  /** Keeps a record with a change of its account. `kept` is what is stored of it. */
  stage(t: Transaction, account: Account, made: CallMade, place: RecordPlace, stored: string): void
  /** Keeps a record soon; another of the same place is replaced. */
  gather(account: Account, made: CallMade, place: RecordPlace, stored: string): void
  /** Tells followers of a record that was staged and is on disk. */
  notify(account: Account, place: RecordPlace, stored: string): void
}

export interface RecordPlace {
  item: string
  time: number
  key: string
}

/**
 * What a trail is of: a call; a batch, of which each call has its own, so that only its refusal is recorded; or a batch
 * with everything in it, under one record that goes with its first change.
 */
export type CallRecorderOf = 'call' | 'batch' | 'whole batch'

export class CallRecorder {
  readonly #keeper: RecordKeeper
  readonly #account: Account
  readonly #made: CallMade
  readonly #of: CallRecorderOf
  #detail = ''
  #place: RecordPlace | undefined
  #staged: string | undefined
  #isListed = false

  constructor(keeper: RecordKeeper, account: Account, made: CallMade, of: CallRecorderOf = 'call') {
    this.#keeper = keeper
    this.#account = account
    this.#made = made
    this.#of = of
  }

  /** Whether the calls inside have no records of their own unless they fail. */
  get isOfWholeBatch(): boolean {
    return this.#of === 'whole batch'
  }

  /** Whether the record is part of a change that was staged. */
  get isStaged(): boolean {
    return this.#staged !== undefined
  }

  /** Notes how many calls a batch has. */
  holds(calls: number): void {
    if (this.isOfWholeBatch) this.#detail = ',"recordCount":' + String(calls)
  }

  /** Notes the item that the call writes: the name of its integrity, and that, when it has one (data supplement 14). */
  wrote(key: string, integrity: string | undefined): void {
    if (integrity === undefined || this.#of !== 'call') return
    this.#detail += ',"record":{"key":"' + key + '","integrity":"' + integrity + '"}'
  }

  /** Notes how many items the call answers; `scope` is what `auditScope` made of its query. */
  answered(count: number, scope = ''): void {
    if (this.#of === 'call') this.#detail += ',"recordCount":' + String(count) + scope
  }

  /** Pages of a list as they are, counted: the record is made when they end or are left. */
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
      // A client that has left is treated like one that stops reading.
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

  /** Puts the record into the transaction of the call's change, so that neither is kept without the other. */
  stage(t: Transaction): void {
    if (this.#staged !== undefined || this.#of === 'batch') return
    const stored = redactContent(this.#made, this.#detail)
    t.onStaged(() => {
      this.#staged = stored
    })
    this.#keeper.stage(t, this.#account, this.#made, this.#placed(), stored)
  }

  /** The call has succeeded. */
  succeeded(): void {
    if (this.#of === 'batch' || this.#isListed) return
    if (this.#staged === undefined) this.#record()
    else this.#keeper.notify(this.#account, this.#placed(), this.#staged)
  }

  /** The call has failed, be it while its answer was read, or after a first part of its change. */
  failed(error: unknown): void {
    const isLeft = error instanceof CallerGone
    // The record of a client that stops reading already lists the items read.
    if (isLeft && this.#isListed) return
    // What is not of the catalogue is logged by the doors, and answered as this.
    const failure = error instanceof Failure ? error : isLeft ? new Failure('invalid-operation', error.message) : new Failure('unexpected-error')
    this.#detail = ''
    this.#record(failure)
  }

  #record(failure?: Failure): void {
    this.#keeper.gather(this.#account, this.#made, this.#placed(), redactContent(this.#made, this.#detail, failure))
  }

  #placed(): RecordPlace {
    return (this.#place ??= this.#keeper.place(this.#account, this.#made.access))
  }
}
