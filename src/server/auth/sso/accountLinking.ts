/**
 * Whose account a person of a third party signs in to (accounts supplement 14). Who was linked once stays so, whatever
 * becomes of addresses; a first link needs an address that the account has proved to be its own: one that was only said
 * to be would let whoever says it first have the account of whom it belongs to.
 */
import { isDeepStrictEqual } from 'node:util'
import { emailsOf } from '../../../store/accounts/emails.js'
import { entryOf, isVerified } from '../../../store/model/emails.js'
import { Failure } from '../../../store/model/failure.js'
import { identityName, type Identity, type User } from '../../../store/accounts/users.js'
import { trailOf } from '../../call.js'
import { presentUser, replaceUser } from '../../updateUser.js'
import type { Origin } from '../../method.js'
import type { LoadedAccount, Node } from '../../node.js'
import type { Person } from './provider.js'

/** Why nobody was signed in, as pages are told. */
export type Refusal = 'sso-failed' | 'email-not-verified' | 'no-account'

/** Under which calls are recorded of whom a third party vouches for (accounts supplement 0.5). */
export const BY_THIRD_PARTY = 'valid-sso'

/** The account of a person, and what links it to them from then on, once they are known to be its owner. */
export interface LinkedAccount {
  loaded: LoadedAccount
  link?(): Promise<void>
}

/** The account of a person; or why there is none. */
export async function accountOf(node: Node, origin: Origin, third: { provider: string; issuer: string }, person: Person): Promise<LinkedAccount | Refusal> {
  const { subject, email, isEmailVerified } = person
  if (email === undefined || !isEmailVerified) return 'sso-failed'
  const owner = await holderOf(node, ['email', email])
  const identity: Identity = { ...third, subject, email, since: node.clock.now() }
  const linked = await holderOf(node, identityName(identity))
  if (linked !== undefined) {
    if (owner?.account.prefix !== linked.account.prefix) {
      node.log.warn('somebody signed in through a third party, whose address there is not of this account', { user: linked.user.username, provider: third.provider })
    }
    return { loaded: linked }
  }
  if (owner === undefined) return 'no-account'
  if (!hasProved(owner, owner.user, email)) return 'email-not-verified'
  return { loaded: owner, link: () => link(node, origin, owner, identity) }
}

function hasProved({ account }: LoadedAccount, user: User, email: string): boolean {
  const entry = entryOf(emailsOf(account.db, account.prefix, user), email)
  return entry !== undefined && isVerified(entry)
}

/** Links the account to the person. @throws Failure `forbidden` when it has not proved the address any more */
async function link(node: Node, origin: Origin, owner: LoadedAccount, identity: Identity): Promise<void> {
  const { account } = owner
  const trail = trailOf({ node, account, origin }, 'auth.ssoLink', BY_THIRD_PARTY)
  const isNew = await account.exclusively(async (write) => {
    const user = presentUser(account)
    // Two windows at once: the other one was faster.
    if (user.identities?.some((other) => isDeepStrictEqual(identityName(other), identityName(identity))) === true) return false
    if (!hasProved(owner, user, identity.email)) throw new Failure('forbidden', 'The account has not proved the address.')
    const after: User = { ...user, identities: [...(user.identities ?? []), identity] }
    await replaceUser(node, write, user, after, (t) => trail?.stage(t))
    return true
  })
  if (!isNew) return
  trail?.succeeded()
  node.log.info('an account is linked to a third party', { user: owner.user.username, provider: identity.provider })
}

/** The account that has a name, if this node serves it. */
async function holderOf(node: Node, [field, value]: readonly [string, string]): Promise<LoadedAccount | undefined> {
  const holder = await node.registry.lookUp({ field, value })
  const loaded = holder === undefined ? undefined : await node.accounts.find(holder.username)
  return loaded?.user.relocated === undefined ? loaded : undefined
}
