import * as z from 'zod'
import { readEnrolment } from '../../../store/accounts/credentials.js'
import { assertNotWaiting } from '../../auth/attempts.js'
import { mfaToken } from '../../call/callers.js'
import { openMethod, type OpenCall } from '../../call/method.js'
import { codeBackoff } from './offer.js'
import { sessionOf } from './pending.js'
import { sendAgain } from './sms.js'
import type { MfaDeps } from './sessions.js'

/**
 * The method mfa.challenge (docs/interface/mfa.md#login). Does not extend the session.
 */
export const challenge = openMethod({
  id: 'mfa.challenge',
  summary: 'Sends the code by text message again; does nothing for authenticator apps.',
  http: { verb: 'POST', path: '/mfa/challenge' },
  caller: mfaToken,
  input: z.unknown(),
  output: () => z.object({
    message: z.string().describe('Explanation.'),
    method: z.literal('totp').optional().describe('totp if nothing is sent.'),
  }),
  notInBatch: true,
  auditedAs: 'mfa-token',
  fails: ['forbidden', 'invalid-operation', 'too-many-attempts', 'unavailable-method'],
  async run(call: OpenCall<MfaDeps>) {
    const { node, account } = call
    const session = sessionOf(call)
    assertNotWaiting(node, account, 'mfa', codeBackoff(node.config))
    const { method, content } =
      session.kind === 'enroll' ? session : (readEnrolment(node.store.db, account.prefix) ?? { method: 'totp', content: {} })
    if (method === 'totp') return { message: 'Enter the code shown by the authenticator app.', method: 'totp' }
    await sendAgain(node, account, session, content)
    return { message: 'A code was sent by text message.' }
  },
})
