import * as z from 'zod'
import type { LiveAccess } from '../../../store/accesses/accesses.js'
import { accessIdOf } from '../../../store/model/access.js'
import { Failure } from '../../../store/model/failure.js'
import { feature } from '../../../store/model/permission.js'
import { writeExclusively } from '../../dispatch/accountWrite.js'
import { endRelation, type LocalText } from '../consents/ending.js'
import { dependingOnTarget } from '../../call/callers.js'
import { method, type Call, type Result } from '../../call/method.js'
import { listDependents, listOwnDependents } from './dependents.js'
import { assertNotManaged } from './delegationMarker.js'
import { foundAccess, isManagedBy, assertSerial } from './rules.js'
import { AccessDeletionView } from './schema.js'
import { revokeWithManaged } from './revoke.js'
import type { ConsentDeps } from '../consents/service.js'

/** Route that deletes an access; answers after the token is refused everywhere. See docs/interface/accesses.md#deletion. */
export const remove = method({
  id: 'accesses.delete',
  summary: 'Deletes an access; with an app access, the accesses that it created. A consent to an OAuth client and its tokens end together.',
  http: { verb: 'DELETE', path: '/accesses/:id' },
  caller: dependingOnTarget('Personal access; app access for accesses that it created; any access for itself, unless its permissions forbid selfRevoke'),
  input: z.strictObject({ id: z.string().describe('Id of the access.'), auth: z.string().optional() }),
  output: () => z.object({
    accessDeletion: AccessDeletionView.describe('The deleted access.'),
    relatedDeletions: z.array(AccessDeletionView).optional().describe('Accesses that ended with it: those that an app shared, and those of the same OAuth consent.'),
  }),
  fails: ['unknown-resource', 'stale-resource', 'forbidden', 'invalid-operation'],
  run: (call: Call<ConsentDeps>, { id }) => removeAccess(call, id),
})

/** Deletes an access; `reason` is sent to the other accounts of relationships that end with it. */
export function removeAccess(call: Call<ConsentDeps>, id: string, reason?: LocalText): Promise<Result> {
  const { account, node, user } = call
  return writeExclusively(call, async (write) => {
    const { access } = foundAccess(call, account.db, id)
    const dependents = await (access.id === call.caller.access.id ? listOwnDependents : listDependents)(call, access)
    return write((t) => {
      const target = foundAccess(call, t, id)
      assertNotManaged(target.access)
      assertMayDelete(call, target)
      assertSerial(id, target)
      const related = revokeWithManaged(node, t, target, dependents)
      const at = node.clock.now()
      for (const { access: ended } of [target, ...related]) {
        endRelation(node, t, user.username, ended, { by: 'accesses.delete' }, at, reason)
      }
      const accessDeletion = { id: accessIdOf(target.access) }
      if (related.length === 0) return { accessDeletion }
      return { accessDeletion, relatedDeletions: related.map((live) => ({ id: accessIdOf(live.access) })) }
    })
  })
}

function assertMayDelete(call: Call, { access }: LiveAccess): void {
  const { caller } = call
  if (caller.scope.personal) return
  if (access.id === caller.access.id) {
    if (feature(caller.scope, 'selfRevoke') === 'forbidden') {
      throw new Failure('forbidden', 'This access may not revoke itself.')
    }
  } else if (!isManagedBy(call, access)) {
    throw new Failure('forbidden')
  }
}
