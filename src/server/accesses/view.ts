/** Accesses as clients get them (data supplement 6.1). */
import type { LiveAccess } from '../../store/accesses/accesses.js'
import { accessIdOf, type Access } from '../../store/model/access.js'
import { isGenuine, isNodeLocalAccess } from '../../store/model/delegation.js'
import { apiEndpoint } from '../apiEndpoint.js'
import type { Call } from '../method.js'

/** The members of an access that clients see, with the id that they know it by. */
export function shownMembers(access: Access): Record<string, unknown> & Pick<Access, 'id' | 'type'> {
  const { serial: _serial, manager: _manager, causal: _causal, ...displayed } = access
  return { ...displayed, id: accessIdOf(access) }
}

/**
 * Whether a caller may not see a token: by those of the owner's logins a delegate would pass for the owner, by those of
 * other relationships for other delegates.
 */
const isTokenHidden = ({ caller }: Pick<Call, 'caller'>, access: Access): boolean =>
  caller.scope.personal && !isGenuine(caller.access) && isNodeLocalAccess(access) && access.id !== caller.access.id

/** An access with its token and address, and when it was last used. */
export function viewOf(call: Pick<Call, 'node' | 'account' | 'user' | 'caller'>, { access, token }: LiveAccess): Record<string, unknown> {
  const { node, account, user } = call
  const { lastUsed } = node.usage.read(account, access.id)
  const displayed = isTokenHidden(call, access) ? undefined : token.reveal()
  return {
    ...shownMembers(access),
    ...(displayed === undefined ? {} : { token: displayed }),
    apiEndpoint: apiEndpoint(node, access.alias ?? user.username, displayed),
    // Devices are those of apps.
    ...(access.type === 'shared' ? { deviceName: null } : {}),
    ...(lastUsed === undefined ? {} : { lastUsed }),
  }
}
