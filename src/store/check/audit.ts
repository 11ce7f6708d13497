/** Checks audit records and the list of accesses and methods in them. */
import { auditAccessName, auditActionName } from '../accounts/audit.js'
import { accountKeys, ORDERED_LENGTH, orderedToNumber } from '../engine/keys.js'
import { auditRecord } from '../model/auditRecord.js'
import { accessBase, accessOfAuditStream, actionOfAuditStream, AUDIT_ROOT, readAuditId } from '../model/auditStreams.js'
import { eventToRecord, recordToEvent } from '../model/eventRecord.js'
import { holding, objectIn, recordOf, textOf, type CheckContext, type ExpectedEntry, type Entry } from './crossReference.js'
import { isEvent } from './events.js'

/** Expects the list entries of an audit record, `<access>/<time><id>`; checks its streams and time. */
export function expectedAuditEntries({ findings }: CheckContext, entry: Entry): ExpectedEntry[] {
  findings.count('audit records')
  const slash = entry.rest.indexOf('/')
  const access = entry.rest.slice(0, slash)
  const end = entry.rest.slice(slash + 1)
  const id = AUDIT_ROOT + end.slice(ORDERED_LENGTH)
  const where = `account ${entry.account}, audit record ${id}`
  const time = orderedToNumber(end)
  const text = auditRecord(end.slice(ORDERED_LENGTH), time, textOf(entry))
  if (text === undefined || !isEvent(objectIn(text))) {
    findings.report(where, 'cannot be read')
    return []
  }
  const event = recordToEvent(text)
  if (readAuditId(id)?.time !== time) findings.report(where, 'has an id with another time')
  // Filters inspect the text of records, so its form matters as much as its content.
  if (eventToRecord(event) !== text) findings.report(where, 'is not in canonical form')
  const [own = '', action] = [event.streamIds[0], event.streamIds.at(-1)]
  const method = actionOfAuditStream(action ?? '')
  if (accessBase(accessOfAuditStream(own) ?? '') !== access || method === undefined) {
    findings.report(where, `is not in the streams of access ${access} and of a method`)
    return []
  }
  const listed = (name: string): ExpectedEntry =>
    holding(accountKeys.auditName(entry.account, name), '', where, `entry in the list of audit names (${name})`)
  return [listed(auditAccessName(access)), listed(auditActionName(method))]
}

/** Checks the stored state of audit retention. */
export function checkAuditRetention({ findings }: CheckContext, entry: Entry): void {
  const { since, counted } = objectIn(textOf(entry)) ?? { since: '' }
  const { before, bytes } = recordOf(counted) ?? {}
  const isNumber = (value: unknown): boolean => typeof value === 'number'
  const isWhole = (since === undefined || isNumber(since)) && (counted === undefined || (isNumber(before) && isNumber(bytes)))
  if (!isWhole) findings.report(`account ${entry.account}, retention of audit records`, 'cannot be read')
}

/** Checks an entry of the list: `access-<id>` or `action-<method>`. */
export function checkAuditName({ findings }: CheckContext, entry: Entry): void {
  findings.count('audit names')
  if (/^(access|action)-./.test(entry.rest) && textOf(entry) === '') return
  findings.report(`account ${entry.account}, audit name ${JSON.stringify(entry.rest)}`, 'is not valid')
}
