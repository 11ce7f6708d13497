/**
 * Completion of a consent: the consent itself, the access for the client, and the code for it (docs/interface/oauth.md#consent).
 */
import { findAccess } from '../../../store/accesses/accesses.js'
import type { Permission } from '../../../store/model/access.js'
import { checkChoice, checkWidening, type GrantRefusal } from '../../../store/model/consent.js'
import { isGenuine } from '../../../store/model/delegation.js'
import { writeWithinQuota } from '../../dispatch/accountWrite.js'
import type { Call } from '../../call/method.js'
import { backToClient } from './answers.js'
import { recordOf } from './audit.js'
import type { Authorization } from './authorization.js'
import { findClient } from './clients.js'
import { issueCode } from './codes.js'
import { durableConsent } from './durableConsent.js'
import { OAuthError } from './errors.js'
import type { Grant } from './grant.js'
import { offeredIn, plainPermission } from '../consents/delivery/offerForm.js'
import { linkOf, type OAuthOffer } from './offer.js'
import { endSession, createSession, sessionPermissions } from './sessions.js'
import { consentRevoked } from './tokenRequest.js'
import type { PeerDeps } from '../consents/delivery/peerClient.js'

const MAX_NAMED = 20

/**
 * Returns the offer of an authorization.
 * @throws OAuthError `invalid_request`
 */
export function offerOf({ offer }: Authorization): OAuthOffer {
  if (offer === undefined) throw new OAuthError('invalid_request', 'signed state carries no consent offer')
  return offer
}

/**
 * Parses the permissions chosen on the consent page and checks them against the offer.
 * @throws OAuthError `invalid_request`, `invalid_scope`
 */
export function selectedPermissions(offer: OAuthOffer, granted: unknown): Permission[] {
  if (!Array.isArray(granted)) throw new OAuthError('invalid_request', 'grantedPermissions must be a list.')
  const invalid = (): OAuthError => new OAuthError('invalid_scope', 'grantedPermissions contains an invalid entry.')
  const permissions = granted.map((entry) => plainPermission(entry, invalid))
  const refusal = checkChoice(permissions, offeredIn(offer), offer.allowUserChoice)
  if (refusal !== undefined) throw new OAuthError('invalid_scope', textOf(refusal))
  return [...new Map(permissions.map((permission) => [JSON.stringify(permission), permission])).values()]
}

/**
 * Grants a client the permissions that `selectedPermissions` checked. Returns the redirect to the client, with a code.
 * @throws OAuthError; any other error is a server error
 */
export async function completeConsent(call: Call<PeerDeps>, authorization: Authorization, permissions: Permission[]): Promise<string> {
  const { node, account, user, caller, origin } = call
  const { clientId, redirectUri, state, codeChallenge, scope } = authorization
  const offer = offerOf(authorization)
  if (!isGenuine(caller.access)) throw new OAuthError('access_denied', 'only the owner of an account consents in person')
  const client = await findClient(node, clientId)
  if (client === undefined) throw new OAuthError('invalid_request', 'the client is no longer registered')
  const capabilityUrl = linkOf(node, client, offer)
  const refusal = checkWidening(permissions, offeredIn(offer), account.tree)
  if (refusal !== undefined) throw new OAuthError('invalid_scope', `${textOf(refusal)}: without the deselected permissions, the rest would grant more`)
  const dataGrantAccessId = await durableConsent(call, { clientId, offer, capabilityUrl }, permissions)
  const live = await writeWithinQuota(call, (t) => {
    // The consent may have been revoked in the meantime.
    if (findAccess(t, node.store.seal, t.account, dataGrantAccessId) === undefined) throw consentRevoked()
    return createSession(call, t, { clientId, permissions: sessionPermissions(permissions), consent: dataGrantAccessId })
  })
  const grant: Grant = {
    clientId,
    account: account.prefix,
    userId: user.id,
    scope: scope.join(' '),
    dataGrantAccessId,
    permissions,
    grantedAt: node.clock.now(),
    coreId: node.registry.core,
  }
  const code = await issueCode(node, { ...grant, redirectUri, codeChallenge, accessId: live.access.id }).catch(async (error: unknown) => {
    await endSession(node, grant, live.access.id)
    throw error
  })
  recordOf(node, account, 'oauth.consent.granted', origin, clientId, dataGrantAccessId)
  return backToClient(node, { redirectUri, state }, { code })
}

/** Describes why a choice does not match the offer. */
function textOf({ reason, offending = [] }: GrantRefusal): string {
  const names = offending.map((one) => ('streamId' in one ? one.streamId : 'feature' in one ? one.feature : one.tag))
  const more = names.length > MAX_NAMED ? ` (+${names.length - MAX_NAMED} more)` : ''
  const list = names.slice(0, MAX_NAMED).join(', ') + more
  switch (reason) {
    case 'empty-grant':
      return 'grantedPermissions is empty'
    case 'choice-not-allowed':
      return `the offer is all-or-nothing; missing: ${list}`
    case 'mandatory-refused':
      return `mandatory permissions are missing: ${list}`
    default:
      return `not within the offer: ${list}`
  }
}
