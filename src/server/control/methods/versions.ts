/** Operator method that returns earlier versions of events. */
import * as z from 'zod'
import { findDeletion, findEvent, readStoredVersions } from '../../../store/events/events.js'
import { isAuditId } from '../../../store/model/auditStreams.js'
import { openSnapshot } from '../../../store/engine/database.js'
import { createYielder } from '../../../store/engine/yield.js'
import { readVersions } from '../../../sync/digest/readVersions.js'
import { operatorMethod } from '../operatorMethod.js'
import { loadedOf, OfAccount } from './loaded.js'

/** Maximum time in milliseconds for which other calls wait for this one. */
const SLICE_MS = 8

/** Maximum number of versions returned: the most recent ones. */
const MAX_VERSIONS = 1000
const MAX_SIZE = 32 * 1024 * 1024

const versions = operatorMethod({
  id: 'events.versions',
  summary: 'Returns an event after each of its changes, oldest first, up to the current one.',
  input: z.strictObject({ ...OfAccount, id: z.string().describe('Id of the event.') }),
  output: () => z.object({
    versions: z.array(z.record(z.string(), z.unknown()))
      .describe('The versions as events. Includes changes of other nodes. For a deleted event, those that the deletion mode keeps.'),
  }),
  fails: ['unknown-user'],
  // Does not depend on the versioning settings (docs/interface/events.md#versions).
  async run({ node }, { username, id }) {
    const { account } = await loadedOf(node, { username })
    if (isAuditId(id)) return { versions: [] }
    const { prefix } = account
    const time = openSnapshot(account.db)
    try {
      const deletion = findDeletion(time.db, prefix, id)
      if (deletion !== undefined) return { versions: [...readStoredVersions(time.db, prefix, id), deletion].slice(-MAX_VERSIONS) as Record<string, unknown>[] }
      const event = findEvent(time.db, prefix, id)
      if (event === undefined) return { versions: [] }
      const earlier = await readVersions({ db: time.db, prefix }, id, createYielder(SLICE_MS), { count: MAX_VERSIONS - 1, size: MAX_SIZE })
      const { integrity: _, ...current } = event
      return { versions: [...earlier.map((version) => version.event), current].map((one) => ({ ...one, streamId: one.streamIds[0] })) }
    } finally {
      await time.close()
    }
  },
})

export const versionMethods = [versions] as const
