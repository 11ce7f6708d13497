/**
 * The audit store in names: its streams, whose records they hold, and the ids of records (data supplement 13.1, 13.2).
 * A record's id tells its time, so that a record is found by its id without an index.
 */

export const AUDIT_ROOT = ':_audit:'
export const AUDIT_ACCESSES = ':_audit:accesses'
export const AUDIT_ACTIONS = ':_audit:actions'

const ACCESS = ':_audit:access-'
const ACTION = ':_audit:action-'

/** The types of records: of calls that succeeded, and of refused ones. */
export const AUDIT_TYPE = 'log/user-api'
export const AUDIT_ERROR_TYPE = 'log/user-api-error'

/** Whether an id is one of the audit store, of a stream or of a record. */
export const isAuditId = (id: string): boolean => id.startsWith(AUDIT_ROOT)

export const auditStreamOfAccess = (accessId: string): string => ACCESS + accessId
export const auditStreamOfAction = (methodId: string): string => ACTION + methodId

/** The part of an access id that stays while the access changes: `<base>` of `<base>:<serial>`. */
export function accessBase(accessId: string): string {
  const colon = accessId.indexOf(':')
  return colon < 0 ? accessId : accessId.slice(0, colon)
}

/** The access id in the name of an audit stream; undefined when the stream is none of an access. */
export const accessOfAuditStream = (streamId: string): string | undefined =>
  streamId.startsWith(ACCESS) && streamId.length > ACCESS.length ? streamId.slice(ACCESS.length) : undefined

/** The method id in the name of an audit stream; undefined when the stream is none of a method. */
export const actionOfAuditStream = (streamId: string): string | undefined =>
  streamId.startsWith(ACTION) && streamId.length > ACTION.length ? streamId.slice(ACTION.length) : undefined

/** Characters of milliseconds and of the count in an id, both in base 36. */
const TIME_LENGTH = 9
const COUNT_LENGTH = 4
const COUNTS = 36 ** COUNT_LENGTH
/** Characters of an id behind the time and the count. */
export const AUDIT_ID_SUFFIX = 11

/** Makes ids of records that sort by time, then by the order in which they were made. `suffix` is the maker's own. */
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

/** The id inside the store and the time, in seconds, of a record's id; undefined when it is no such id. */
export function readAuditId(id: string): { item: string; time: number } | undefined {
  const [, item, time] = ID.exec(id) ?? []
  return item === undefined || time === undefined ? undefined : { item, time: Number.parseInt(time, 36) / 1000 }
}
