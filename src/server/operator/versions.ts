/** What events said before, for the owner at the terminal. */
import * as z from 'zod'
import { isAuditId } from '../../store/model/auditStreams.js'
import { parseInput } from '../../store/model/validation.js'
import { createPause } from '../../store/pauses.js'
import { eventVersions } from '../../sync/state/versions.js'
import type { NodeMethod } from '../control.js'
import { loadedOf } from './loaded.js'

/** How long calls wait for this, at most, in milliseconds. */
const SLICE_MS = 8

const Asked = z.object({ username: z.string(), id: z.string() })

export const versionMethods: Readonly<Record<string, NodeMethod>> = {
  /**
   * An event after each of its changes, oldest first: also of changes that other nodes made, and whether or not the node
   * keeps versions for the API (data supplement 2.7). Empty when the event was deleted, which erases its changes.
   */
  async 'events.versions'(node, params) {
    const { id } = parseInput(Asked, params)
    const { account } = await loadedOf(node, params)
    if (isAuditId(id)) return { versions: [] }
    const versions = await eventVersions(account, id, createPause(SLICE_MS))
    return { versions: versions.map((event) => ({ ...event, streamId: event.streamIds[0] })) }
  },
}
