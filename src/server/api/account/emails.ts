/** Reads the e-mail addresses of an account (docs/interface/account.md#e-mail-addresses). */
import type { Account } from '../../../store/engine/account.js'
import type { User } from '../../../store/accounts/users.js'
import { emailsOf } from '../../../store/accounts/emails.js'
import { primaryOf } from '../../../store/model/emails.js'
import type { Context } from '../../call/context.js'

/** Returns the address for mail to an account; undefined when it has none. */
export function primaryEmail(node: Context, account: Account, user: User): string | undefined {
  return primaryOf(emailsOf(node.store.db, account.prefix, user))?.value
}
