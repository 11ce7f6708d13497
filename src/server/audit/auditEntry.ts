/**
 * Audit entry of one call: collects the record's data while the call runs, and stores the record, with the call's change if there
 * is one. Records (docs/interface/audit.md#records) are composed as JSON text for speed, without secrets.
 */
import type { Account, Transaction } from '../../store/engine/account.js'
import { Failure } from '../../store/model/failure.js'
import { CallerGone } from '../../store/engine/yield.js'
import { auditValue } from '../../store/model/auditRecord.js'
import type { Identity } from '../../store/model/delegation.js'
import { readFields } from '../base/fields.js'

/** Storage for audit records. */
export interface RecordKeeper {
  /** Allocates the place of a record. `time` in seconds. */
  place(account: Account, access: string): RecordPlace
  /** Stores a record with a change of its account. `stored` is its stored form. */
  stage(t: Transaction, account: Account, call: RecordedCall, place: RecordPlace, stored: string): void
  /** Queues a record to be stored soon; replaces an earlier one of the same place. */
  queue(account: Account, call: RecordedCall, place: RecordPlace, stored: string): void
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
  setCallCount(calls: number): void {
    if (this.isOfWholeBatch) this.#detail = ',"recordCount":' + String(calls)
  }

  /** Records the written item: its integrity key, and its integrity if it has one (docs/interface/integrity.md). */
  recordWrite(key: string, integrity: string | undefined): void {
    if (integrity === undefined || this.#of !== 'call') return
    this.#detail += ',"record":{"key":"' + key + '","integrity":"' + integrity + '"}'
  }

  /** Records the number of returned items; `scope` is the result of `auditScope` for the query. */
  recordRead(count: number, scope = ''): void {
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
        this.recordRead(count, cut + scope)
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
    this.#keeper.queue(this.#account, this.#call, this.#placed(), redactContent(this.#call, this.#detail, failure))
  }

  #placed(): RecordPlace {
    return (this.#place ??= this.#keeper.place(this.#account, this.#call.access))
  }
}

/** Data of a call known before it runs. All members are set, possibly to undefined: this object is created per call. */
export interface RecordedCall {
  /** Public access id, or a pseudo access id. */
  access: string
  /** Method id. */
  action: string
  /** Interface of the call. */
  source: string
  /** IP address of the client. */
  ip: string | undefined
  /** Query string of the request. */
  query: string | undefined
  callerId: string | undefined
  /** Delegate who makes the call, unless it is the owner. */
  delegate: Identity | undefined
  /** Credentials sent by the client; never recorded. */
  token: string | undefined
}

/**
 * Returns the content of a record. `detail` holds further members as JSON text, each after a comma; `failure` is set for a
 * refused call.
 */
export function redactContent(call: RecordedCall, detail: string, failure?: Failure): string {
  const whole = content(call) + detail + (failure === undefined ? '' : failureText(call, failure))
  const { access, action, delegate } = call
  return auditValue({ access, action, isFailure: failure !== undefined, delegate }, '{' + whole + '}')
}

/** Maximum JSON characters of client input per record, so that clients cannot fill the disk. */
const MAX_QUERY = 4096
const MAX_CALLER_ID = 512
const MAX_MESSAGE = 1024

function content(call: RecordedCall): string {
  const { ip, query, callerId } = call
  let text = '"source":{"name":"' + call.source + '"'
  if (ip !== undefined) text += ',"ip":' + JSON.stringify(ip)
  text += '},"action":"' + call.action + '","query":'
  text += query === undefined || query === '' ? '{}' : boundedQuery(withoutToken(queryText(query), call))
  if (callerId !== undefined) text += ',"callerId":' + bounded(withoutToken(JSON.stringify(callerId), call), MAX_CALLER_ID)
  return text
}

const failureText = (call: RecordedCall, { id, message }: Failure): string =>
  ',"id":"' + id + '","message":' + bounded(withoutToken(JSON.stringify(message), call), MAX_MESSAGE)

/** Truncates the JSON of a string with an ellipsis. Tokens must be removed first, so that none is cut in two. */
function bounded(json: string, max: number): string {
  if (json.length <= max) return json
  let text = (JSON.parse(json) as string).slice(0, max - 3)
  // Escaped characters take up to six.
  while (text !== '' && JSON.stringify(text + '…').length > max) text = text.slice(0, Math.floor(text.length * 0.9))
  return JSON.stringify(text + '…')
}

/** Minimum length to which a value is truncated rather than dropped. */
const MIN_CUT = 100

/** Truncates the JSON of a query to a maximum size, and marks it as incomplete. */
function boundedQuery(json: string): string {
  if (json.length <= MAX_QUERY) return json
  const stored: [name: string, value: unknown][] = []
  let left = MAX_QUERY
  for (const [name, value] of Object.entries(JSON.parse(json) as Record<string, unknown>)) {
    const text = JSON.stringify(value)
    left -= JSON.stringify(name).length
    if (text.length <= left) stored.push([name, value])
    else if (typeof value === 'string' && left >= MIN_CUT) stored.push([name, JSON.parse(bounded(text, left))])
    left -= text.length
    if (left < 0) break
  }
  return JSON.stringify(Object.fromEntries(stored)) + ',"queryIncomplete":true'
}

const SECRET_NAME = /auth|token|password|passwd|secret|credential/i

let latestQuery = ''
let latestText = '{}'

/** Returns the query parameters as sent, without those carrying secrets. Cached, as clients repeat queries. */
function queryText(query: string): string {
  if (query === latestQuery) return latestText
  latestText = JSON.stringify(readFields(new URLSearchParams(query), (_, key) => !SECRET_NAME.test(key), 'keep'))
  latestQuery = query
  return latestText
}

/** Minimum length of a token to be removed; shorter texts are too common, and generated tokens are longer. */
const MIN_TOKEN_LENGTH = 6

/** Removes the call's token from JSON text. */
function withoutToken(text: string, { token }: RecordedCall): string {
  if (token === undefined || token.length < MIN_TOKEN_LENGTH) return text
  const quoted = JSON.stringify(token).slice(1, -1)
  return text.includes(quoted) ? text.replaceAll(quoted, '…') : text
}
