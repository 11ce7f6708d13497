import * as z from 'zod'
import { findEvent } from '../../../store/events/events.js'
import { isDelegationStream } from '../../../store/model/delegation.js'
import { isInternal } from '../../../store/model/permission.js'
import { isSecretsStream } from '../../../store/model/sharedSecret.js'
import { personalOnly } from '../../call/callers.js'
import { method, type Call } from '../../call/method.js'
import { conflictsOf, type ConflictList } from '../../sync/conflictsOf.js'
import type { SyncDeps } from '../../sync/sync.js'
import { ConflictsView } from '../../sync/views.js'

const MAX_LISTED = 1000

/** The method devices.conflicts (docs/interface/devices.md#conflicts). */
export const conflicts = method({
  id: 'devices.conflicts',
  summary: 'Lists conflicting edits, refused changes and repaired streams of the account.',
  http: { verb: 'GET', path: '/devices/conflicts', query: { limit: 'number' } },
  caller: personalOnly,
  input: z.strictObject({
    limit: z.int().min(1).max(MAX_LISTED).default(100).describe('Maximum number of each.'),
    auth: z.string().optional(),
  }),
  output: () => ConflictsView,
  fails: ['invalid-parameters-format', 'forbidden'],
  async run(call: Call<SyncDeps>, { limit }) {
    const { account, node, user } = call
    const found = await conflictsOf(node.sync, account, user.username, limit)
    return { ...found, conflicts: found.conflicts.filter((conflict) => isReadable(call, conflict)) }
  },
})

/** Checks whether other methods show the item of a conflict: the values of secrets and of internal streams are never shown. */
function isReadable({ account }: Call, { kind, id }: ConflictList['conflicts'][number]): boolean {
  const streamIds = kind === 'event' ? (findEvent(account.db, account.prefix, id)?.streamIds ?? []) : kind === 'stream' ? [id] : []
  return !streamIds.some((streamId) => isInternal(streamId) || isSecretsStream(streamId) || isDelegationStream(streamId))
}
