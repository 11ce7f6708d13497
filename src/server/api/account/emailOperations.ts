/** Plans changes of an account's e-mail addresses before anything is written. */
import * as z from 'zod'
import type { User } from '../../../store/accounts/users.js'
import { emailsOf, withEmails } from '../../../store/accounts/emails.js'
import { isEmail, MAX_EMAIL } from '../../../store/model/accountFieldValue.js'
import { Failure } from '../../../store/model/failure.js'
import {
  entryOf,
  primaryOf,
  withAddress,
  withoutAddress,
  withPrimary,
  withSingular,
  type EmailEntry,
} from '../../../store/model/emails.js'
import { assertFieldValue, assertProved } from '../shared/accountFields.js'
import type { Call } from '../../call/method.js'
import type { Context } from '../../call/context.js'
import { editableField } from './fields.js'
import { isVerificationOn, secondsToWait, withMail, type DueMail } from './verification.js'
import type { MailDeps } from '../../mail/mailer.js'

/** Schema of an address to add. */
export const Address = z.string().max(MAX_EMAIL).refine(isEmail, { error: 'Expected an e-mail address.', params: { code: 'email-invalid' } })
const Known = z.string().max(MAX_EMAIL)
const MAX_AT_ONCE = 20

export const EmailOperations = z.strictObject({
  add: z.array(Address).max(MAX_AT_ONCE).optional().describe('Addresses to add; each gets a mail with a link that verifies it.'),
  setPrimary: Known.optional().describe('Address to make the primary one; must be verified.'),
  remove: z.array(Known).max(MAX_AT_ONCE).optional().describe('Addresses to remove.'),
  resend: z.array(Known).max(MAX_AT_ONCE).optional().describe('Pending addresses to send the verification mail to again.'),
})

interface EmailsInput {
  /** The single-address parameter. */
  email?: string | undefined
  emails?: z.output<typeof EmailOperations> | undefined
}

/** Result of a plan: the user with the new addresses, and the mails to send. */
interface Planned {
  user: User
  mails: DueMail[]
}

/**
 * Plans a change of addresses: the singular one first, then additions, the primary, removals, mails to send again
 * (docs/interface/account.md#e-mail-addresses). Returns the same user when nothing changes.
 * @throws Failure `invalid-operation` naming the impossible step; nothing is applied then
 */
export function planEmails({ node, account }: Call<MailDeps>, before: User, { email, emails }: EmailsInput): Planned {
  const former = emailsOf(node.store.db, account.prefix, before)
  const planning = new Planning(node, before, former)
  if (email !== undefined && email !== primaryOf(former)?.value) planning.setSingular(email)
  if (emails !== undefined) {
    assertEmailList(node)
    for (const address of emails.add ?? []) planning.add(address)
    if (emails.setPrimary !== undefined) planning.setPrimary(emails.setPrimary)
    for (const address of emails.remove ?? []) planning.remove(address)
    for (const address of emails.resend ?? []) planning.resend(address)
  }
  const { list, user, mails } = planning
  return { user: list === former ? user : withEmails(user, [...list]), mails }
}

/** Refuses lists of addresses unless the e-mail field is unique per account. */
export function assertEmailList(node: Context): void {
  if (editableField(node, 'email').isUnique) return
  throw new Failure('invalid-operation', 'This node does not support lists of e-mail addresses.', { field: 'email' })
}

class Planning {
  readonly mails: DueMail[] = []
  readonly #isOn: boolean

  constructor(
    private readonly node: Context & MailDeps,
    public user: User,
    public list: readonly EmailEntry[],
  ) {
    this.#isOn = isVerificationOn(node)
  }

  get #most(): number {
    return this.node.config.get('account.maxEmails')
  }

  setSingular(address: string): void {
    const field = editableField(this.node, 'email')
    assertFieldValue(field, address)
    // Without uniqueness, the address is an ordinary field, and there is no list.
    if (!field.isUnique) return
    assertProved(this.node, this.list, address)
    this.list = withSingular(this.list, address, this.#most)
  }

  add(address: string): void {
    assertFieldValue(editableField(this.node, 'email'), address)
    this.list = withAddress(this.list, address, this.#most)
    // Adding an address again shortly after sends no second mail, and does not reveal that.
    if (this.#isOn && secondsToWait(this.node, this.user, address) <= 0) this.#mail(address, false)
  }

  setPrimary(address: string): void {
    if (entryOf(this.list, address)?.primary !== true) this.list = withPrimary(this.list, address)
  }

  remove(address: string): void {
    this.list = withoutAddress(this.list, address)
    this.mails.splice(0, this.mails.length, ...this.mails.filter((mail) => entryOf(this.list, mail.address)))
  }

  resend(email: string): void {
    const entry = entryOf(this.list, email)
    const refuse = (why: string, more: object = {}): never => {
      throw new Failure('invalid-operation', `${email} ${why}.`, { email, ...more })
    }
    if (entry === undefined) return refuse('is not an address of this account')
    if (entry.status === 'verified') return refuse('is already verified')
    if (!this.#isOn) return
    const wait = Math.ceil(secondsToWait(this.node, this.user, email))
    if (wait > 0) return refuse(`was sent a mail recently; wait ${wait} seconds`, { retryAfterSeconds: wait })
    this.#mail(entry.value, true)
  }

  #mail(address: string, isAsked: boolean): void {
    const { user, list, mail } = withMail(this.node, this.user, this.list, address, isAsked)
    this.user = user
    this.list = list
    this.mails.push(mail)
  }
}
