import * as z from 'zod'
import { Failure } from '../../../store/model/failure.js'
import { namesOf, type User } from '../../../store/accounts/users.js'
import { isUsername } from '../register/input.js'
import { takenFailure } from '../shared/names.js'
import type { Context } from '../../call/context.js'
import { isReservedUsername } from '../register/reserved.js'

/** Schema of a new username, in any letter case. */
export const NewUsername = z.string().refine((name) => isUsername(name.toLowerCase()), {
  error: 'A username must have 5 to 60 lowercase letters, digits and hyphens, and no hyphen at its ends.',
  params: { code: 'PATTERN' },
})

/**
 * Returns the user with another name, and the old one as a former name. Availability is checked when the name is claimed.
 * @throws Failure `invalid-operation` for a reserved name, `item-already-exists` for a former name of the account
 */
export function renamed({ config, registry }: Pick<Context, 'config' | 'registry'>, user: User, username: string): User {
  if (isReservedUsername(config, username, registry.cores)) {
    throw new Failure('invalid-operation', `The username ${username} is reserved.`, { newUsername: username })
  }
  if (namesOf(user).usernames.includes(username)) throw takenFailure([{ field: 'username', value: username }])
  return { ...user, username, formerUsernames: [...(user.formerUsernames ?? []), user.username] }
}
