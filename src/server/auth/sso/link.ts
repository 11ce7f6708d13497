/**
 * Whose account a person of a third party signs in to (accounts supplement 14). Who was linked once stays so, whatever
 * becomes of addresses; a first link needs an address that the account has proved to be its own: one that was only said
 * to be would let whoever says it first have the account of whom it belongs to.
 */
import { emailsOf } from '../../../store/emails.js'
import { entryOf, isProved } from '../../../store/model/emails.js'
import { Failure } from '../../../store/model/failure.js'
import { identityField, type User } from '../../../store/users.js'
import { presentUser, replaceUser } from '../../changeUser.js'
import type { LoadedAccount, Node } from '../../node.js'
import type { Person } from './provider.js'

/** Why nobody was signed in, as pages are told. */
export type Refusal = 'sso-failed' | 'email-not-verified' | 'no-account'

/** The account of a person, linked from now on; or why there is none. */
export async function accountOf(node: Node, provider: string, person: Person): Promise<LoadedAccount | Refusal> {
  const { subject, email, isEmailVerified } = person
  if (email === undefined || !isEmailVerified) return 'sso-failed'
  const owner = await holderOf(node, 'email', email)
  const linked = await holderOf(node, identityField(provider), subject)
  if (linked !== undefined) {
    if (owner?.account.prefix !== linked.account.prefix) {
      node.log.warn('somebody signed in through a third party, whose address there is not of this account', { user: linked.user.username, provider })
    }
    return linked
  }
  if (owner === undefined) return 'no-account'
  return link(node, owner, { provider, subject, email })
}

/** Links the account to the person, if it has proved the address. */
async function link(node: Node, owner: LoadedAccount, { provider, subject, email }: { provider: string; subject: string; email: string }): Promise<LoadedAccount | Refusal> {
  const { account } = owner
  try {
    return await account.exclusively(async (write) => {
      const user = presentUser(account)
      const entry = entryOf(emailsOf(account.db, account.prefix, user), email)
      if (entry === undefined || !isProved(entry)) return 'email-not-verified'
      const identity = { provider, subject, email, since: node.clock.now() }
      const after: User = { ...user, identities: [...(user.identities ?? []), identity] }
      await replaceUser(node, write, user, after, () => undefined)
      node.log.info('an account is linked to a third party', { user: user.username, provider })
      return { ...owner, user: after }
    })
  } catch (error) {
    // Two windows at once: the other one was faster.
    if (!(error instanceof Failure && error.id === 'item-already-exists')) throw error
    return (await holderOf(node, identityField(provider), subject)) ?? 'sso-failed'
  }
}

/** The account that has a name, if this node serves it. */
async function holderOf(node: Node, field: string, value: string): Promise<LoadedAccount | undefined> {
  const holder = await node.registry.lookUp({ field, value })
  const loaded = holder === undefined ? undefined : await node.accounts.find(holder.username)
  return loaded?.user.relocated === undefined ? loaded : undefined
}
