/**
 * For which account a request is answered: what the app asks for, and what the person has chosen (specification, "Access
 * request", `actAs`; accounts supplement 13.1, step 8). The choice stays in the browser, sealed, for one request and one
 * person; it is a name, and opens nothing by itself.
 */
import type { AccessRequest } from '../../../store/model/accessRequest.js'
import { namesOf } from '../../../store/accounts/users.js'
import { presentName } from '../../delegations/identity.js'
import type { Session, Visit } from '../page.js'
import { isDelegationOn, managedBy, type Managed } from './managed.js'

interface Stored {
  /** Of the request. */
  key: string
  /** Prefix of the account of the person who chose. */
  by: string
  username: string
}

/** Remembers for whom a request is to be answered. */
export function rememberChoice({ cookies }: Visit, { account }: Session, key: string, username: string): void {
  cookies.set('for', JSON.stringify({ key, by: account.prefix, username } satisfies Stored))
}

/** The account that was chosen for a request; undefined when none was yet. */
export function choiceFor({ cookies }: Visit, { account }: Session, key: string): string | undefined {
  const stored = cookies.get('for')
  if (stored === undefined) return undefined
  const { key: ofKey, by, username } = JSON.parse(stored) as Stored
  return ofKey === key && by === account.prefix ? username : undefined
}

/** The other account that an app names in its request; undefined when it leaves that to the person. */
export function namedOther({ actAs }: AccessRequest, { user }: Session): string | undefined {
  return actAs === undefined || actAs === 'allow' || actAs === 'deny' || namesOf(user).usernames.includes(actAs) ? undefined : actAs
}

/** Whether somebody can be asked for whom a request is: unless its app wants nobody but whoever signs in. */
export const mayChoose = ({ actAs }: AccessRequest): boolean => actAs !== 'deny'

/** What there is to choose from. */
export interface Choices {
  /** Whether the person may take the own account. */
  isOwnOffered: boolean
  /** Accounts that can be acted for. */
  active: string[]
  /** Those that cannot, or not yet. */
  others: Managed[]
  /** Whether an account can be made on the way. */
  canCreate: boolean
  /** The account that the app names, while the person does not act for it. */
  missing?: string
}

/** Whether nothing can be chosen: the request can be refused, as one whose account is not to be had. */
export const isNothingLeft = ({ isOwnOffered, active }: Choices): boolean => !isOwnOffered && active.length === 0

/** What the person who is signed in can choose from for a request. */
export async function choicesFor(visit: Visit, session: Session, request: AccessRequest): Promise<Choices> {
  const managed = await managedBy(visit, session)
  const input = namedOther(request, session)
  const named = input === undefined ? undefined : await presentName(visit.node, input)
  const all = managed.filter(({ status }) => status === 'active').map(({ username }) => username)
  const others = managed.filter(({ status }) => status !== 'active')
  if (named !== undefined && !all.includes(named)) {
    const about = others.filter(({ username }) => username === named)
    return { isOwnOffered: false, active: [], others: about, canCreate: false, missing: named }
  }
  return { isOwnOffered: request.actAsManagedOnly !== true, active: all, others, canCreate: isDelegationOn(visit) }
}

/** Whether the person has to be asked for whom a request is. */
export function isChoiceNeeded(request: AccessRequest, choices: Choices): boolean {
  return mayChoose(request) && (!choices.isOwnOffered || choices.active.length > 0)
}
