/** Loads and changes the account of an operator's call. */
import * as z from 'zod'
import { Failure } from '../../../store/model/failure.js'
import { putUser, readUser, type User } from '../../../store/accounts/users.js'
import type { LoadedAccount } from '../../call/accountCache.js'
import type { Node } from '../../index.js'

/** Parameters of a method for one account. */
export const OfAccount = { username: z.string().describe('User name of the account.') }

/** Returns the account named by the parameter `username`. Throws Failure `unknown-user`. */
export async function loadedOf(node: Pick<Node, 'accounts'>, { username }: { username: string }): Promise<LoadedAccount> {
  const loaded = await node.accounts.find(username)
  if (loaded === undefined) throw new Failure('unknown-user', `Unknown user "${username}".`)
  return loaded
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
