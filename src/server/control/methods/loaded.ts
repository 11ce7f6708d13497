/** Loads and changes the account of an operator's call. */
import * as z from 'zod'
import { Failure } from '../../../store/model/failure.js'
import { putUser, readUser, type User } from '../../../store/accounts/users.js'
import { failureForOperator } from '../../platform/cores/wrongCore.js'
import type { LoadedAccount } from '../../call/accountCache.js'
import type { Node } from '../../index.js'

/** Parameters of a method for one account. */
export const OfAccount = { username: z.string().describe('User name of the account.') }

/** A node, or a store without one, which has no registry. */
type Accounts = Pick<Node, 'accounts'> & Partial<Pick<Node, 'config' | 'registry' | 'log'>>

/** Returns the account named by the parameter `username`. Throws Failure `unknown-user`; `wrong-core` for one of another core. */
export async function loadedOf(node: Accounts, { username }: { username: string }): Promise<LoadedAccount> {
  const loaded = await node.accounts.find(username)
  if (loaded !== undefined) return loaded
  const { config, registry, log } = node
  if (config === undefined || registry === undefined || log === undefined) throw new Failure('unknown-user', `Unknown user "${username}".`)
  throw await failureForOperator({ config, registry, log }, username)
}

/** Changes the user of an account; resolves with the new one. */
export function changeUser({ account }: LoadedAccount, step: (user: User) => User): Promise<User> {
  return account.write((t) => {
    const user = readUser(t, t.account)
    if (user === undefined) throw new Failure('unknown-user')
    const next = step(user)
    putUser(t, next, 'update')
    return next
  })
}
