/**
 * What the record of a call tells (data supplement 13.1). It is composed as text, for every call has one. Secrets are
 * left out wherever clients may have put them.
 */
import { auditValue } from '../../store/model/auditRecord.js'
import type { Identity } from '../../store/model/delegation.js'
import type { Failure } from '../../store/model/failure.js'
import { readFields } from '../base/fields.js'

/** What is known of a call before it runs. Every member is given, be it as undefined: there is one of these per call. */
export interface CallMade {
  /** The access id as clients know it, or a pseudo access id. */
  access: string
  /** The method's id. */
  action: string
  /** The interface through which it came. */
  source: string
  /** The client's address. */
  ip: string | undefined
  /** The query string of the request. */
  query: string | undefined
  callerId: string | undefined
  /** By whose right the call is made, when not the owner's own. */
  delegate: Identity | undefined
  /** What the client showed to be let in: it goes into no record. */
  token: string | undefined
}

/**
 * What is kept of a call. `detail` are more members of the record's content as JSON text, each after a comma; `failure`
 * is given for a refused call.
 */
export function redactContent(made: CallMade, detail: string, failure?: Failure): string {
  const whole = content(made) + detail + (failure === undefined ? '' : failureText(made, failure))
  const { access, action, delegate } = made
  return auditValue({ access, action, isFailure: failure !== undefined, delegate }, '{' + whole + '}')
}

/** Maximum JSON characters that a record stores of a client's input, so that clients cannot fill the disk. */
const MAX_QUERY = 4096
const MAX_CALLER_ID = 512
const MAX_MESSAGE = 1024

function content(made: CallMade): string {
  const { ip, query, callerId } = made
  let text = '"source":{"name":"' + made.source + '"'
  if (ip !== undefined) text += ',"ip":' + JSON.stringify(ip)
  text += '},"action":"' + made.action + '","query":'
  text += query === undefined || query === '' ? '{}' : boundedQuery(withoutToken(queryText(query), made))
  if (callerId !== undefined) text += ',"callerId":' + bounded(withoutToken(JSON.stringify(callerId), made), MAX_CALLER_ID)
  return text
}

const failureText = (made: CallMade, { id, message }: Failure): string =>
  ',"id":"' + id + '","message":' + bounded(withoutToken(JSON.stringify(message), made), MAX_MESSAGE)

/** JSON text of a string, cut to so many characters with an ellipsis. Tokens are out of it by then, so that none is cut in two. */
function bounded(json: string, max: number): string {
  if (json.length <= max) return json
  let text = (JSON.parse(json) as string).slice(0, max - 3)
  // Characters that JSON escapes take up to six.
  while (text !== '' && JSON.stringify(text + '…').length > max) text = text.slice(0, Math.floor(text.length * 0.9))
  return JSON.stringify(text + '…')
}

/** Characters of a value that is worth being cut rather than left out. */
const MIN_CUT = 100

/** JSON text of a query without what goes beyond a size, of which it says then that it is incomplete. */
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

/** The parameters of a query string as they were sent, without those that carry secrets. Clients repeat themselves. */
function queryText(query: string): string {
  if (query === latestQuery) return latestText
  latestText = JSON.stringify(readFields(new URLSearchParams(query), (_, key) => !SECRET_NAME.test(key), 'keep'))
  latestQuery = query
  return latestText
}

/** Shorter texts are too common to be taken out: no generated token is shorter. */
const SHORTEST_TOKEN = 6

/** JSON text with the token of the call taken out, wherever a client has put it. */
function withoutToken(text: string, { token }: CallMade): string {
  if (token === undefined || token.length < SHORTEST_TOKEN) return text
  const quoted = JSON.stringify(token).slice(1, -1)
  return text.includes(quoted) ? text.replaceAll(quoted, '…') : text
}
