import * as z from 'zod'
import { findAuditRecord } from '../../store/audit.js'
import type { Snapshot } from '../../store/database.js'
import { findDeletion, findRecord, readerOf, readVersions } from '../../store/events.js'
import { isAuditId } from '../../store/model/auditStreams.js'
import { recordStreamIds, recordToEvent } from '../../store/model/eventRecord.js'
import { Failure } from '../../store/model/failure.js'
import { mayReadEvent, type EventPlace } from '../../store/model/permission.js'
import { DB_DOCUMENTS } from '../../store/model/systemStreams.js'
import { findSharedSecret, secretToRecord } from '../../store/sharedSecrets.js'
import { method, type Call, type Result } from '../method.js'
import { refreshStorageUsed } from '../noteStorageUsed.js'
import { RawJson } from '../results.js'
import { isOwnSecret } from '../sharedSecrets/rules.js'
import { refuseInternalEvent } from './rules.js'
import { shownEvent, shownVersion } from './readToken.js'
import { EventView } from './schema.js'

/** Data supplement 2.7. */
export const getOne = method({
  id: 'events.getOne',
  summary: 'Reads one event, with its earlier versions if asked.',
  http: { verb: 'GET', path: '/events/:id' },
  query: { includeHistory: 'boolean' },
  input: z.strictObject({ id: z.string(), includeHistory: z.boolean().optional(), auth: z.string().optional() }),
  output: z.object({ event: EventView, history: z.array(EventView.partial()).optional() }),
  fails: ['unknown-resource', 'forbidden'],
  async run(call, { id, includeHistory }) {
    const { account, node } = call
    if (isAuditId(id)) return readAudit(call, id, includeHistory === true)
    const field = node.systemStreams.byStream(id)
    if (field !== undefined && !field.isShown) throw new Failure('forbidden')
    if (id === DB_DOCUMENTS) await refreshStorageUsed(node, account)
    if (includeHistory !== true) return read(call, id)
    // The event and its earlier versions are those of one moment.
    const snapshot = account.db.snapshot()
    try {
      const versions = readVersions(readerOf(account.db, snapshot), account.prefix, id)
      return { ...read(call, id, snapshot), history: versions.map((version) => shownVersion(call, version)) }
    } finally {
      await snapshot.close()
    }
  },
})

function read(call: Call, id: string, snapshot?: Snapshot): Result {
  const { db, prefix } = call.account
  const reader = readerOf(db, snapshot)
  const record = findRecord(reader, prefix, id)
  if (record !== undefined) {
    refuseInternalEvent(id, recordStreamIds(record))
    refuseUnlessMayRead(call, { streamIds: recordStreamIds(record), tags: () => recordToEvent(record).tags })
    call.trail?.answered(1)
    return { event: shownEvent(call, record) }
  }
  const deletion = findDeletion(reader, prefix, id)
  const secret = deletion === undefined ? findSharedSecret(reader, call.node.store.seal, prefix, id) : undefined
  if (secret !== undefined) {
    if (!isOwnSecret(call, secret.secret)) throw new Failure('forbidden')
    call.trail?.answered(1)
    return { event: new RawJson(secretToRecord(secret)) }
  }
  if (deletion === undefined) throw new Failure('unknown-resource', `Unknown event "${id}".`)
  const { streamIds } = deletion
  // What deletion kept of an event's content is for those who could read it.
  if (streamIds !== undefined) refuseUnlessMayRead(call, { streamIds, tags: () => deletion.tags ?? [] })
  call.trail?.answered(1)
  if (streamIds === undefined) return { event: deletion }
  return { event: { ...deletion, streamId: streamIds[0] } }
}

/** The record of a call (data supplement 13), which never changes. */
async function readAudit(call: Call, id: string, withHistory: boolean): Promise<Result> {
  await call.node.audit.settled(call.account)
  const record = await findAuditRecord(call.account, id)
  if (record === undefined) throw new Failure('unknown-resource', `Unknown event "${id}".`)
  refuseUnlessMayRead(call, { streamIds: recordStreamIds(record), tags: () => [] })
  call.trail?.answered(1)
  return { event: new RawJson(record), ...(withHistory ? { history: [] } : {}) }
}

/** Refuses unless the caller may read the event, by its streams or by its tags. */
export function refuseUnlessMayRead(call: Call, place: EventPlace): void {
  if (!mayReadEvent(call.caller.scope, place, call.account.tree)) throw new Failure('forbidden')
}
