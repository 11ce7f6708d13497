import * as z from 'zod'
import { Failure } from '../../../store/model/failure.js'
import { parseInput } from '../../../store/model/validation.js'
import { listManaged, type LiveAccess } from '../../../store/accesses/accesses.js'
import type { Transaction } from '../../../store/engine/account.js'
import { withTrail } from '../../dispatch/call.js'
import { writeExclusively, writeWithinQuota, withinQuota } from '../../dispatch/accountWrite.js'
import { accessCreator } from '../../call/callers.js'
import { method, type Call, type Result } from '../../call/method.js'
import { remove } from './delete.js'
import { withClaimedAlias, type ClaimedAlias } from './aliases.js'
import { createAccess, assertMayGrant } from './createAccess.js'
import { replaceableAccess, type AccessName } from './replace.js'
import { AccessView, GrantedPermissions, NewAccess } from './schema.js'
import { viewOf } from './view.js'
import type { ConsentDeps } from '../consents/service.js'

/** Route that creates an access. See docs/interface/accesses.md#creation. */
export const create = method({
  id: 'accesses.create',
  summary: 'Creates an access: for an app, or to share data.',
  http: { verb: 'POST', path: '/accesses', status: 201 },
  caller: accessCreator,
  checksCaller: true,
  input: NewAccess,
  output: () => z.object({ access: AccessView.describe('The created access with its token.') }),
  synchronous: true,
  fails: [
    'invalid-parameters-format',
    'invalid-request-structure',
    'invalid-item-id',
    'invalid-operation',
    'item-already-exists',
    'api-unavailable',
    'forbidden',
    'user-intervention-required',
    'platform-unavailable',
  ],
  run(call: Call<ConsentDeps>, input) {
    const { type = 'shared' } = input
    if (type === 'personal') throw new Failure('forbidden', 'Personal accesses are created by logging in.')
    parseInput(GrantedPermissions, input)
    const { permissions = [] } = input
    const wanted = { ...input, permissions }
    assertMayCreate(call, type)
    assertMayGrant(call, type, wanted)
    const { name, deviceName } = input
    const named = { type, name, ...(deviceName == null ? {} : { deviceName }) }
    const made = (claimed?: ClaimedAlias): Promise<Result> => {
      if (replaceableAccess(call, call.account.db, named) === undefined) {
        return writeWithinQuota(call, (t) => ({ access: viewOf(call, createAccess(call, t, type, wanted, { claimed })) }))
      }
      return replacing(call, named, (t, managed) => ({ access: viewOf(call, createAccess(call, t, type, wanted, { managed, claimed })) }))
    }
    return input.randomAlias === true && call.node.registry.isShared ? withClaimedAlias(call, made) : made()
  },
})

/** Creates an access in place of an expired one, whose end is audited as a call of `accesses.delete`. */
function replacing(call: Call, named: AccessName, make: (t: Transaction, managed: readonly LiveAccess[]) => Result): Promise<Result> {
  const { account, node } = call
  return writeExclusively(call, async (write) => {
    const former = replaceableAccess(call, account.db, named)
    const managed = former === undefined ? [] : await listManaged(account, node.store.seal, former.access.id)
    const trail = former === undefined ? undefined : withTrail(call, remove).trail
    const result = await write(
      withinQuota(call, (t) => {
        const created = make(t, managed)
        trail?.stage(t)
        return created
      }),
    )
    trail?.succeeded()
    return result
  })
}

/** Throws for callers that may not create accesses of the type. The failures of the type and of its permissions come first. */
function assertMayCreate(call: Call, type: 'app' | 'shared'): void {
  accessCreator.assertAllows(call)
  if (call.caller.access.type === 'app' && type !== 'shared') throw new Failure('forbidden', 'Apps can only create shared accesses.')
}
