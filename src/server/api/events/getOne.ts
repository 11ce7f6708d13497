import * as z from 'zod'
import { findAuditRecord } from '../../../store/accounts/audit.js'
import { openSnapshot, type Database } from '../../../store/engine/database.js'
import { findDeletion, findRecord, readStoredVersions } from '../../../store/events/events.js'
import { isAuditId } from '../../../store/model/auditStreams.js'
import { eventToRecord, headOfBytes, recordStreamIds, recordToEvent } from '../../../store/model/eventRecord.js'
import { utf8Text } from '../../../store/model/jsonText.js'
import { Failure } from '../../../store/model/failure.js'
import { mayReadEvent, type EventPlace } from '../../../store/model/permission.js'
import { DB_DOCUMENTS } from '../../../store/model/systemStreams.js'
import { createYielder } from '../../../store/engine/yield.js'
import { findSharedSecret, secretToRecord } from '../../../store/accesses/sharedSecrets.js'
import { readVersions } from '../../../sync/digest/readVersions.js'
import { FREE_BYTES, type AnswerDeps } from '../../call/answers/answerBudget.js'
import { largeRecordsOf } from '../../call/answers/largeRecords.js'
import { withIntegrity } from '../shared/integrity.js'
import { anyAccess } from '../../call/callers.js'
import { method, type Call, type Result } from '../../call/method.js'
import { refreshStorageUsed } from '../shared/noteStorageUsed.js'
import { RawJson } from '../../call/results.js'
import { isOwnSecret } from '../sharedSecrets/rules.js'
import { assertNotInternal } from './rules.js'
import { eventResult, versionResult } from '../../auth/readToken.js'
import { EventView } from './schema.js'

/** Maximum time in milliseconds for which other calls wait for this one. */
const SLICE_MS = 8

/** Size of an answer without its record, in bytes. */
const AROUND_BYTES = 1024

/** Maximum number of earlier versions in an answer (the latest ones), and about their total characters. */
const MAX_VERSIONS = { count: 10_000, size: 32 * 1024 * 1024 }

/** The method events.getOne (docs/interface/events.md#versions). */
export const getOne = method({
  id: 'events.getOne',
  summary: 'Reads one event, with its earlier versions if asked: the latest 10,000, of about 32 MB together.',
  http: { verb: 'GET', path: '/events/:id', query: { includeHistory: 'boolean' } },
  caller: anyAccess,
  input: z.strictObject({
    id: z.string().describe('Id of the event.'),
    includeHistory: z.boolean().optional().describe('Include earlier versions; default false.'),
    auth: z.string().optional(),
  }),
  output: () => z.object({
    event: EventView.describe('The event.'),
    history: z.array(EventView.partial()).optional().describe('Earlier versions.'),
  }),
  fails: ['unknown-resource', 'forbidden'],
  async run(call: Call<AnswerDeps>, { id, includeHistory }) {
    const { account, node } = call
    if (isAuditId(id)) return readAudit(call, id, includeHistory === true)
    const field = node.systemStreams.byStream(id)
    if (field !== undefined && !field.isShown) throw new Failure('forbidden')
    if (id === DB_DOCUMENTS) await refreshStorageUsed(node, account)
    if (includeHistory !== true) return readAlone(call, id)
    // The event and its earlier versions are read from one snapshot.
    const time = openSnapshot(account.db)
    try {
      const result = read(call, id, time.db)
      // Earlier values of an account field are always its history.
      const isShown = field !== undefined || node.config.get('versioning.forceKeepHistory')
      return { ...result, history: isShown ? await historyOf(call, id, time.db) : [] }
    } finally {
      await time.close()
    }
  },
})

