/**
 * The record of a call in its two forms: as the event that reads answer with (data supplement 13.1), in the layout of
 * eventRecord.ts, and as what is stored of it. Every call has one and few are read, so what is stored is short: the
 * rest of the event follows from it and its key.
 */
import {
  accessBase,
  AUDIT_ERROR_TYPE,
  AUDIT_ROOT,
  AUDIT_TYPE,
  auditStreamOfAccess,
  auditStreamOfAction,
} from './auditStreams.js'
import type { Identity } from './delegation.js'

const SUCCESS = '+'
const FAILURE = '-'
const TEXT = '("(?:[^"\\\\\\t]|\\\\.)*")'
const PARTS = new RegExp(`^([+-])([^\\t]+)\\t([^\\t]+)\\t(?:\\[${TEXT},${TEXT}\\]\\t)?(\\{.*\\})$`, 's')

/** The call that a record is of. */
export interface AuditedCall {
  /** The access id as clients know it. */
  access: string
  /** The method's id. */
  action: string
  isFailure: boolean
  /** By whose right it was made, when not the owner's own. */
  delegate?: Identity | undefined
}

/**
 * What is stored of a record: `+` or, of a refused call, `-`; the access id; the method's id; of calls by right of a
 * delegate, that one's name and host slug as a JSON list; the rest of the event's content as JSON text, with a member at
 * least. Tabs part them.
 */
export function auditValue({ access, action, isFailure, delegate }: AuditedCall, content: string): string {
  const by = delegate === undefined ? '' : JSON.stringify([delegate.username, delegate.hostSlug]) + '\t'
  return (isFailure ? FAILURE : SUCCESS) + access + '\t' + action + '\t' + by + content
}

/** What is stored of a record, taken apart; undefined when the text is not that. `content` is JSON text. */
export function auditParts(
  value: string,
): { isFailure: boolean; access: string; action: string; content: string } | undefined {
  const [, sign, access, action, username, hostSlug, rest] = PARTS.exec(value) ?? []
  if (access === undefined || action === undefined || rest === undefined) return undefined
  const by = `,"delegation":{"delegateUsername":${username},"delegateHostSlug":${hostSlug}}}`
  const content = username === undefined ? rest : rest.slice(0, -1) + by
  return { isFailure: sign === FAILURE, access, action, content }
}

/**
 * The event of a record as JSON text. `item` is its id inside the audit store, `time` in seconds. Undefined when the
 * text is not what is stored of one.
 */
export function auditRecord(item: string, time: number, value: string): string | undefined {
  const parts = auditParts(value)
  if (parts === undefined) return undefined
  const { isFailure, access, action, content } = parts
  const base = accessBase(access)
  const first = auditStreamOfAccess(base)
  // A changed access has a stream for each of its versions too.
  const version = base === access ? '' : `${auditStreamOfAccess(access)}","`
  const type = isFailure ? AUDIT_ERROR_TYPE : AUDIT_TYPE
  return (
    `{"id":"${AUDIT_ROOT}${item}","streamIds":["${first}","${version}${auditStreamOfAction(action)}"],` +
    `"streamId":"${first}","type":"${type}","time":${time},"content":${content},"tags":[],` +
    `"created":${time},"createdBy":"system","modified":${time},"modifiedBy":"system"}`
  )
}
