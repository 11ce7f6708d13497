/** Options that filter audit records, and their display. */
import {
  AUDIT_ERROR_TYPE,
  AUDIT_ROOT,
  accessOfAuditStream,
  actionOfAuditStream,
  auditStreamOfAccess,
  auditStreamOfAction,
} from '../../../store/model/auditStreams.js'
import { numberOf, recordOf, textOf } from '../../client/answer.js'
import type { Record_ } from '../../client/answer.js'
import { flag, list } from '../../framework/option.js'
import { amount } from '../../terminal/output/format.js'

export const recordOptions = {
  access: list('Only calls by this access; "system" is the command line', { placeholder: 'id', names: 'access' }),
  method: list('Only calls to this method, such as events.get', { placeholder: 'method' }),
  failed: flag('Only calls that failed'),
}

interface RecordOptions {
  access: readonly string[]
  method: readonly string[]
  failed: boolean
}

/** Returns the streams and types of the filter, as `events.get` takes them. */
export function queryOf({ access, method, failed }: RecordOptions): Record<string, unknown> {
  const any = access.length === 0 ? [AUDIT_ROOT] : access.map(auditStreamOfAccess)
  const streams = method.length === 0 ? [{ any }] : method.map((id) => ({ any, all: [auditStreamOfAction(id)] }))
  return { streams, ...(failed ? { types: [AUDIT_ERROR_TYPE] } : {}) }
}

/** Checks whether a record matches the filter. */
export function matchesFilter(record: Record_, { access, method, failed }: RecordOptions): boolean {
  const ids = streamsOf(record)
  const isOf = (wanted: readonly string[], stream: (id: string) => string): boolean =>
    wanted.length === 0 || wanted.some((id) => ids.includes(stream(id)))
  return (
    isOf(access, auditStreamOfAccess) && isOf(method, auditStreamOfAction) && (!failed || isFailure(record))
  )
}

const isFailure = (record: Record_): boolean => record['type'] === AUDIT_ERROR_TYPE

function streamsOf(record: Record_): string[] {
  const ids: unknown = record['streamIds']
  return Array.isArray(ids) ? ids.map(textOf) : []
}

const first = (record: Record_, nameIn: (stream: string) => string | undefined): string =>
  streamsOf(record).map(nameIn).find((name) => name !== undefined) ?? ''

/** Returns the name of the access that made the call. */
export const accessOf = (record: Record_): string => first(record, accessOfAuditStream)
/** Returns the method of a call. */
export const methodOf = (record: Record_): string => first(record, actionOfAuditStream)

/** Returns the source of a call: `http 192.0.2.7`. */
export function sourceOf(record: Record_): string {
  const { name, ip } = recordOf(recordOf(record['content'])['source'])
  return [textOf(name), textOf(ip)].filter((part) => part !== '').join(' ')
}

/** Formats the outcome of a call: `ok`, `20 items`, or the failure id with the number of calls refused for it. */
export function outcomeOf(record: Record_): string {
  const content = recordOf(record['content'])
  const calls = numberOf(content['callCount'])
  if (isFailure(record)) return calls === undefined ? textOf(content['id']) : `${textOf(content['id'])} ×${amount(calls)}`
  const count = numberOf(content['recordCount'])
  if (count === undefined) return 'ok'
  const cut = content['recordCountIncomplete'] === true ? ' or more' : ''
  return `${count}${cut} ${count === 1 ? 'item' : 'items'}`
}
