import * as z from 'zod'
import { readEnrolment } from '../../../store/accounts/credentials.js'
import { parseInput } from '../../../store/model/validation.js'
import { documented } from '../../base/documented.js'
import { clearAttempts } from '../../auth/attempts.js'
import { mfaToken } from '../../call/callers.js'
import { openMethod, type OpenCall } from '../../call/method.js'
import { consumeAppCode, tryCode, WithCode } from './attempt.js'
import { loginOf } from './pending.js'
import { noMfaSession } from './refusals.js'
import type { PendingLogin, MfaDeps } from './sessions.js'
import { isSentCode } from './sms.js'

/** The method mfa.verify (docs/interface/mfa.md#login). */
export const verify = openMethod({
  id: 'mfa.verify',
  summary: 'Completes a login with a code of the second factor.',
  http: { verb: 'POST', path: '/mfa/verify' },
  caller: mfaToken,
  input: documented(WithCode),
  output: () => z.object({
    token: z.string().describe('Personal token of the new session.'),
    apiEndpoint: z.string().describe('Address of the account with the token.'),
  }),
  notInBatch: true,
  auditedAs: 'mfa-token',
  fails: ['forbidden', 'invalid-parameters-format', 'invalid-operation', 'too-many-attempts', 'unavailable-method'],
  async run(call: OpenCall<MfaDeps>, body) {
    const session = loginOf(call)
    const { code } = parseInput(WithCode, body)
    await tryCode(call, session, async () => ((await isValidCode(call, session, code)) ? true : undefined))
    if (!call.node.mfaSessions.end(session)) throw noMfaSession()
    const { token, apiEndpoint } = await session.complete(call.trail)
    return { token, apiEndpoint }
  },
})

async function isValidCode({ node, account }: OpenCall, session: PendingLogin, code: string): Promise<boolean> {
  const enrolment = readEnrolment(node.store.db, account.prefix)
  if (enrolment?.id !== session.enrolment) return false
  if (enrolment.method !== 'sms') return consumeAppCode(node, account, session.enrolment, code)
  if (!(await isSentCode(node, session, enrolment.content, code))) return false
  await clearAttempts(account, 'mfa')
  return true
}
