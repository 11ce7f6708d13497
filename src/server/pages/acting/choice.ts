/**
 * Choice of the account that a request is answered for, from the app's `actAs` and the person's selection
 * (docs/interface/access-requests.md#pages). The selection is an encrypted cookie bound to one request and one person; it is a
 * name and grants nothing by itself.
 */
import type { AccessRequest } from '../../../store/model/accessRequest.js'
import { namesOf } from '../../../store/accounts/users.js'
import { presentName } from '../../api/delegations/identity.js'
import type { Visit } from '../page.js'
import type { Session } from '../flow.js'
import { isDelegationOn, managedBy, type Managed } from './managed.js'

interface StoredChoice {
  /** Key of the request. */
  key: string
  /** Prefix of the account of the person who chose. */
  by: string
  username: string
}

/** Stores the account that a request is to be answered for. */
export function rememberChoice({ cookies }: Visit, { account }: Session, key: string, username: string): void {
  cookies.set('for', JSON.stringify({ key, by: account.prefix, username } satisfies StoredChoice))
}

/** Returns the account chosen for a request; undefined when none was chosen. */
export function choiceFor({ cookies }: Visit, { account }: Session, key: string): string | undefined {
  const stored = cookies.get('for')
  if (stored === undefined) return undefined
  const { key: ofKey, by, username } = JSON.parse(stored) as StoredChoice
  return ofKey === key && by === account.prefix ? username : undefined
}

/**
 * Returns the other account that an app names in its request; undefined when the app leaves the choice to the person.
 */
export function namedOther({ actAs }: AccessRequest, { user }: Session): string | undefined {
  return actAs === undefined || actAs === 'allow' || actAs === 'deny' || namesOf(user).usernames.includes(actAs) ? undefined : actAs
}

/** True unless the app accepts only the signed-in user's own account. */
export const mayChoose = ({ actAs }: AccessRequest): boolean => actAs !== 'deny'

/** The accounts to choose from. */
export interface Choices {
  /** True when the person may choose the own account. */
  isOwnOffered: boolean
  /** Accounts that the person can act for. */
  active: string[]
  /** Accounts that the person cannot act for, or not yet. */
  others: Managed[]
  /** True when the person may create an account here. */
  canCreate: boolean
  /** The account that the app names, when the person does not manage it. */
  missing?: string
}

/** True when nothing can be chosen; the request can then be refused as unavailable. */
export const isNothingLeft = ({ isOwnOffered, active }: Choices): boolean => !isOwnOffered && active.length === 0

/** Loads the accounts that the signed-in user can choose from for a request. */
export async function choicesFor(visit: Visit, session: Session, request: AccessRequest): Promise<Choices> {
  const managed = await managedBy(visit, session)
  const namedAccount = namedOther(request, session)
  const named = namedAccount === undefined ? undefined : await presentName(visit.node, namedAccount)
  const all = managed.filter(({ status }) => status === 'active').map(({ username }) => username)
  const others = managed.filter(({ status }) => status !== 'active')
  if (named !== undefined && !all.includes(named)) {
    const matching = others.filter(({ username }) => username === named)
    return { isOwnOffered: false, active: [], others: matching, canCreate: false, missing: named }
  }
  return { isOwnOffered: request.actAsManagedOnly !== true, active: all, others, canCreate: isDelegationOn(visit) }
}

/** True when the person must choose whose account a request is for. */
export function isChoiceNeeded(request: AccessRequest, choices: Choices): boolean {
  return mayChoose(request) && (!choices.isOwnOffered || choices.active.length > 0)
}
