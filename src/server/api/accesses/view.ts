/** Converts accesses to responses (docs/interface/accesses.md#fields). */
import type { LiveAccess } from '../../../store/accesses/accesses.js'
import { accessIdOf, type Access } from '../../../store/model/access.js'
import { isGenuine, isNodeLocalAccess } from '../../../store/model/delegation.js'
import { apiEndpoint } from '../../config/apiEndpoint.js'
import type { Call } from '../../call/method.js'

/** Returns the members of an access visible to clients, with its public id. */
export function visibleMembers(access: Access): Record<string, unknown> & Pick<Access, 'id' | 'type'> {
  const { serial: _serial, manager: _manager, causal: _causal, ...members } = access
  return { ...members, id: accessIdOf(access) }
}

/**
 * Checks whether a token must be hidden from the caller: a delegate could impersonate the owner with session tokens, and
 * other delegates with theirs.
 */
const isTokenHidden = ({ caller }: Pick<Call, 'caller'>, access: Access): boolean =>
  caller.scope.personal && !isGenuine(caller.access) && isNodeLocalAccess(access) && access.id !== caller.access.id

/** Converts an access with its token, API endpoint and time of last use. */
export function viewOf(call: Pick<Call, 'node' | 'account' | 'user' | 'caller'>, { access, token }: LiveAccess): Record<string, unknown> {
  const { node, account, user } = call
  const { lastUsed } = node.usage.read(account, access.id)
  const shownToken = isTokenHidden(call, access) ? undefined : token.reveal()
  return {
    ...visibleMembers(access),
    ...(shownToken === undefined ? {} : { token: shownToken }),
    apiEndpoint: apiEndpoint(node, access.alias ?? user.username, shownToken),
    // Only app accesses have devices.
    ...(access.type === 'shared' ? { deviceName: null } : {}),
    ...(lastUsed === undefined ? {} : { lastUsed }),
  }
}
