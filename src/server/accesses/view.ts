/** Accesses as clients get them (data supplement 6.1). */
import type { LiveAccess } from '../../store/accesses.js'
import { accessIdOf, type Access } from '../../store/model/access.js'
import { apiEndpoint } from '../apiEndpoint.js'
import type { Call } from '../method.js'

/** The members of an access that clients see, with the id that they know it by. */
export function shownMembers(access: Access): Record<string, unknown> & Pick<Access, 'id' | 'type'> {
  const { serial: _serial, manager: _manager, ...shown } = access
  return { ...shown, id: accessIdOf(access) }
}

/** An access with its token and address, and when it was last used. */
export function viewOf(call: Pick<Call, 'node' | 'account' | 'user'>, { access, token }: LiveAccess): Record<string, unknown> {
  const { node, account, user } = call
  const { lastUsed } = node.usage.read(account, access.id)
  return {
    ...shownMembers(access),
    token: token.reveal(),
    apiEndpoint: apiEndpoint(node, access.alias ?? user.username, token.reveal()),
    // Devices are those of apps.
    ...(access.type === 'shared' ? { deviceName: null } : {}),
    ...(lastUsed === undefined ? {} : { lastUsed }),
  }
}
