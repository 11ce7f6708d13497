import * as z from 'zod'
import { personalOnly } from '../../call/callers.js'
import { method, type Call } from '../../call/method.js'
import { conflictsOf } from '../../sync/conflictsOf.js'
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
  output: ConflictsView,
  fails: ['invalid-parameters-format', 'forbidden'],
  run: ({ account, node, user }: Call<SyncDeps>, { limit }) => conflictsOf(node.sync, account, user.username, limit),
})
