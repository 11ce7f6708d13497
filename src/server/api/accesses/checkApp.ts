import * as z from 'zod'
import { isExpired } from '../../../store/model/access.js'
import { Failure, invalidFormat } from '../../../store/model/failure.js'
import { personalWith } from '../../call/callers.js'
import { method, type Result } from '../../call/method.js'
import { clientData } from '../../base/tableSchema.js'
import { accessOfName, checkedPermissions, isEqualAccess } from './appAccess.js'
import { assertPermissionsPossible, storedPermissions } from './permissions.js'
import { AccessView, PermissionInput, type AskedPermission } from './schema.js'
import { viewOf } from './view.js'

const FailureView = z.object({
  id: z.string().describe('Id of the failure.'),
  message: z.string().describe('Explanation.'),
  data: z.unknown().optional().describe('Details.'),
})

/** Check made by an authorisation page before it asks the user. See docs/interface/accesses.md#app-check. */
export const checkApp = method({
  id: 'accesses.checkApp',
  summary: 'Checks whether an app has the access that it requests.',
  http: { verb: 'POST', path: '/accesses/check-app' },
  caller: personalWith('Only the owner can check apps.'),
  input: z.strictObject({
    requestingAppId: z.string().min(1).describe('Id of the app.'),
    requestedPermissions: z.array(PermissionInput).describe('The permissions that the app requests; streams with defaultName.'),
    deviceName: z.string().nullish().describe('Name of the device.'),
    clientData: clientData.nullish().describe('Client data that the access must have.'),
    expireAfter: z.unknown().optional().describe('Ignored here; seconds until the access expires.'),
    token: z.unknown().optional().describe('Ignored here; token for the access.'),
  }),
  output: () => z.object({
    matchingAccess: AccessView.optional().describe('The access of the app, if it has the requested permissions.'),
    checkedPermissions: z.array(z.record(z.string(), z.unknown())).optional().describe('The permissions to show, with the names of existing streams.'),
    mismatchingAccess: AccessView.optional().describe('An access of the app that has other permissions; to be replaced.'),
    error: FailureView.optional().describe('Why the access cannot be created as requested, such as a stream name that is taken.'),
  }),
  fails: ['invalid-parameters-format', 'invalid-request-structure', 'invalid-operation', 'forbidden'],
  run(call, input) {
    assertNames(input.requestedPermissions)
    assertPermissionsPossible(call, input.requestedPermissions)
    const existing = accessOfName(call, input)
    const isAlive = existing !== undefined && !isExpired(existing.access, call.node.clock.now())
    if (isAlive && isEqualAccess(existing, storedPermissions(input.requestedPermissions), input.clientData)) {
      return { matchingAccess: viewOf(call, existing) }
    }
    const { checked, conflict } = checkedPermissions(call, input.requestedPermissions)
    const result: Result = { checkedPermissions: checked }
    if (conflict !== undefined) {
      const message = 'Another stream already has this name.'
      result['error'] = new Failure('item-already-exists', message, { name: conflict }).toJSON()
    }
    // An expired access is updated or replaced like any other.
    if (existing !== undefined) result['mismatchingAccess'] = viewOf(call, existing)
    return result
  },
})

function assertNames(input: readonly AskedPermission[]): void {
  const items = input.flatMap((permission, at) => {
    const isNamed = !('streamId' in permission) || permission.defaultName !== undefined
    if (isNamed || permission.streamId === null || permission.streamId === '*') return []
    const path = `#/requestedPermissions/${at}/`
    const message = 'Missing required property: defaultName'
    return [{ code: 'OBJECT_MISSING_REQUIRED_PROPERTY', message, path, params: ['defaultName'] }]
  })
  if (items.length > 0) throw invalidFormat(items)
}
