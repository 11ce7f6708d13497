/** Settings of what owners change of their accounts (accounts supplement 7.7, 8). */
import * as z from 'zod'
import { setting, whole, type Kind } from '../setting.js'

/** A web page that mails lead to; parameters are added to it. */
const page: Kind<string> = {
  reads: 'text',
  form: 'an http:// or https:// address',
  schema: z.string().refine((value) => /^https?:/.test(value) && URL.canParse(value)),
}

const day = 24 * 60 * 60 * 1000
const fiveMinutes = 5 * 60 * 1000

export const accountSettings = {
  'auth.usernameChangeLimit': setting(whole(0), {
    default: 2,
    summary: 'So many times the owner of an account may change its username.',
  }),
  'auth.emailVerificationPageURL': setting(page, {
    default: null,
    summary: 'Page that verification mails lead to; without it, the page of the node.',
  }),
  'account.maxEmails': setting(whole(1, 20), { default: 5, summary: 'Most e-mail addresses of one account.' }),
  'account.emailVerification.tokenMaxAgeMs': setting(whole(1, undefined, ' of milliseconds'), {
    default: day,
    summary: 'A mailed link verifies an address for this many milliseconds.',
  }),
  'account.emailVerification.resendCooldownMs': setting(whole(0, undefined, ' of milliseconds'), {
    default: fiveMinutes,
    summary: 'Between two verification mails to one address of an account lie at least this many milliseconds.',
  }),
}
