/**
 * Settings of account changes by owners: usernames and e-mail addresses (docs/interface/account.md#user-names,
 * docs/interface/account.md#e-mail-addresses).
 */
import * as z from 'zod'
import { setting, whole, type Kind } from '../setting.js'

/** A web page that mails link to; parameters are appended to its address. */
const page: Kind<string> = {
  reads: 'text',
  form: 'an http:// or https:// address',
  schema: () => z.string().refine((value) => /^https?:/.test(value) && URL.canParse(value)),
}

const day = 24 * 60 * 60 * 1000
const fiveMinutes = 5 * 60 * 1000

export const accountSettings = {
  'auth.usernameChangeLimit': setting(whole(0), {
    default: 2,
    summary: 'Number of times the owner of an account may change its username.',
  }),
  'auth.emailVerificationPageURL': setting(page, {
    default: null,
    summary: 'Page that verification mails link to; default: the page of the node.',
  }),
  'account.maxEmails': setting(whole(1, 20), { default: 5, summary: 'Maximum number of e-mail addresses per account.' }),
  'account.emailVerification.tokenMaxAgeMs': setting(whole(1, undefined, ' of milliseconds'), {
    default: day,
    summary: 'Milliseconds for which the link of a verification mail is valid.',
  }),
  'account.emailVerification.resendCooldownMs': setting(whole(0, undefined, ' of milliseconds'), {
    default: fiveMinutes,
    summary: 'Minimum milliseconds between two verification mails to the same address of an account.',
  }),
}
