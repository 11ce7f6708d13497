/** What a login answers once it is known who asks: by the password alone, or by a second factor after it. */
import type { Account } from '../../store/engine/account.js'
import type { User } from '../../store/accounts/users.js'
import { apiEndpoint } from '../apiEndpoint.js'
import type { CallRecorder } from '../audit/auditEntry.js'
import { passwordAges } from '../guard/password.js'
import { languageOf } from '../base/language.js'
import type { Node } from '../node.js'
import { sessionFor } from './session.js'

export interface PasswordTimes {
  /** In seconds; with a rule of a greatest age. */
  passwordExpires?: number
  /** In seconds, maybe past; with a rule of a least age. */
  passwordCanBeChanged?: number
}

export interface LoginAnswer extends PasswordTimes, Record<string, unknown> {
  token: string
  apiEndpoint: string
  preferredLanguage: string
}

/**
 * Opens the session of an app, or takes up the one that it has, and answers with it (accounts supplement 4.1).
 * `user` is as it was when the password was found right; `trail` is kept with the session.
 * @throws Failure `invalid-credentials` when the password was changed since
 */
export async function loginAnswer(
  node: Node,
  account: Account,
  user: User,
  appId: string,
  trail?: CallRecorder,
): Promise<LoginAnswer> {
  const token = (await sessionFor(node, account, user, appId, trail)).reveal()
  return {
    token,
    apiEndpoint: apiEndpoint(node, user.username, token),
    preferredLanguage: languageOf(account),
    ...passwordTimes(node, user),
  }
}

/** Until when the password is good, and from when it may be changed, with rules of such ages. */
export function passwordTimes({ config }: Pick<Node, 'config'>, user: User): PasswordTimes {
  const { expires, canBeChanged } = passwordAges(config, user)
  return {
    ...(expires === undefined ? {} : { passwordExpires: expires }),
    ...(canBeChanged === undefined ? {} : { passwordCanBeChanged: canBeChanged }),
  }
}