/** Returns the earlier versions of an event, from its changes; for a deleted event, the versions that deletion kept. */
async function historyOf(call: Call, id: string, db: Database): Promise<unknown[]> {
  const { prefix } = call.account
  if (findDeletion(db, prefix, id) !== undefined) {
    return readStoredVersions(db, prefix, id).map((version) => versionResult(call, version))
  }
  const versions = await readVersions({ db, prefix }, id, createYielder(SLICE_MS), MAX_VERSIONS)
  return versions.filter(({ isStamped }) => !isStamped).map(({ event }) => eventResult(call, eventToRecord(withIntegrity(call, event))))
}

/** Reads an event without its history. A large one over HTTP waits for free memory. */
async function readAlone(call: Call<AnswerDeps>, id: string): Promise<Result> {
  const { account, node, origin } = call
  const { reader } = origin
  // Answers over other transports are parts of larger ones, which are counted while they are built.
  if (reader === undefined || origin.transport !== 'http') return read(call, id, account.db)
  const records = largeRecordsOf(node.answerBudget)
  if (records.size(account.prefix, id) === undefined) {
    const record = findRecord(account.db, account.prefix, id)
    if (record === undefined || record.length <= FREE_BYTES) return read(call, id, account.db, record)
    records.note(account.prefix, id, record.length)
  }
  // From here on, the record must not be in memory until there is room for it.
  await reader.hold((records.size(account.prefix, id) ?? 0) + AROUND_BYTES)
  reader.assertConnected()
  const bytes = records.bytes(account.db, account.prefix, id)
  if (bytes === undefined || bytes.length <= FREE_BYTES) records.forget(account.prefix, id)
  else records.note(account.prefix, id, bytes.length)
  const head = bytes === undefined ? undefined : headOfBytes(bytes)
  if (bytes === undefined || head === undefined) return read(call, id, account.db)
  const streamIds = recordStreamIds(head)
  assertNotInternal(id, streamIds)
  assertMayRead(call, { streamIds, tags: () => recordToEvent(utf8Text(bytes)).tags })
  call.trail?.recordRead(1)
  return { event: new RawJson(bytes) }
}

/** @param record the record of the event, if already read */
function read(call: Call, id: string, reader: Database, record = findRecord(reader, call.account.prefix, id)): Result {
  const { prefix } = call.account
  if (record !== undefined) {
    assertNotInternal(id, recordStreamIds(record))
    assertMayRead(call, { streamIds: recordStreamIds(record), tags: () => recordToEvent(record).tags })
    call.trail?.recordRead(1)
    return { event: eventResult(call, record) }
  }
  const deletion = findDeletion(reader, prefix, id)
  const secret = deletion === undefined ? findSharedSecret(reader, call.node.store.seal, prefix, id) : undefined
  if (secret !== undefined) {
    if (!isOwnSecret(call, secret.secret)) throw new Failure('forbidden')
    call.trail?.recordRead(1)
    return { event: new RawJson(secretToRecord(secret)) }
  }
  if (deletion === undefined) throw new Failure('unknown-resource', `Unknown event "${id}".`)
  const { streamIds } = deletion
  // The rest of a deleted event is only for callers that could read the event.
  if (streamIds !== undefined) assertMayRead(call, { streamIds, tags: () => deletion.tags ?? [] })
  call.trail?.recordRead(1)
  if (streamIds === undefined) return { event: deletion }
  return { event: { ...deletion, streamId: streamIds[0] } }
}

/** Returns an audit record (docs/interface/audit.md), which never changes. */
async function readAudit(call: Call, id: string, withHistory: boolean): Promise<Result> {
  await call.node.audit.settled(call.account)
  const record = await findAuditRecord(call.account, id)
  if (record === undefined) throw new Failure('unknown-resource', `Unknown event "${id}".`)
  assertMayRead(call, { streamIds: recordStreamIds(record), tags: () => [] })
  call.trail?.recordRead(1)
  return { event: new RawJson(record), ...(withHistory ? { history: [] } : {}) }
}

/** Throws Failure `forbidden` unless the caller may read the event, by its streams or by its tags. */
export function assertMayRead(call: Call, place: EventPlace): void {
  if (!mayReadEvent(call.caller.scope, place, call.account.tree)) throw new Failure('forbidden')
}
