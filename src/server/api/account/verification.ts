/**
 * Verification mails for e-mail addresses (docs/interface/account.md#verification-of-addresses,
 * docs/interface/account.md#e-mail-addresses): rate limits, tokens, stored state.
 */
import { randomBytes } from 'node:crypto'
import type { Account } from '../../../store/engine/account.js'
import { constantTimeEqual } from '../../../store/model/constantTimeEqual.js'
import { isSameAddress, type EmailEntry } from '../../../store/model/emails.js'
import { Secret } from '../../../store/model/secret.js'
import { putUser, readUser, type User } from '../../../store/accounts/users.js'
import { pageAddress } from '../../config/apiEndpoint.js'
import { addQuery } from '../../base/addQuery.js'
import type { Context } from '../../call/context.js'
import { languageOf } from '../../base/language.js'
import { NO_DIGEST, secretDigest } from '../../base/secretDigest.js'
import type { MailDeps } from '../../mail/mailer.js'

/** A mail to send after its transaction is on disk. */
export interface DueMail {
  address: string
  token: Secret<string>
  /** Note of the mail stored with the user. */
  note: { digest: string; at: number }
  /** True when the caller is notified of a failure to send. */
  isAsked: boolean
}

/** Maximum number of mails per account within the interval of two mails to one address. */
const MAX_MAILS = 50

/** Checks whether addresses can be verified by mail. The page linked in these mails always exists. */
export const isVerificationOn = ({ mail }: Context & MailDeps): boolean => mail.isOn('verifyEmail')

/** Returns the seconds until another verification mail may be sent to an address; 0 when one may be sent now. */
export function secondsToWait(node: Context, user: User, address: string): number {
  const now = node.clock.now()
  const digest = node.store.seal.digest(address.toLowerCase())
  const recent = recentMails(node, user)
  const last = recent.find((mail) => mail.digest === digest) ?? (recent.length < MAX_MAILS ? undefined : recent[0])
  return last === undefined ? 0 : last.at + cooldown(node) - now
}

const cooldown = ({ config }: Context): number => config.get('account.emailVerification.resendCooldownMs') / 1000

/** Lists mails sent within the minimum interval, earliest first. */
function recentMails(node: Context, { verificationMails = [] }: User): { digest: string; at: number }[] {
  const since = node.clock.now() - cooldown(node)
  return verificationMails.filter(({ at }) => at > since)
}

/** Prepares a mail: gives the address a new token, replacing any earlier one, and adds a note to the user. */
export function withMail(
  node: Context,
  user: User,
  list: readonly EmailEntry[],
  address: string,
  isAsked: boolean,
): { user: User; list: EmailEntry[]; mail: DueMail } {
  const now = node.clock.now()
  const token = randomBytes(32).toString('base64url')
  const expires = now + node.config.get('account.emailVerification.tokenMaxAgeMs') / 1000
  const note = { digest: node.store.seal.digest(address.toLowerCase()), at: now }
  return {
    user: { ...user, verificationMails: [...recentMails(node, user), note] },
    list: list.map((entry) =>
      isSameAddress(entry.value, address) ? { ...entry, token: { digest: secretDigest(token), expires } } : entry,
    ),
    mail: { address, token: new Secret(token), note, isAsked },
  }
}

/**
 * Sends mails of an account. A mail that failed does not delay the next one to its address.
 * @throws the failure of an explicitly requested mail; other failures are logged
 */
export async function sendMails(node: Context & MailDeps, account: Account, mails: readonly DueMail[]): Promise<void> {
  const outcomes = await Promise.allSettled(mails.map((mail) => sendOne(node, account, mail)))
  for (const [at, outcome] of outcomes.entries()) {
    if (outcome.status === 'fulfilled') continue
    if (mails[at]?.isAsked === true) throw outcome.reason
    node.log.warn('verification mail not sent', { account: account.prefix })
  }
}

async function sendOne(node: Context & MailDeps, account: Account, { address, token, note }: DueMail): Promise<void> {
  const page = node.config.get('auth.emailVerificationPageURL') ?? pageAddress(node, '/verify-email')
  const user = readUser(node.store.db, account.prefix)
  if (user === undefined) return
  const { username } = user
  const verifyToken = token.reveal()
  const substitutions = {
    VERIFY_TOKEN: verifyToken,
    VERIFY_URL: page,
    VERIFY_LINK: addQuery(page, { verifyToken, username }),
    EMAIL: address,
    USERNAME: username,
  }
  try {
    await node.mail.send({ kind: 'verifyEmail', to: address, language: languageOf(account), substitutions })
  } catch (error) {
    await forget(account, note)
    throw error
  }
}

async function forget(account: Account, { digest, at }: DueMail['note']): Promise<void> {
  await account.write((t) => {
    const user = readUser(t, t.account)
    if (user?.verificationMails === undefined) return
    const others = user.verificationMails.filter((mail) => mail.digest !== digest || mail.at !== at)
    putUser(t, { ...user, verificationMails: others }, 'update')
  })
}

/** Finds the pending address of a mailed token. Compares every address, in constant time. */
export function addressProved(list: readonly EmailEntry[], token: string, now: number): string | undefined {
  const expected = secretDigest(token)
  let proved: string | undefined
  for (const { value, status, token: entry } of list) {
    const isIt = constantTimeEqual(expected, entry?.digest ?? NO_DIGEST)
    if (isIt && entry !== undefined && entry.expires > now && status === 'pending') proved = value
  }
  return proved
}
