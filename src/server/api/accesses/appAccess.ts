/** Finds the current access of an app, to compare it with the requested one (docs/interface/accesses.md#app-check). */
import { isDeepStrictEqual } from 'node:util'
import { accessNamed, findAccess, type LiveAccess } from '../../../store/accesses/accesses.js'
import { isExpired, type Access, type Permission } from '../../../store/model/access.js'
import { identityOf } from '../../../store/model/consent.js'
import { unmarked } from '../../../store/model/delegation.js'
import type { ClientData } from '../../../store/model/event.js'
import type { Call } from '../../call/method.js'
import type { AskedPermission } from './schema.js'

/** Key of an app's access in an account. */
interface AppName {
  requestingAppId: string
  deviceName?: string | null | undefined
}

type AccountCall = Pick<Call, 'account' | 'node'>

/** Finds the access with an app's name and device, expired or not. */
export function accessOfName({ account, node }: AccountCall, { requestingAppId: name, deviceName }: AppName): LiveAccess | undefined {
  const { db, prefix } = account
  const id = accessNamed(db, prefix, { type: 'app', name, ...(deviceName == null ? {} : { deviceName }) })
  return id === undefined ? undefined : findAccess(db, node.store.seal, prefix, id)
}

/** Finds the unexpired access of an app on its device. */
export function appAccess(call: AccountCall, app: AppName): LiveAccess | undefined {
  const live = accessOfName(call, app)
  return live === undefined || isExpired(live.access, call.node.clock.now()) ? undefined : live
}

/** Checks whether an access has exactly these permissions and client data; null client data equal none. */
export function isEqualAccess(
  { access }: LiveAccess,
  permissions: readonly Permission[],
  clientData: ClientData | null | undefined,
): boolean {
  const identities = (access.permissions ?? []).map(identityOf).sort()
  return isDeepStrictEqual(identities, permissions.map(identityOf).sort()) && hasClientData(access, clientData ?? undefined)
}

/** Compares client data without the delegation marker, which is not the app's (docs/interface/delegations.md#delegate-tokens). */
function hasClientData({ clientData }: Access, input: ClientData | undefined): boolean {
  const [own, wanted] = [unmarked(clientData), unmarked(input)]
  if (isDeepStrictEqual(own, wanted)) return true
  // Beside a marker, absent and empty client data are stored alike.
  const isBare = (data: ClientData | undefined): boolean => Object.keys(data ?? {}).length === 0
  return own !== clientData && isBare(own) && isBare(wanted)
}

/** Returns the permissions with actual or available stream names, and the first name already taken. */
export function checkedPermissions(
  { account: { tree }, node }: AccountCall,
  input: readonly AskedPermission[],
): { checked: AskedPermission[]; conflict: string | undefined } {
  const usedNames = new Set<string>()
  const isTaken = (name: string): boolean => usedNames.has(name) || tree.siblingNamed(null, name) !== undefined
  let conflict: string | undefined
  const checked = input.map((permission): AskedPermission => {
    if (!('streamId' in permission)) return permission
    const { streamId, level, defaultName = '' } = permission
    if (streamId === null || streamId === '*') return { streamId: '*', level }
    const name = tree.get(streamId)?.name ?? node.systemStreams.view(streamId)?.name
    if (name !== undefined) return { streamId, level, name }
    let free = defaultName
    for (let n = 1; isTaken(free); n++) free = `${defaultName} (${n})`
    if (free !== defaultName) conflict ??= defaultName
    usedNames.add(free)
    return { streamId, level, defaultName: free }
  })
  return { checked, conflict }
}
