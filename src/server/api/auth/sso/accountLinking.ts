/**
 * Finds or links the account of a person signed in at an identity provider (docs/interface/sso.md#linking). Existing links stay,
 * whatever becomes of addresses. Linking by e-mail requires a verified address; otherwise an attacker could claim someone's
 * account by registering their address at the provider.
 */
import { isDeepStrictEqual } from 'node:util'
import { identityName, type Identity, type User } from '../../../../store/accounts/users.js'
import { emailsOf } from '../../../../store/accounts/emails.js'
import { entryOf, isVerified } from '../../../../store/model/emails.js'
import { Failure } from '../../../../store/model/failure.js'
import { trailOf } from '../../../dispatch/call.js'
import { presentUser, replaceUser } from '../../shared/updateUser.js'
import type { Origin } from '../../../call/method.js'
import type { LoadedAccount } from '../../../call/accountCache.js'
import type { Context } from '../../../call/context.js'
import { coreOfHolder, WrongCore } from '../../../platform/cores/wrongCore.js'
import type { Person } from './provider.js'

/** Reasons why sign-in failed, as reported to pages. */
export type Refusal = 'sso-failed' | 'email-not-verified' | 'no-account'

/** Pseudo access of audit records for sign-ins by an identity provider (docs/interface/audit.md#calls-without-an-access). */
export const BY_THIRD_PARTY = 'valid-sso'

/** A person's account, and the function that links it once the person is verified as its owner. */
export interface LinkedAccount {
  loaded: LoadedAccount
  link?(): Promise<void>
}

/**
 * Returns the account of a person, or the reason why there is none.
 * @throws WrongCore for an account of another core
 */
export async function accountOf(node: Context, origin: Origin, third: { provider: string; issuer: string }, person: Person): Promise<LinkedAccount | Refusal> {
  const { subject, email, isEmailVerified } = person
  if (email === undefined || !isEmailVerified) return 'sso-failed'
  const identity: Identity = { ...third, subject, email, since: node.clock.now() }
  const linked = await holderOf(node, identityName(identity))
  if (linked !== undefined) {
    const known = await node.registry.lookUp({ field: 'email', value: email })
    if (known?.account !== linked.user.id) {
      node.log.warn('sign-in with an identity provider: the address there differs from the account', { user: linked.user.username, provider: third.provider })
    }
    return { loaded: linked }
  }
  const owner = await holderOf(node, ['email', email])
  if (owner === undefined) return 'no-account'
  if (!hasProved(owner, owner.user, email)) return 'email-not-verified'
  return { loaded: owner, link: () => link(node, origin, owner, identity) }
}

function hasProved({ account }: LoadedAccount, user: User, email: string): boolean {
  const entry = entryOf(emailsOf(account.db, account.prefix, user), email)
  return entry !== undefined && isVerified(entry)
}

/** Links the account to the person. @throws Failure `forbidden` when the account's address is no longer verified */
async function link(node: Context, origin: Origin, owner: LoadedAccount, identity: Identity): Promise<void> {
  const { account } = owner
  const trail = trailOf({ node, account, origin }, 'auth.ssoLink', BY_THIRD_PARTY)
  const isNew = await account.exclusively(async (write) => {
    const user = presentUser(account)
    // A concurrent sign-in has already linked them.
    if (user.identities?.some((other) => isDeepStrictEqual(identityName(other), identityName(identity))) === true) return false
    if (!hasProved(owner, user, identity.email)) throw new Failure('forbidden', 'The account has not verified the address.')
    const after: User = { ...user, identities: [...(user.identities ?? []), identity] }
    await replaceUser(node, write, user, after, (t) => trail?.stage(t))
    return true
  })
  if (!isNew) return
  trail?.succeeded()
  node.log.info('account linked to an identity provider', { user: owner.user.username, provider: identity.provider })
}

/** Returns the account with a name, if this node serves it. @throws WrongCore for an account of another core */
async function holderOf(node: Context, [field, value]: readonly [string, string]): Promise<LoadedAccount | undefined> {
  const holder = await node.registry.lookUp({ field, value })
  if (holder !== undefined && holder.core !== node.registry.core) throw new WrongCore(coreOfHolder(node, holder).url)
  const loaded = holder?.username === undefined ? undefined : await node.accounts.find(holder.username)
  return loaded?.user.relocated === undefined ? loaded : undefined
}
