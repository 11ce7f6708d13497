/**
 * The record of a call as the text of its event (data supplement 13.1), in the layout of store/model/eventRecord.ts.
 * It is composed as text, for every call has one. Secrets are left out wherever clients may have put them.
 */
import {
  accessBase,
  AUDIT_ERROR_TYPE,
  AUDIT_ROOT,
  AUDIT_TYPE,
  auditStreamOfAccess,
  auditStreamOfAction,
} from '../../store/model/auditStreams.js'
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
  /** What the client showed to be let in: it goes into no record. */
  token: string | undefined
}

/**
 * The record of a call, in the streams of its access and its method. `item` is its id inside the audit store, `time` in
 * seconds, `detail` more members of its content as JSON text, each after a comma.
 */
export function auditRecord(made: CallMade, item: string, time: number, detail: string, failure?: Failure): string {
  const base = accessBase(made.access)
  const first = auditStreamOfAccess(base)
  // A changed access has a stream for each of its versions too.
  const version = base === made.access ? '' : auditStreamOfAccess(made.access) + '","'
  const type = failure === undefined ? AUDIT_TYPE : AUDIT_ERROR_TYPE
  const at = String(time)
  return (
    '{"id":"' + AUDIT_ROOT + item + '","streamIds":["' + first + '","' + version + auditStreamOfAction(made.action) +
    '"],"streamId":"' + first + '","type":"' + type + '","time":' + at +
    ',"content":{' + content(made) + detail + (failure === undefined ? '' : failureText(made, failure)) +
    '},"tags":[],"created":' + at + ',"createdBy":"system","modified":' + at + ',"modifiedBy":"system"}'
  )
}

function content(made: CallMade): string {
  const { ip, query, callerId } = made
  let text = '"source":{"name":"' + made.source + '"'
  if (ip !== undefined) text += ',"ip":' + JSON.stringify(ip)
  text += '},"action":"' + made.action + '","query":'
  text += query === undefined || query === '' ? '{}' : withoutToken(JSON.stringify(publicQuery(query)), made)
  if (callerId !== undefined) text += ',"callerId":' + withoutToken(JSON.stringify(callerId), made)
  return text
}

const failureText = (made: CallMade, { id, message }: Failure): string =>
  ',"id":"' + id + '","message":' + withoutToken(JSON.stringify(message), made)

const SECRET_NAME = /auth|token|password|passwd|secret|credential/i

/** The parameters of a query string as they were sent, without those that carry secrets. */
function publicQuery(query: string): Record<string, unknown> {
  const sent = Object.entries(queryParameters(query)).filter(([name]) => !SECRET_NAME.test(name))
  return Object.fromEntries(sent)
}

/** Shorter texts are too common to be taken out: no generated token is shorter. */
const SHORTEST_TOKEN = 6

/** JSON text with the token of the call taken out, wherever a client has put it. */
function withoutToken(text: string, { token }: CallMade): string {
  if (token === undefined || token.length < SHORTEST_TOKEN) return text
  const quoted = JSON.stringify(token).slice(1, -1)
  return text.includes(quoted) ? text.replaceAll(quoted, '…') : text
}
