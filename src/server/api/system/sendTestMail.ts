import * as z from 'zod'
import { Failure } from '../../../store/model/failure.js'
import { NoTemplate, NotSent, type MailingDeps } from '../../mail/mailing.js'
import { readTestMail, TestMailBody } from '../../mail/testMail.js'
import { documented } from '../../base/documented.js'
import { adminKey } from '../../call/callers.js'
import { platformMethod, type PlatformCall } from '../../call/method.js'

/** Sends a test mail for the operator (docs/interface/system.md#mail). */
export const sendTestMail = platformMethod({
  id: 'system.sendTestMail',
  summary: 'Sends a test mail with sample values.',
  http: { verb: 'POST', path: '/system/admin/mail/send-test' },
  caller: adminKey,
  input: documented(TestMailBody),
  output: () => z.object({ sent: z.boolean().describe('true once the mail server has accepted the mail.') }),
  notInBatch: true,
  fails: ['invalid-request-structure', 'unknown-resource', 'unexpected-error'],
  async run({ node }: PlatformCall<MailingDeps>, body) {
    const { type, lang, to } = readTestMail(body)
    try {
      await node.mailing.sendTest(type, lang, to)
    } catch (error) {
      if (error instanceof NoTemplate) throw new Failure('unknown-resource', error.message)
      if (!(error instanceof NotSent)) throw error
      node.log.error('failed to send a test mail', { ...error.diagnosis })
      throw new Failure('unexpected-error', 'The mail could not be sent; see the log of the node.')
    }
    return { sent: true }
  },
})
