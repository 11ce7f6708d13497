/**
 * Changing the user of an account: what only one account may have changes hands with it. The one way in which user names,
 * e-mail addresses and values of unique fields of an account change.
 */
import type { Account, Transaction } from '../store/engine/account.js'
import { Failure } from '../store/model/failure.js'
import { namesOf, putUser, readUser, type User } from '../store/accounts/users.js'
import { nameKey, type Name, type Transfer } from '../sync/registry/port.js'
import type { Node } from './node.js'
import { claiming } from './register/names.js'

/** How an account is written to by whoever has it exclusively (`writeExclusively`, `account.exclusively`). */
export type UserWrite = <R>(step: (t: Transaction) => R) => Promise<R>

/** The user of an account that nobody else writes to meanwhile. Throws Failure `unknown-resource` when it is erased. */
export function presentUser(account: Account): User {
  const user = readUser(account.db, account.prefix)
  if (user === undefined) throw new Failure('unknown-resource', 'This account has been deleted.')
  return user
}

/**
 * Replaces the user `before`, which was read by who has the account exclusively, by `after`, together with what `also`
 * stages; resolves with its result. When a name cannot be had, nothing is changed.
 * @throws Failure `item-already-exists`, its data each value in use by the name of its field
 */
export function replaceUser<T>(
  node: Node,
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

/** What changes hands when one state of a user follows another. */
function transferOf(before: User, after: User): Transfer {
  const had = namesBy(before)
  const has = namesBy(after)
  return {
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
