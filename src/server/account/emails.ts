/** Reading the e-mail addresses of an account (accounts supplement 8). */
import type { Account } from '../../store/account.js'
import { emailsOf } from '../../store/emails.js'
import { primaryOf } from '../../store/model/emails.js'
import type { User } from '../../store/users.js'
import type { Node } from '../node.js'

/** The address that mail to an account goes to; undefined when it has none. */
export function primaryEmail(node: Node, account: Account, user: User): string | undefined {
  return primaryOf(emailsOf(node.store.db, account.prefix, user))?.value
}
