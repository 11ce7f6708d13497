/** Operator method that returns earlier versions of events. */
import * as z from 'zod'
import { findDeletion, findEvent, readStoredVersions } from '../../../store/events/events.js'
import { isAuditId } from '../../../store/model/auditStreams.js'
import { parseInput } from '../../../store/model/validation.js'
import { openSnapshot } from '../../../store/engine/database.js'
import { createYielder } from '../../../store/engine/yield.js'
import { readVersions } from '../../../sync/digest/readVersions.js'
import type { NodeMethod } from '../control.js'
import { loadedOf } from './loaded.js'

/** Maximum time in milliseconds for which other calls wait for this one. */
const SLICE_MS = 8

/** Maximum number of versions returned: the most recent ones. */
const MAX_VERSIONS = 1000
const MAX_SIZE = 32 * 1024 * 1024

const Asked = z.object({ username: z.string(), id: z.string() })

export const versionMethods: Readonly<Record<string, NodeMethod>> = {
  /**
   * Returns an event after each of its changes, oldest first, up to the current one. Includes changes of other nodes, and does
   * not
   * depend on the versioning settings (data supplement 2.7). For a deleted event, returns what the deletion mode keeps.
   */
  async 'events.versions'(node, params) {
    const { id } = parseInput(Asked, params)
    const { account } = await loadedOf(node, params)
    if (isAuditId(id)) return { versions: [] }
    const { prefix } = account
    const time = openSnapshot(account.db)
    try {
      const deletion = findDeletion(time.db, prefix, id)
      if (deletion !== undefined) return { versions: [...readStoredVersions(time.db, prefix, id), deletion].slice(-MAX_VERSIONS) }
      const event = findEvent(time.db, prefix, id)
      if (event === undefined) return { versions: [] }
      const earlier = await readVersions({ db: time.db, prefix }, id, createYielder(SLICE_MS), { count: MAX_VERSIONS - 1, size: MAX_SIZE })
      const { integrity: _, ...current } = event
      return { versions: [...earlier.map((version) => version.event), current].map((one) => ({ ...one, streamId: one.streamIds[0] })) }
    } finally {
      await time.close()
    }
  },
}
