/**
 * Storage of an account's e-mail addresses: with the user, the primary also as an account field. Apart from users.ts, which
 * commands load without the storage of events.
 */
import type { RecordReader } from '../engine/recordReader.js'
import { findEvent } from '../events/events.js'
import { initialEntry, primaryOf, type EmailEntry } from '../model/emails.js'
import type { User } from './users.js'

/** Stream of the primary address. */
export const EMAIL_STREAM = ':system:email'

/** Returns the addresses of an account; the one from registration if no other was ever added. */
export function emailsOf(
  reader: RecordReader,
  account: string,
  user: User,
): readonly EmailEntry[] {
  if (user.emails !== undefined) return user.emails
  const founding = user.unique['email'] ?? findEvent(reader, account, EMAIL_STREAM)?.content ?? user.hidden['email']
  return founding === undefined ? [] : [initialEntry(String(founding))]
}

/** Returns a user with these addresses; the primary becomes the value of the account field. */
export function withEmails(user: User, emails: EmailEntry[]): User {
  const primary = primaryOf(emails)
  return { ...user, emails, unique: primary === undefined ? user.unique : { ...user.unique, email: primary.value } }
}
