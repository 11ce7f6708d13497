/** Response of a completed login, by password alone or with a second factor. */
import type { Account } from '../../../store/engine/account.js'
import type { User } from '../../../store/accounts/users.js'
import { apiEndpoint } from '../../config/apiEndpoint.js'
import type { CallRecorder } from '../../audit/auditEntry.js'
import { passwordAges } from '../../auth/password.js'
import { languageOf } from '../../base/language.js'
import type { Context } from '../../call/context.js'
import { sessionFor } from './session.js'

interface PasswordTimes {
  /** In seconds; set when passwords have a maximum age. */
  passwordExpires?: number
  /** In seconds, possibly past; set when passwords have a minimum age. */
  passwordCanBeChanged?: number
}

interface LoginAnswer extends PasswordTimes, Record<string, unknown> {
  token: string
  apiEndpoint: string
  preferredLanguage: string
}

/**
 * Opens or reuses the session of an app, and returns the response (docs/interface/auth.md#login). `user` is the state in which
 * the password was verified; `trail` is stored with the session.
 * @throws Failure `invalid-credentials` when the password was changed since
 */
export async function loginAnswer(
  node: Context,
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

/** Returns expiry and earliest change of the password, when such rules are set. */
export function passwordTimes({ config }: Pick<Context, 'config'>, user: User): PasswordTimes {
  const { expires, canBeChanged } = passwordAges(config, user)
  return {
    ...(expires === undefined ? {} : { passwordExpires: expires }),
    ...(canBeChanged === undefined ? {} : { passwordCanBeChanged: canBeChanged }),
  }
}
