/** The e-mail addresses of an account, where they are kept: with the user, the primary also as an account field. */
import { findEvent } from '../events/events.js'
import { initialEntry, primaryOf, type EmailEntry } from '../model/emails.js'
import type { User } from './users.js'

/** The stream of the singular address. */
export const EMAIL_STREAM = ':system:email'

/** The addresses of an account. One that never had another shows the address that it was founded with. */
export function emailsOf(
  reader: { get(key: string): string | undefined },
  account: string,
  user: User,
): readonly EmailEntry[] {
  if (user.emails !== undefined) return user.emails
  const founding = user.unique['email'] ?? findEvent(reader, account, EMAIL_STREAM)?.content ?? user.hidden['email']
  return founding === undefined ? [] : [initialEntry(String(founding))]
}

/** A user with these addresses; the primary is the value of the account field. */
export function withEmails(user: User, emails: EmailEntry[]): User {
  const primary = primaryOf(emails)
  return { ...user, emails, unique: primary === undefined ? user.unique : { ...user.unique, email: primary.value } }
}
