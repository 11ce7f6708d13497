/** The accounts that somebody may act for, and acting for one of them: by the methods that any app would call. */
import { Failure } from '../../../store/model/failure.js'
import type { Controlled } from '../../../store/model/delegation.js'
import { getToken } from '../../delegations/getToken.js'
import { listControlled } from '../../delegations/listControlled.js'
import { authenticate } from '../../guard/authenticate.js'
import { presentAccount } from '../accountName.js'
import type { Session, Visit } from '../page.js'
import { callAsOwner } from '../session.js'

/** An account that somebody acts for, or was invited to, or no longer can. */
export interface Managed {
  username: string
  status: Controlled['status']
}

/** Whether people can act for each other's accounts here at all. */
export const isDelegationOn = ({ node }: Pick<Visit, 'node'>): boolean => node.config.get('delegation.active')

/** What the person who is signed in has to do with other accounts; nothing where delegation is off. By name. */
export async function managedBy(visit: Visit, session: Session): Promise<Managed[]> {
  if (!isDelegationOn(visit)) return []
  const answer = await callAsOwner(visit, session, listControlled, {})
  return (answer['controlled'] as Pick<Controlled, 'controlled' | 'status'>[])
    .map(({ controlled, status }) => ({ username: controlled.username, status }))
    .sort((a, b) => (a.username < b.username ? -1 : 1))
}

/**
 * The session in which the person who is signed in acts for another account. Its token stays in this process.
 * @throws Failure as delegations.getToken does; `delegation-unknown-core` when the account is on another node
 */
export async function actingFor(visit: Visit, session: Session, username: string): Promise<Session> {
  const { token } = await callAsOwner(visit, session, getToken, { username })
  const loaded = await presentAccount(visit.node, username)
  if (loaded === undefined) throw elsewhere()
  try {
    return { loaded, account: loaded.account, user: loaded.user, caller: authenticate(visit.node, loaded, String(token)), signedInAt: session.signedInAt }
  } catch (error) {
    // The token is that of an account of the same name on another node.
    if (error instanceof Failure && error.id === 'invalid-access-token') throw elsewhere()
    throw error
  }
}

const elsewhere = (): Failure => new Failure('delegation-unknown-core', 'The account is on another node.')
