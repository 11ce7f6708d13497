/** Accesses that end with another access. */
import { listAccesses, listManaged, type LiveAccess } from '../../../store/accesses/accesses.js'
import type { Access } from '../../../store/model/access.js'
import { acceptEventOf, sessionConsentOf } from '../../../store/model/consentAccess.js'
import type { Call } from '../../call/method.js'

type AccountCall = Pick<Call, 'account' | 'node'>

/** Returns the base id of the OAuth consent an access belongs to: of a client's session, or of the consent itself. */
export const consentIdOf = (access: Pick<Access, 'id' | 'clientData'>): string | undefined =>
  sessionConsentOf(access) ?? (acceptEventOf(access) === undefined ? undefined : access.id)

/**
 * Lists the accesses that end with an access: those it manages, and those of the same OAuth consent (the consent itself,
 * the client's sessions and what they manage).
 */
export async function listDependents({ account, node }: AccountCall, access: Access): Promise<LiveAccess[]> {
  const { seal } = node.store
  const own = await listManaged(account, seal, access.id)
  const consentId = consentIdOf(access)
  if (consentId === undefined) return own
  const all = await listAccesses(account, seal)
  const partners = all.filter((live) => live.access.id !== access.id && consentIdOf(live.access) === consentId)
  const theirs = await Promise.all(partners.map((live) => listManaged(account, seal, live.access.id)))
  return [...own, ...partners, ...theirs.flat()]
}

/** Lists the same for an access that revokes itself: a client's session does not end the person's consent. */
export const listOwnDependents = ({ account, node }: AccountCall, access: Access): Promise<LiveAccess[]> =>
  sessionConsentOf(access) === undefined ? listDependents({ account, node }, access) : listManaged(account, node.store.seal, access.id)
