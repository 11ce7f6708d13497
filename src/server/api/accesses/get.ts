import * as z from 'zod'
import { listAccessDeletions, listAccesses, listManaged, type LiveAccess } from '../../../store/accesses/accesses.js'
import { isExpired } from '../../../store/model/access.js'
import { isWithin } from '../../../store/model/grant.js'
import { accessLister, isCreateOnlyCaller } from '../../call/callers.js'
import { method, type Call, type Result } from '../../call/method.js'
import { isManagedBy } from './rules.js'
import { AccessView } from './schema.js'
import { viewOf } from './view.js'

/** Route that lists accesses. See docs/interface/accesses.md#listing. */
export const get = method({
  id: 'accesses.get',
  summary: 'Lists the accesses of the account; for an app, those it manages.',
  http: { verb: 'GET', path: '/accesses', query: { includeExpired: 'boolean', includeDeletions: 'boolean' } },
  caller: accessLister,
  input: z.strictObject({
    includeExpired: z.boolean().optional().describe('Include expired accesses; default false.'),
    includeDeletions: z.boolean().optional().describe('Include deleted accesses; default false.'),
    auth: z.string().optional(),
  }),
  output: () => z.object({
    accesses: z.array(AccessView).describe('The accesses that the caller may manage.'),
    accessDeletions: z.array(AccessView).optional().describe('Deleted accesses.'),
  }),
  fails: ['invalid-parameters-format', 'forbidden'],
  async run(call, { includeExpired, includeDeletions }) {
    const { account, node } = call
    if (isCreateOnlyCaller(call.caller)) return includeDeletions === true ? { accesses: [], accessDeletions: [] } : { accesses: [] }
    const now = node.clock.now()
    const found = await visible(call)
    const displayed = includeExpired === true ? found : found.filter(({ access }) => !isExpired(access, now))
    const result: Result = { accesses: displayed.sort(byName).map((live) => viewOf(call, live)) }
    if (includeDeletions === true) {
      const deleted = await listAccessDeletions(account, node.store.seal)
      const own = call.caller.scope.personal ? deleted : deleted.filter(({ access }) => isManagedBy(call, access))
      result['accessDeletions'] = own.map((live) => viewOf(call, live))
    }
    return result
  },
})

/** Lists all accesses for the owner; for an app, the shared accesses it created that lie within its permissions. */
async function visible(call: Call): Promise<LiveAccess[]> {
  const { account, caller } = call
  const { seal } = call.node.store
  if (caller.scope.personal) return listAccesses(account, seal)
  const managed = await listManaged(account, seal, caller.access.id)
  return managed.filter(({ access }) => isWithin(caller.scope, access.permissions ?? [], account.tree))
}

function byName({ access: a }: LiveAccess, { access: b }: LiveAccess): number {
  if (a.name !== b.name) return a.name < b.name ? -1 : 1
  return a.created - b.created
}
