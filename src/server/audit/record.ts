/**
 * What the record of a call tells (data supplement 13.1). It is composed as text, for every call has one. Secrets are
 * left out wherever clients may have put them.
 */
import { auditValue } from '../../store/model/auditRecord.js'
import type { Identity } from '../../store/model/delegation.js'
import type { Failure } from '../../store/model/failure.js'
import { queryParameters } from '../query.js'

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
export function keptOf(made: CallMade, detail: string, failure?: Failure): string {
  const whole = content(made) + detail + (failure === undefined ? '' : failureText(made, failure))
  const { access, action, delegate } = made
  return auditValue({ access, action, isFailure: failure !== undefined, delegate }, '{' + whole + '}')
}

function content(made: CallMade): string {
  const { ip, query, callerId } = made
  let text = '"source":{"name":"' + made.source + '"'
  if (ip !== undefined) text += ',"ip":' + JSON.stringify(ip)
  text += '},"action":"' + made.action + '","query":'
  text += query === undefined || query === '' ? '{}' : withoutToken(queryText(query), made)
  if (callerId !== undefined) text += ',"callerId":' + withoutToken(JSON.stringify(callerId), made)
  return text
}

const failureText = (made: CallMade, { id, message }: Failure): string =>
  ',"id":"' + id + '","message":' + withoutToken(JSON.stringify(message), made)

const SECRET_NAME = /auth|token|password|passwd|secret|credential/i

let latestQuery = ''
let latestText = '{}'

/** The parameters of a query string as they were sent, without those that carry secrets. Clients repeat themselves. */
function queryText(query: string): string {
  if (query === latestQuery) return latestText
  const sent = Object.entries(queryParameters(query)).filter(([name]) => !SECRET_NAME.test(name))
  latestText = JSON.stringify(Object.fromEntries(sent))
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
