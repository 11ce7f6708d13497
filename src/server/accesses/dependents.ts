/** Accesses that end with an access. */
import { listAccesses, listManaged, type LiveAccess } from '../../store/accesses/accesses.js'
import type { Access } from '../../store/model/access.js'
import { acceptEventOf, sessionConsentOf } from '../../store/model/consentAccess.js'
import type { Call } from '../method.js'

type Place = Pick<Call, 'account' | 'node'>

/** The base id of the consent that an access was given with: of the session of an OAuth client, or of the consent itself. */
export const consentIdOf = (access: Pick<Access, 'id' | 'clientData'>): string | undefined =>
  sessionConsentOf(access) ?? (acceptEventOf(access) === undefined ? undefined : access.id)

/**
 * Lists what ends with an access: what it manages, and what was given with it by one OAuth consent, the consent itself and
 * the sessions of the client, with what they manage.
 */
export async function listDependents({ account, node }: Place, access: Access): Promise<LiveAccess[]> {
  const { seal } = node.store
  const own = await listManaged(account, seal, access.id)
  const consentId = consentIdOf(access)
  if (consentId === undefined) return own
  const all = await listAccesses(account, seal)
  const partners = all.filter((live) => live.access.id !== access.id && consentIdOf(live.access) === consentId)
  const theirs = await Promise.all(partners.map((live) => listManaged(account, seal, live.access.id)))
  return [...own, ...partners, ...theirs.flat()]
}

/** The same for an access that gives itself up: the session of a client leaves the consent to the person who gave it. */
export const listOwnDependents = ({ account, node }: Place, access: Access): Promise<LiveAccess[]> =>
  sessionConsentOf(access) === undefined ? listDependents({ account, node }, access) : listManaged(account, node.store.seal, access.id)
