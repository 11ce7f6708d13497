import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { accessNamed, findAccess, type LiveAccess } from '../../store/accesses.js'
import { isExpired, type Permission } from '../../store/model/access.js'
import { Failure, invalidFormat } from '../../store/model/failure.js'
import { method, type Call, type Result } from '../method.js'
import { clientData } from '../streams/schema.js'
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
    const existing = candidate(call, asked.requestingAppId, asked.deviceName)
    if (existing !== undefined) {
      const { permissions = [], clientData } = existing.access
      const isMatching =
        arePermissionsSame(permissions, storedPermissions(asked.requestedPermissions)) &&
        isDeepStrictEqual(clientData, asked.clientData ?? undefined)
      if (isMatching) return { matchingAccess: viewOf(call, existing) }
    }
    const result: Result = checkedPermissions(call, asked.requestedPermissions)
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

/** The access that the app has on the device, unless it has expired. */
function candidate(call: Call, name: string, deviceName: string | null | undefined): LiveAccess | undefined {
  const { account, node } = call
  const { db, prefix } = account
  const id = accessNamed(db, prefix, { type: 'app', name, ...(deviceName == null ? {} : { deviceName }) })
  const live = id === undefined ? undefined : findAccess(db, node.store.seal, prefix, id)
  return live === undefined || isExpired(live.access, node.clock.now()) ? undefined : live
}

/** What a permission is about, and what it says of it. */
function entryOf(permission: Permission): string {
  if ('streamId' in permission) return JSON.stringify(['stream', permission.streamId, permission.level])
  if ('tag' in permission) return JSON.stringify(['tag', permission.tag, permission.level])
  return JSON.stringify(['feature', permission.feature, permission.setting, permission.streams])
}

function arePermissionsSame(held: readonly Permission[], asked: readonly Permission[]): boolean {
  return isDeepStrictEqual(held.map(entryOf).sort(), asked.map(entryOf).sort())
}

/** The permissions with the names that their streams have, or can have, and the conflict of names if there is one. */
function checkedPermissions(call: Call, asked: readonly AskedPermission[]): Result {
  const { tree } = call.account
  const given = new Set<string>()
  const isTaken = (name: string): boolean => given.has(name) || tree.siblingNamed(null, name) !== undefined
  let conflict: string | undefined
  const checked = asked.map((permission) => {
    if (!('streamId' in permission)) return permission
    const { streamId, level, defaultName = '' } = permission
    if (streamId === null || streamId === '*') return { streamId: '*', level }
    const name = tree.get(streamId)?.name ?? call.node.systemStreams.view(streamId)?.name
    if (name !== undefined) return { streamId, level, name }
    let free = defaultName
    for (let n = 1; isTaken(free); n++) free = `${defaultName} (${n})`
    if (free !== defaultName) conflict ??= defaultName
    given.add(free)
    return { streamId, level, defaultName: free }
  })
  if (conflict === undefined) return { checkedPermissions: checked }
  const message = 'A stream of another id already has this name.'
  return {
    checkedPermissions: checked,
    error: new Failure('item-already-exists', message, { name: conflict }).toJSON(),
  }
}
