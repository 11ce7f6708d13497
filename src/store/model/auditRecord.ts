/**
 * Converts audit records between their two forms: the compact stored value and the event that reads return
 * (docs/interface/audit.md#records). Every call writes one and few are read, so the value stores only what the key does not
 * imply.
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

/** The call described by a record. */
interface AuditedCall {
  /** Access id as clients see it. */
  access: string
  /** Method id. */
  action: string
  isFailure: boolean
  /** Delegate who made the call, if not the owner. */
  delegate?: Identity | undefined
}

/**
 * Encodes a record, tab-separated: `+` for success or `-` for failure, the access id and the method id. For a delegate,
 * a JSON list of user name and host slug follows. Last comes the rest of the event's content as non-empty JSON text.
 */
export function auditValue({ access, action, isFailure, delegate }: AuditedCall, content: string): string {
  const by = delegate === undefined ? '' : JSON.stringify([delegate.username, delegate.hostSlug]) + '\t'
  return (isFailure ? FAILURE : SUCCESS) + access + '\t' + action + '\t' + by + content
}

/** Parses a stored record; undefined when the text is malformed. `content` is JSON text. */
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
 * Formats the event of a record as JSON text. `item` is its id inside the audit store, `time` is in seconds. Returns
 * undefined when the stored text is malformed.
 */
export function auditRecord(item: string, time: number, value: string): string | undefined {
  const parts = auditParts(value)
  if (parts === undefined) return undefined
  const { isFailure, access, action, content } = parts
  const base = accessBase(access)
  const first = auditStreamOfAccess(base)
  // An updated access also has a stream for each version.
  const version = base === access ? '' : `${auditStreamOfAccess(access)}","`
  const type = isFailure ? AUDIT_ERROR_TYPE : AUDIT_TYPE
  return (
    `{"id":"${AUDIT_ROOT}${item}","streamIds":["${first}","${version}${auditStreamOfAction(action)}"],` +
    `"streamId":"${first}","type":"${type}","time":${time},"content":${content},"tags":[],` +
    `"created":${time},"createdBy":"system","modified":${time},"modifiedBy":"system"}`
  )
}
