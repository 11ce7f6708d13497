/** Checks that the permissions granted by a page match the consent form (docs/interface/access-requests.md#decision). */
import { findAccessByToken, type LiveAccess } from '../../../store/accesses/accesses.js'
import { isExpired } from '../../../store/model/access.js'
import { permissionOf, type Accepted, type AccessRequest } from '../../../store/model/accessRequest.js'
import { checkChoice, checkGrant, checkWidening, type ConsentForm, type GrantRefusal, type OfferedPermission } from '../../../store/model/consent.js'
import { Failure } from '../../../store/model/failure.js'
import type { Context } from '../../call/context.js'
import { coreOf, type CoresDeps } from '../../platform/cores/cores.js'
import { readAccessAt, readTreeAt, type AccessUnreadable } from './remoteAccess.js'

/** Converts the entries of a form for comparison with a grant. */
const offeredBy = ({ permissions }: Pick<ConsentForm, 'permissions'>): OfferedPermission[] =>
  permissions.map((entry, at) => ({ permission: permissionOf(entry, at), isMandatory: entry.mandatory === true }))

/** Returns the failure for a rejected grant. */
export function refusalOfGrant({ reason, offending }: GrantRefusal): Failure {
  return new Failure('invalid-consent-grant', undefined, offending === undefined ? { reason } : { reason, offending })
}

/** Dummy account, so that lookups of unknown accounts take the same time. */
const DUMMY_ACCOUNT = '-'

/** Reasons of `consent-check-unavailable`. */
type Obstacle = 'core-unresolvable' | 'core-unreachable' | 'storage-error'

const unavailable = (reason: Obstacle): Failure => new Failure('consent-check-unavailable', undefined, { reason })

/**
 * Checks that the token of an acceptance carries permissions allowed by the request's consent form. Without a form the token
 * is not checked. The access is read where the platform has the account, never at the posted address.
 * @throws Failure `invalid-consent-grant`, `consent-check-unavailable`
 */
export async function assertSameGrant(node: Context & CoresDeps, request: AccessRequest, outcome: Accepted): Promise<void> {
  const { consent } = request
  if (consent === undefined || !('token' in outcome.grant)) return
  const refusal = await refusalOf(node, consent, outcome.username.toLowerCase(), outcome.grant.token.reveal()).catch((error: unknown) => {
    if (error instanceof Failure && error.id === 'consent-check-unavailable') throw error
    node.log.error('the consent of an access request could not be checked', { error: String(error) })
    throw unavailable('storage-error')
  })
  if (refusal !== undefined) throw refusalOfGrant(refusal)
}

async function refusalOf(node: Context & CoresDeps, form: ConsentForm, username: string, token: string): Promise<GrantRefusal | undefined> {
  const home = await coreOf(node.cores, username)
  if (home === undefined) throw unavailable('core-unresolvable')
  return typeof home === 'object' ? refusalAt(node, home, form, { username, token }) : refusalHere(node, form, { username, token })
}

/** A token, and the account that it is for. */
interface Granted {
  username: string
  token: string
}

async function refusalHere(node: Context, form: ConsentForm, { username, token }: Granted): Promise<GrantRefusal | undefined> {
  const loaded = await node.accounts.find(username)
  const live: LiveAccess | undefined = findAccessByToken(node.store.db, node.store.seal, loaded?.account.prefix ?? DUMMY_ACCOUNT, token)
  if (loaded === undefined || live === undefined || isExpired(live.access, node.clock.now())) return { reason: 'token-invalid' }
  if (live.access.type !== 'app') return { reason: 'not-app-access' }
  const { account } = loaded
  await account.settledStructure()
  return checkGrant(live.access.permissions ?? [], offeredBy(form), form.allowUserChoice, account.tree)
}

async function refusalAt(node: Context & CoresDeps, core: { url: string }, form: ConsentForm, granted: Granted): Promise<GrantRefusal | undefined> {
  const access = usable(await readAccessAt(node, core, granted))
  if (access === 'invalid') return { reason: 'token-invalid' }
  if (access.type !== 'app') return { reason: 'not-app-access' }
  const offered = offeredBy(form)
  const refusal = checkChoice(access.permissions, offered, form.allowUserChoice)
  if (refusal !== undefined) return refusal
  const tree = usable(await readTreeAt(node, core, granted))
  return tree === 'invalid' ? { reason: 'token-invalid' } : checkWidening(access.permissions, offered, tree)
}

/** @throws Failure `consent-check-unavailable` when the core gave no usable answer */
function usable<T>(read: T | AccessUnreadable): T | 'invalid' {
  if (read === 'unreachable') throw unavailable('core-unreachable')
  return read
}
