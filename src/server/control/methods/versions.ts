/** What events said before, for the owner at the terminal. */
import * as z from 'zod'
import { findDeletion, findEvent, readStoredVersions } from '../../../store/events/events.js'
import { isAuditId } from '../../../store/model/auditStreams.js'
import { parseInput } from '../../../store/model/validation.js'
import { openSnapshot } from '../../../store/engine/snapshot.js'
import { createYielder } from '../../../store/engine/yield.js'
import { readVersions } from '../../../sync/digest/readVersions.js'
import type { NodeMethod } from '../control.js'
import { loadedOf } from './loaded.js'

/** How long calls wait for this, at most, in milliseconds. */
const SLICE_MS = 8

/** Versions that are answered, at most: the latest. */
const MAX_VERSIONS = 1000
const MAX_SIZE = 32 * 1024 * 1024

const Asked = z.object({ username: z.string(), id: z.string() })

export const versionMethods: Readonly<Record<string, NodeMethod>> = {
  /**
   * An event after each of its changes, oldest first, the event as it is at the end: also of changes that other nodes made,
   * and whether or not the node shows versions to apps (data supplement 2.7). Of a deleted event, what deletion kept.
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
