/**
 * Ids of the audit store: its streams and records (docs/interface/audit.md#records, docs/interface/audit.md#streams). A record's
 * id encodes its time, so lookups by id need no index.
 */

export const AUDIT_ROOT = ':_audit:'
export const AUDIT_ACCESSES = ':_audit:accesses'
export const AUDIT_ACTIONS = ':_audit:actions'

const ACCESS = ':_audit:access-'
const ACTION = ':_audit:action-'

/** Event types of records: successful and failed calls. */
export const AUDIT_TYPE = 'log/user-api'
export const AUDIT_ERROR_TYPE = 'log/user-api-error'

/** Checks whether an id belongs to the audit store, as a stream or a record. */
export const isAuditId = (id: string): boolean => id.startsWith(AUDIT_ROOT)

export const auditStreamOfAccess = (accessId: string): string => ACCESS + accessId
export const auditStreamOfAction = (methodId: string): string => ACTION + methodId

/** Returns the base of an access id, which does not change: `<base>` of `<base>:<serial>`. */
export function accessBase(accessId: string): string {
  const colon = accessId.indexOf(':')
  return colon < 0 ? accessId : accessId.slice(0, colon)
}

/** Returns the access id in an audit stream id; undefined for streams of other kinds. */
export const accessOfAuditStream = (streamId: string): string | undefined =>
  streamId.startsWith(ACCESS) && streamId.length > ACCESS.length ? streamId.slice(ACCESS.length) : undefined

/** Returns the method id in an audit stream id; undefined for streams of other kinds. */
export const actionOfAuditStream = (streamId: string): string | undefined =>
  streamId.startsWith(ACTION) && streamId.length > ACTION.length ? streamId.slice(ACTION.length) : undefined

/** Lengths of milliseconds and counter in an id, both in base 36. */
const TIME_LENGTH = 9
const COUNT_LENGTH = 4
const COUNTS = 36 ** COUNT_LENGTH
/** Length of an id after time and counter. */
export const AUDIT_ID_SUFFIX = 11

/** Creates a generator of record ids that sort by time, then by creation order. `suffix` is unique to the process. */
export function auditIds(suffix: string): (milliseconds: number) => string {
  let count = 0
  let last = -1
  let time = ''
  return (milliseconds) => {
    if (milliseconds !== last) {
      last = milliseconds
      time = 'c' + milliseconds.toString(36).padStart(TIME_LENGTH, '0')
    }
    count = count === COUNTS - 1 ? 0 : count + 1
    return time + count.toString(36).padStart(COUNT_LENGTH, '0') + suffix
  }
}

const ID = new RegExp(`^:_audit:(c([0-9a-z]{${TIME_LENGTH}})[0-9a-z]{${COUNT_LENGTH + AUDIT_ID_SUFFIX}})$`)

/** Parses a record id into its id inside the store and its time in seconds; undefined when malformed. */
export function readAuditId(id: string): { item: string; time: number } | undefined {
  const [, item, time] = ID.exec(id) ?? []
  return item === undefined || time === undefined ? undefined : { item, time: Number.parseInt(time, 36) / 1000 }
}
