import * as z from 'zod'
import { isExpired } from '../../store/model/access.js'
import { Failure, invalidFormat } from '../../store/model/failure.js'
import { method, type Result } from '../method.js'
import { clientData } from '../streams/schema.js'
import { accessOfName, checkedPermissions, isEqualAccess } from './appAccess.js'
import { refuseImpossible, storedPermissions } from './permissions.js'
import { AccessView, PermissionInput, type AskedPermission } from './schema.js'
import { viewOf } from './view.js'

const FailureView = z.object({ id: z.string(), message: z.string(), data: z.unknown().optional() })

/** Specification, "Access request"; data supplement 6.7: what an authorisation page asks before it asks the user. */
export const checkApp = method({
  id: 'accesses.checkApp',
  summary: 'Tells whether an app has the access that it asks for.',
  http: { verb: 'POST', path: '/accesses/check-app' },
  input: z.strictObject({
    requestingAppId: z.string().min(1),
    requestedPermissions: z.array(PermissionInput),
    deviceName: z.string().nullish(),
    clientData: clientData.nullish(),
    expireAfter: z.unknown().optional(),
    token: z.unknown().optional(),
  }),
  output: z.object({
    matchingAccess: AccessView.optional(),
    checkedPermissions: z.array(z.record(z.string(), z.unknown())).optional(),
    mismatchingAccess: AccessView.optional(),
    error: FailureView.optional(),
  }),
  fails: ['invalid-parameters-format', 'invalid-request-structure', 'invalid-operation', 'forbidden'],
  run(call, asked) {
    if (call.caller.access.type !== 'personal') throw new Failure('forbidden', 'Only the owner checks apps.')
    refuseMissingNames(asked.requestedPermissions)
    refuseImpossible(call, asked.requestedPermissions)
    const existing = accessOfName(call, asked)
    const isAlive = existing !== undefined && !isExpired(existing.access, call.node.clock.now())
    if (isAlive && isEqualAccess(existing, storedPermissions(asked.requestedPermissions), asked.clientData)) {
      return { matchingAccess: viewOf(call, existing) }
    }
    const { checked, conflict } = checkedPermissions(call, asked.requestedPermissions)
    const result: Result = { checkedPermissions: checked }
    if (conflict !== undefined) {
      const message = 'A stream of another id already has this name.'
      result['error'] = new Failure('item-already-exists', message, { name: conflict }).toJSON()
    }
    // One that has expired is changed or replaced like any other.
    if (existing !== undefined) result['mismatchingAccess'] = viewOf(call, existing)
    return result
  },
})

function refuseMissingNames(asked: readonly AskedPermission[]): void {
  const items = asked.flatMap((permission, at) => {
    const isNamed = !('streamId' in permission) || permission.defaultName !== undefined
    if (isNamed || permission.streamId === null || permission.streamId === '*') return []
    const path = `#/requestedPermissions/${at}/`
    const message = 'Missing required property: defaultName'
    return [{ code: 'OBJECT_MISSING_REQUIRED_PROPERTY', message, path, params: ['defaultName'] }]
  })
  if (items.length > 0) throw invalidFormat(items)
}
