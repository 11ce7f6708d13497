/** Whether what a page granted is what its consent form lets grant (accounts supplement 12.5; consent supplement 7.1). */
import { findAccessByToken, type LiveAccess } from '../../store/accesses/accesses.js'
import { isExpired } from '../../store/model/access.js'
import { permissionOf, type Accepted, type AccessRequest } from '../../store/model/accessRequest.js'
import { checkGrant, type ConsentForm, type GrantRefusal, type Offered } from '../../store/model/consent.js'
import { Failure } from '../../store/model/failure.js'
import type { Node } from '../node.js'

/** The entries of a form, ready to be compared with a grant. */
export const offeredBy = ({ permissions }: Pick<ConsentForm, 'permissions'>): Offered[] =>
  permissions.map((entry, at) => ({ permission: permissionOf(entry, at), isMandatory: entry.mandatory === true }))

/** The failure that a grant is refused with. */
export function refusalOfGrant({ reason, offending }: GrantRefusal): Failure {
  return new Failure('invalid-consent-grant', undefined, offending === undefined ? { reason } : { reason, offending })
}

/** An account that nobody has: asking for its tokens takes as long as for those of one that is there. */
const NOBODY = '-'

/**
 * Refuses an acceptance whose token does not carry what the form of the request lets grant. Without a form a token is
 * not looked at. All accounts are here: nobody else is asked.
 * @throws Failure `invalid-consent-grant`, `consent-check-unavailable`
 */
export async function assertSameGrant(node: Node, request: AccessRequest, outcome: Accepted): Promise<void> {
  const { consent } = request
  if (consent === undefined || !('token' in outcome.grant)) return
  const refusal = await refusalOf(node, consent, outcome.username, outcome.grant.token.reveal()).catch((error: unknown) => {
    node.log.error('the consent of an access request could not be checked', { error: String(error) })
    throw new Failure('consent-check-unavailable', undefined, { reason: 'storage-error' })
  })
  if (refusal !== undefined) throw refusalOfGrant(refusal)
}

async function refusalOf(
  node: Node,
  form: ConsentForm,
  username: string,
  token: string,
): Promise<GrantRefusal | undefined> {
  const loaded = await node.accounts.find(username.toLowerCase())
  const live: LiveAccess | undefined = findAccessByToken(node.store.db, node.store.seal, loaded?.account.prefix ?? NOBODY, token)
  if (loaded === undefined || live === undefined || isExpired(live.access, node.clock.now())) return { reason: 'token-invalid' }
  if (live.access.type !== 'app') return { reason: 'not-app-access' }
  const { account } = loaded
  await account.settledStructure()
  return checkGrant(live.access.permissions ?? [], offeredBy(form), form.allowUserChoice, account.tree)
}
