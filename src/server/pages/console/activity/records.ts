/** Reads the audit records of an account page by page, with bounded work whatever the filter. */
import { AUDIT_ERROR_TYPE, AUDIT_ROOT, accessBase, accessOfAuditStream, auditStreamOfAccess } from '../../../../store/model/auditStreams.js'
import { get } from '../../../api/events/get.js'
import { readAsOwner } from '../../session.js'
import type { TimePosition } from '../../timePosition.js'
import type { ConsoleVisit } from '../consolePage.js'
import { actionOf, type Kind } from './actions.js'

/** An audit record as the API returns it (docs/interface/audit.md#records). */
interface AuditEvent {
  type: string
  time: number
  streamIds: readonly string[]
  content: {
    source?: { name?: string; ip?: string }
    action?: string
    record?: { key?: string }
    recordCount?: number
    scopedStreamIds?: readonly string[]
    scopedStreamCount?: number
    delegation?: { delegateUsername?: string }
    id?: string
    message?: string
    callCount?: number
  }
}

export interface AuditRecord {
  /** Time in seconds. */
  time: number
  /** Base of the access id, or the fixed name of calls without an access. */
  access: string
  method: string
  /** Failure of a refused call. */
  failure?: { id: string; message: string }
  /** Number of calls that the record counts. */
  calls: number
  /** Streams that a query selected. */
  streams: readonly string[]
  streamCount: number
  /** Id of the written event or access. */
  item?: string
  delegate?: string
  ip?: string
  /** True for calls of the command line. */
  isTerminal: boolean
}

export interface Filter {
  access?: string
  kind?: Kind
  /** Bounds in seconds. */
  from?: number
  to?: number
  /** Base id of the access whose reading is left out: that of the pages themselves. */
  hidden?: string
}

export interface RecordPage {
  /** The latest first. */
  records: AuditRecord[]
  /** Position of the next page; absent at the end. */
  next?: TimePosition
  /** True when the search ended before the page was full, because most records do not match. */
  isPartial: boolean
}

/** Number of matching records on a page, before similar ones are folded. */
const PAGE_RECORDS = 100
/** Number of records that the first call reads, and those after it. */
const FIRST_STEP = 150
const STEP = 500
/** Time in milliseconds after which a page reads no further, and maximum number of its calls. */
const MAX_MS = 50
const MAX_STEPS = 8

/** Names under which sign-ins are recorded (docs/interface/audit.md#calls-without-an-access). */
export const signInAccesses: readonly string[] = ['valid-password', 'valid-sso', 'mfa-token', 'password-reset-request', 'password-reset-token']

/**
 * Reads a page of records at a position. Filters by access read only the records of that access; filters by kind stop after some
 * time, since few of the records may match.
 */
export async function readRecords(visit: ConsoleVisit, filter: Filter, start?: TimePosition): Promise<RecordPage> {
  const streams = streamsOf(filter)
  const began = performance.now()
  const records: AuditRecord[] = []
  let position: TimePosition = start ?? { until: filter.to ?? visit.node.clock.now() + 1, skip: 0 }
  for (let step = 0; step < MAX_STEPS && (step === 0 || performance.now() - began < MAX_MS); step++) {
    const size = step === 0 ? FIRST_STEP : STEP
    const params = { streams, fromTime: filter.from ?? 0, toTime: position.until, skip: position.skip, limit: size }
    const { events } = (await readAsOwner(visit, visit.session, get, params)) as { events: AuditEvent[] }
    for (const event of events) {
      position = after(position, event.time)
      const record = recordOf(event)
      if (!isWanted(record, filter)) continue
      records.push(record)
      if (records.length === PAGE_RECORDS) return { records, next: position, isPartial: false }
    }
    if (events.length < size) return { records, isPartial: false }
  }
  return { records, next: position, isPartial: true }
}

const after = ({ until, skip }: TimePosition, time: number): TimePosition => (time === until ? { until, skip: skip + 1 } : { until: time, skip: 1 })

function streamsOf({ access, kind }: Filter): unknown {
  if (access !== undefined) return [auditStreamOfAccess(access)]
  // Each access has records of its own, so sign-ins are found without reading others.
  return kind === 'signIn' ? signInAccesses.map(auditStreamOfAccess) : [AUDIT_ROOT]
}

function isWanted({ access, method, failure }: AuditRecord, { kind, hidden }: Filter): boolean {
  const action = actionOf(method)
  if (kind === 'refused') return failure !== undefined
  if (kind === 'signIn') return failure === undefined
  if (access === hidden && failure === undefined && action.kind === 'reading') return false
  return kind === undefined || action.kind === kind
}

function recordOf({ type, time, streamIds, content }: AuditEvent): AuditRecord {
  const { source, action = '', record, scopedStreamIds = [], scopedStreamCount, delegation, id = '', message = '', callCount = 1 } = content
  const access = accessBase(streamIds.map(accessOfAuditStream).find((found) => found !== undefined) ?? '')
  const item = record?.key?.split(':')[2]
  return {
    time,
    access,
    method: action,
    ...(type === AUDIT_ERROR_TYPE ? { failure: { id, message } } : {}),
    calls: callCount,
    streams: scopedStreamIds,
    streamCount: scopedStreamCount ?? scopedStreamIds.length,
    ...(item === undefined ? {} : { item }),
    ...(delegation?.delegateUsername === undefined ? {} : { delegate: delegation.delegateUsername }),
    ...(source?.ip === undefined ? {} : { ip: source.ip }),
    isTerminal: source?.name === 'control',
  }
}
