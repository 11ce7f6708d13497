/** Request for a test mail, by HTTP and at the terminal (docs/interface/system.md#mail). */
import * as z from 'zod'
import { Failure } from '../../store/model/failure.js'
import { checkInput } from '../../store/model/validation.js'
import { headerText, isMailAddress, type Recipient } from './letter.js'

/** Input of a test mail request; `readTestMail` validates it. */
export const TestMailBody = z.object({
  type: z.string().min(1).describe('Kind of mail, such as welcome-email.'),
  lang: z.string().min(1).describe('Language, such as en.'),
  recipient: z.union([z.string(), z.object({
    name: z.string().nullish().describe('Name of the recipient.'),
    email: z.string().describe('E-mail address of the recipient.'),
  })]).describe('E-mail address, or {"name","email"}.'),
})

interface TestMail {
  type: string
  lang: string
  to: Recipient
}

/**
 * Parses a request for a test mail.
 * @throws Failure `invalid-request-structure`
 */
export function readTestMail(body: unknown): TestMail {
  const input = checkInput(TestMailBody, body)
  if (!input.success) {
    throw new Failure(
      'invalid-request-structure',
      'A test mail takes type, lang and recipient, which is an e-mail address or {"name":"…","email":"…"}.',
    )
  }
  const { type, lang, recipient } = input.data
  const { email, name } = typeof recipient === 'string' ? { email: recipient, name: undefined } : recipient
  const address = email.trim()
  if (!isMailAddress(address)) throw new Failure('invalid-request-structure', 'The recipient is not an e-mail address.')
  return { type, lang, to: { address, ...(typeof name === 'string' ? { name: headerText(name) } : {}) } }
}
