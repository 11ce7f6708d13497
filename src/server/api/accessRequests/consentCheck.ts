/** Checks that the permissions granted by a page match the consent form (docs/interface/access-requests.md#decision). */
import { findAccessByToken, type LiveAccess } from '../../../store/accesses/accesses.js'
import { isExpired } from '../../../store/model/access.js'
import { permissionOf, type Accepted, type AccessRequest } from '../../../store/model/accessRequest.js'
import { checkGrant, type ConsentForm, type GrantRefusal, type OfferedPermission } from '../../../store/model/consent.js'
import { Failure } from '../../../store/model/failure.js'
import type { Context } from '../../call/context.js'

/** Converts the entries of a form for comparison with a grant. */
const offeredBy = ({ permissions }: Pick<ConsentForm, 'permissions'>): OfferedPermission[] =>
  permissions.map((entry, at) => ({ permission: permissionOf(entry, at), isMandatory: entry.mandatory === true }))

/** Returns the failure for a rejected grant. */
export function refusalOfGrant({ reason, offending }: GrantRefusal): Failure {
  return new Failure('invalid-consent-grant', undefined, offending === undefined ? { reason } : { reason, offending })
}

/** Dummy account, so that lookups of unknown accounts take the same time. */
const DUMMY_ACCOUNT = '-'

/**
 * Checks that the token of an acceptance carries permissions allowed by the request's consent form. Without a form the token
 * is not checked. Only local accounts are looked up.
 * @throws Failure `invalid-consent-grant`, `consent-check-unavailable`
 */
export async function assertSameGrant(node: Context, request: AccessRequest, outcome: Accepted): Promise<void> {
  const { consent } = request
  if (consent === undefined || !('token' in outcome.grant)) return
  const refusal = await refusalOf(node, consent, outcome.username, outcome.grant.token.reveal()).catch((error: unknown) => {
    node.log.error('the consent of an access request could not be checked', { error: String(error) })
    throw new Failure('consent-check-unavailable', undefined, { reason: 'storage-error' })
  })
  if (refusal !== undefined) throw refusalOfGrant(refusal)
}

async function refusalOf(
  node: Context,
  form: ConsentForm,
  username: string,
  token: string,
): Promise<GrantRefusal | undefined> {
  const loaded = await node.accounts.find(username.toLowerCase())
  const live: LiveAccess | undefined = findAccessByToken(node.store.db, node.store.seal, loaded?.account.prefix ?? DUMMY_ACCOUNT, token)
  if (loaded === undefined || live === undefined || isExpired(live.access, node.clock.now())) return { reason: 'token-invalid' }
  if (live.access.type !== 'app') return { reason: 'not-app-access' }
  const { account } = loaded
  await account.settledStructure()
  return checkGrant(live.access.permissions ?? [], offeredBy(form), form.allowUserChoice, account.tree)
}
