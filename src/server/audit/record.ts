/**
 * Composes the audit record of a call (docs/interface/audit.md#records), as JSON text for speed. Secrets are removed wherever
 * clients may have put them.
 */
import { auditValue } from '../../store/model/auditRecord.js'
import type { Identity } from '../../store/model/delegation.js'
import type { Failure } from '../../store/model/failure.js'
import { readFields } from '../base/fields.js'

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
const SHORTEST_TOKEN = 6

/** Removes the call's token from JSON text. */
function withoutToken(text: string, { token }: RecordedCall): string {
  if (token === undefined || token.length < SHORTEST_TOKEN) return text
  const quoted = JSON.stringify(token).slice(1, -1)
  return text.includes(quoted) ? text.replaceAll(quoted, '…') : text
}
