import * as z from 'zod'
import { isEmail, LANGUAGE, MAX_EMAIL } from '../../../store/model/accountFieldValue.js'
import { Failure } from '../../../store/model/failure.js'
import { anybody, mailRecipient } from '../../call/callers.js'
import { platformMethod, type PlatformCall } from '../../call/method.js'
import type { Context } from '../../call/context.js'
import { checkCode, sendCode } from './emailCode.js'
import { issueProof, provesEmails } from './emailProof.js'
import { assertNamesFree } from '../shared/names.js'
import type { MailDeps } from '../../mail/mailer.js'

const Email = z.string().trim().min(1).max(MAX_EMAIL).refine(isEmail, { error: 'The text is not an e-mail address.', params: { code: 'email-invalid' } })

function assertEnabled(node: Context): void {
  if (provesEmails(node)) return
  throw new Failure('forbidden', 'Registration does not require a verified e-mail address here.', {
    emailVerificationRequired: false,
  })
}

/** The method auth.emailChallenge (docs/interface/registration.md#e-mail-codes). */
export const emailChallenge = platformMethod({
  id: 'auth.emailChallenge',
  summary: 'Mails a one-time code that verifies an e-mail address for registration.',
  http: { verb: 'POST', path: '/reg/email-challenge' },
  caller: anybody,
  input: z.strictObject({
    email: Email.describe('Address to send a code to.'),
    language: z.string().min(1).max(5).regex(LANGUAGE).optional().describe('Language of the mail, such as en.'),
  }),
  output: () => z.object({ sent: z.literal(true).describe('The code was mailed.') }),
  notInBatch: true,
  fails: ['forbidden', 'item-already-exists', 'too-many-attempts', 'unexpected-error'],
  async run({ node }: PlatformCall<MailDeps>, { email, language }) {
    assertEnabled(node)
    await assertNamesFree(node, [{ field: 'email', value: email }])
    await sendCode(node, email, language)
    return { sent: true }
  },
})

/** The method auth.emailChallengeVerify (docs/interface/registration.md#e-mail-codes). */
export const emailChallengeVerify = platformMethod({
  id: 'auth.emailChallengeVerify',
  summary: 'Exchanges a mailed code for a proof for registration.',
  http: { verb: 'POST', path: '/reg/email-challenge/verify' },
  caller: mailRecipient,
  input: z.strictObject({ email: Email.describe('E-mail address.'), code: z.string().min(1).max(32).describe('Mailed code.') }),
  output: () => z.object({ emailProof: z.string().describe('Proof for the parameter emailProof of auth.register.') }),
  notInBatch: true,
  fails: ['forbidden', 'invalid-access-token', 'too-many-attempts'],
  async run({ node }, { email, code }) {
    assertEnabled(node)
    await checkCode(node, email, code)
    return { emailProof: await issueProof(node, email) }
  },
})
