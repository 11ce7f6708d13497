/**
 * The accesses whose tokens OAuth clients call with (consent supplement 4.6 b, 4.7): app accesses named after the client,
 * one for each exchange, that end by themselves.
 */
import { findAccess, listAccesses, listManaged, putNextVersion, type LiveAccess } from '../../store/accesses/accesses.js'
import type { Transaction } from '../../store/engine/account.js'
import type { Access, Permission } from '../../store/model/access.js'
import { CMC, sessionMark } from '../../store/model/consentAccess.js'
import type { ClientData } from '../../store/model/event.js'
import { withAccessIntegrity } from '../accessIntegrity.js'
import { createAccess } from '../accesses/createAccess.js'
import type { AskedPermission } from '../accesses/schema.js'
import { revokeWithManaged } from '../accesses/revoke.js'
import type { Call } from '../method.js'
import type { Node } from '../node.js'
import { accountOf, type Grant } from './grant.js'

/** What the accesses of a client are called, those of its own account too. */
export const sessionName = (clientId: string): string => `oauth:${clientId}`

const isSelfRevoke = (permission: Permission): boolean => 'feature' in permission && permission.feature === 'selfRevoke'

/** The permissions of a session: those that were chosen, and giving itself up, whatever the offer says of that. */
export const sessionPermissions = (granted: readonly Permission[]): Permission[] => [
  ...granted.filter((permission) => !isSelfRevoke(permission)),
  { feature: 'selfRevoke', setting: 'allowed' },
]

/** Whether permissions give something, beside giving themselves up. */
export const givesSomething = (permissions: readonly Permission[]): boolean => permissions.some((one) => !isSelfRevoke(one))

/** Stages a session of a client, as the work of whoever calls; `jkt` binds it to a key, `consent` is the base id of the
 * access by whose right it is made: both end together. Throws what `createAccess` throws. */
export function makeSession(
  call: Call,
  t: Transaction,
  { clientId, permissions, jkt, consent }: { clientId: string; permissions: Permission[]; jkt?: string | undefined; consent?: string },
): LiveAccess {
  const { node } = call
  const clientData: ClientData = {
    ...(jkt === undefined ? {} : { dpop: { jkt } }),
    ...(consent === undefined ? {} : { [CMC]: sessionMark(consent) }),
  }
  return createAccess(call, t, 'app', {
    name: sessionName(clientId),
    type: 'app',
    deviceName: `oauth-session-${node.newId()}`,
    // Kept permissions are such as could be asked for.
    permissions: permissions as AskedPermission[],
    expireAfter: node.config.get('oauth.accessTokenTTL'),
    ...(Object.keys(clientData).length === 0 ? {} : { clientData }),
  })
}

/** Binds a session to the key with this thumbprint. */
export function bindSession(node: Node, t: Transaction, live: LiveAccess, jkt: string): LiveAccess {
  const { access, token } = live
  const bound: Access = {
    ...access,
    clientData: { ...access.clientData, dpop: { jkt } },
    serial: (access.serial ?? 0) + 1,
    modified: node.clock.now(),
    modifiedBy: 'system',
  }
  const whole = withAccessIntegrity(node, bound, token)
  putNextVersion(t, node.store.seal, whole, live)
  return { access: whole, token }
}

/**
 * Ends a session that nobody will come for; true once it is gone, be it already. What fails is logged, and tried again by
 * the sweep.
 */
export async function endSession(node: Node, grant: Grant, accessId: string): Promise<boolean> {
  try {
    const loaded = await accountOf(node, grant)
    if (loaded === undefined) return true
    const { account } = loaded
    await account.write((t) => {
      const live = findAccess(t, node.store.seal, t.account, accessId)
      if (live !== undefined) revokeWithManaged(node, t, live, [])
    })
    return true
  } catch (error) {
    node.log.error('an access made for an OAuth client could not be deleted', { access: accessId, error: String(error) })
    return false
  }
}

/** Ends all sessions of a client in an account, and what they have shared. */
export async function endSessions(node: Node, grant: Grant): Promise<void> {
  const loaded = await accountOf(node, grant)
  if (loaded === undefined) return
  const { account } = loaded
  const { seal } = node.store
  await account.exclusively(async (write) => {
    const all = await listAccesses(account, seal)
    const sessions = all.filter(({ access }) => access.type === 'app' && access.name === sessionName(grant.clientId))
    for (const session of sessions) {
      const managed = await listManaged(account, seal, session.access.id)
      await write((t) => {
        if (findAccess(t, seal, t.account, session.access.id) !== undefined) revokeWithManaged(node, t, session, managed)
      })
    }
  })
}
