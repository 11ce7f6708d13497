/** Account as shown to its owner (docs/interface/account.md#reading-and-updating). */
import * as z from 'zod'
import type { Account } from '../../../store/engine/account.js'
import { emailsOf } from '../../../store/accounts/emails.js'
import { primaryOf, publicEntry, type EmailEntry } from '../../../store/model/emails.js'
import { presentUser } from '../shared/updateUser.js'
import { languageOf } from '../../base/language.js'
import { storageUsedOf, type StorageUsed } from '../../dispatch/quota.js'

export const AccountView = z.object({
  username: z.string().describe('User name.'),
  email: z.string().nullable().describe('Primary e-mail address; null for none.'),
  language: z.string().describe('Language, such as en.'),
  storageUsed: z.object({
    dbDocuments: z.number().describe('Bytes of events, streams and other items.'),
    attachedFiles: z.number().describe('Bytes of attached files.'),
  }).describe('Storage that the account uses, in bytes.'),
  emails: z.array(
    z.object({
      value: z.string().describe('The address.'),
      primary: z.boolean().describe('true for the primary address.'),
      status: z.enum(['pending', 'verified']).describe('pending until the address is verified.'),
      verifiedAt: z.number().nullable().describe('Time of the verification, in seconds since 1970; null before.'),
      verificationMethod: z.enum(['email-link', 'email-code', 'operator', 'registration', 'legacy']).nullable().describe('How the address was verified; null before.'),
    }),
  ).describe('E-mail addresses, the primary one first.'),
})

interface ShownAccount {
  username: string
  /** Primary address; null where accounts need none. */
  email: string | null
  language: string
  storageUsed: StorageUsed
  emails: EmailEntry[]
}

/** Returns the account with its current storage usage. */
export async function accountView(account: Account): Promise<ShownAccount> {
  const { db, prefix } = account
  const user = presentUser(account)
  const emails = emailsOf(db, prefix, user)
  return {
    username: user.username,
    email: primaryOf(emails)?.value ?? null,
    language: languageOf(account),
    storageUsed: await storageUsedOf(account),
    emails: emails.map(publicEntry),
  }
}
