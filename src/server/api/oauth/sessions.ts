/**
 * Session accesses of OAuth clients (docs/interface/oauth.md#consent, docs/interface/oauth.md#tokens): app accesses named after
 * the client, one per exchange, with an expiry.
 */
import { findAccess, listAccesses, listManaged, putNextVersion, type LiveAccess } from '../../../store/accesses/accesses.js'
import type { Transaction } from '../../../store/engine/account.js'
import type { Access, Permission } from '../../../store/model/access.js'
import { CMC, sessionMark } from '../../../store/model/consentAccess.js'
import type { ClientData } from '../../../store/model/event.js'
import { withAccessIntegrity } from '../shared/integrity.js'
import { createAccess } from '../accesses/createAccess.js'
import type { AskedPermission } from '../accesses/schema.js'
import { revokeWithManaged } from '../accesses/revoke.js'
import type { Call } from '../../call/method.js'
import type { Context } from '../../call/context.js'
import { accountOf, type Grant } from './grant.js'
import type { ConsentDeps } from '../consents/service.js'

/** Returns the name of a client's accesses, including those to its own account. */
const sessionName = (clientId: string): string => `oauth:${clientId}`

const isSelfRevoke = (permission: Permission): boolean => 'feature' in permission && permission.feature === 'selfRevoke'

/** Returns the permissions of a session: the chosen ones, plus the right to revoke itself in any case. */
export const sessionPermissions = (granted: readonly Permission[]): Permission[] => [
  ...granted.filter((permission) => !isSelfRevoke(permission)),
  { feature: 'selfRevoke', setting: 'allowed' },
]

/** Checks whether permissions grant anything besides self-revocation. */
export const grantsAnything = (permissions: readonly Permission[]): boolean => permissions.some((one) => !isSelfRevoke(one))

/**
 * Stages a session of a client, authored by the caller. `jkt` binds it to a key; `consent` is the base id of the consent's
 * access, which it ends with.
 * @throws errors of `createAccess`
 */
export function createSession(
  call: Call<ConsentDeps>,
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
    // Stored permissions have the form of requested ones.
    permissions: permissions as AskedPermission[],
    expireAfter: node.config.get('oauth.accessTokenTTL'),
    ...(Object.keys(clientData).length === 0 ? {} : { clientData }),
  })
}

/** Binds a session to the key with this thumbprint. */
export function bindSession(node: Context, t: Transaction, live: LiveAccess, jkt: string): LiveAccess {
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

/** Ends an unused session; true once it is deleted, now or before. Failures are logged, and the sweep retries. */
export async function endSession(node: Context, grant: Grant, accessId: string): Promise<boolean> {
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
    node.log.error('failed to delete an access of an OAuth client', { access: accessId, error: String(error) })
    return false
  }
}

/** Ends all sessions of a client in an account, with what they shared. */
export async function endSessions(node: Context, grant: Grant): Promise<void> {
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
