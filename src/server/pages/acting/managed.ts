/** Accounts that a user manages by delegation, and sessions in them; uses the same API methods as apps. */
import { Failure } from '../../../store/model/failure.js'
import type { Controlled } from '../../../store/model/delegation.js'
import { getToken } from '../../api/delegations/getToken.js'
import { listControlled } from '../../api/delegations/listControlled.js'
import { authenticate } from '../../auth/authenticate.js'
import { presentAccount } from '../accountName.js'
import type { Visit } from '../page.js'
import type { Session } from '../flow.js'
import { callAsOwner } from '../session.js'

/** An account that the user manages, is invited to manage, or no longer manages. */
export interface Managed {
  username: string
  status: Controlled['status']
}

/** Checks whether delegation is enabled on this node. */
export const isDelegationOn = ({ node }: Pick<Visit, 'node'>): boolean => node.config.get('delegation.active')

/** Lists the managed accounts of the signed-in user by name; empty where delegation is off. */
export async function managedBy(visit: Visit, session: Session): Promise<Managed[]> {
  if (!isDelegationOn(visit)) return []
  const answer = await callAsOwner(visit, session, listControlled, {})
  return (answer['controlled'] as Pick<Controlled, 'controlled' | 'status'>[])
    .map(({ controlled, status }) => ({ username: controlled.username, status }))
    .sort((a, b) => (a.username < b.username ? -1 : 1))
}

/**
 * Opens a session in which the signed-in user acts for another account. Its token stays in this process.
 * @throws Failure as delegations.getToken does; `delegation-unknown-core` when the account is on another node
 */
export async function actingFor(visit: Visit, session: Session, username: string): Promise<Session> {
  const { token } = await callAsOwner(visit, session, getToken, { username })
  const loaded = await presentAccount(visit.node, username)
  if (loaded === undefined) throw elsewhere()
  try {
    return { loaded, account: loaded.account, user: loaded.user, caller: authenticate(visit.node, loaded, String(token)), signedInAt: session.signedInAt }
  } catch (error) {
    // The token belongs to an account of the same name on another node.
    if (error instanceof Failure && error.id === 'invalid-access-token') throw elsewhere()
    throw error
  }
}

const elsewhere = (): Failure => new Failure('delegation-unknown-core', 'The account is on another node.')
