/**
 * Changes the user of an account together with its unique names. The only way to change usernames, e-mail addresses and values of
 * unique fields.
 */
import type { Account, Transaction } from '../../../store/engine/account.js'
import { Failure } from '../../../store/model/failure.js'
import { namesOf, putUser, readUser, type User } from '../../../store/accounts/users.js'
import { nameKey, type Name, type Transfer } from '../../platform/registry/port.js'
import type { Context } from '../../call/context.js'
import { claiming } from './names.js'

/** Write function under exclusive access to an account (`writeExclusively`, `account.exclusively`). */
type UserWrite = <R>(step: (t: Transaction) => R) => Promise<R>

/** Returns the user of an account; requires exclusive access. Throws Failure `unknown-resource` when it was deleted. */
export function presentUser(account: Account): User {
  const user = readUser(account.db, account.prefix)
  if (user === undefined) throw new Failure('unknown-resource', 'This account has been deleted.')
  return user
}

/**
 * Replaces the user `before`, read under exclusive access, by `after`, together with the changes of `also`; resolves with its
 * result. If a name is taken, nothing is changed.
 * @throws Failure `item-already-exists`, with each taken value by the name of its field as data
 */
export function replaceUser<T>(
  node: Context,
  write: UserWrite,
  before: User,
  after: User,
  also: (t: Transaction) => T,
): Promise<T> {
  if (after === before) return write(also)
  return claiming(node, transferOf(before, after), (enter) =>
    write((t) => {
      enter(t)
      putUser(t, after, 'update')
      return also(t)
    }),
  )
}

/** Returns the names to take and to release when a user changes. */
function transferOf(before: User, after: User): Transfer {
  const had = namesBy(before)
  const has = namesBy(after)
  return {
    account: after.id,
    take: [...has].filter(([key]) => !had.has(key)).map(([, name]) => name),
    leave: [...had].filter(([key]) => !has.has(key)).map(([, name]) => name),
    retire: isFormer(before.username, after) ? [before.username] : [],
    resume: isFormer(after.username, before) ? [after.username] : [],
  }
}

const isFormer = (username: string, { formerUsernames = [] }: User): boolean => formerUsernames.includes(username)

function namesBy(user: User): Map<string, Name> {
  const { usernames, unique } = namesOf(user)
  const names = [
    ...usernames.map((value) => ({ field: 'username', value })),
    ...unique.map(([field, value]) => ({ field, value })),
  ]
  return new Map(names.map((name) => [nameKey(name), name]))
}
