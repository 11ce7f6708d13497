import * as z from 'zod'
import { Failure } from '../../store/model/failure.js'
import { NoTemplate, NotSent } from '../mail/mailing.js'
import { readTestMail, TestMailBody } from '../mail/testMail.js'
import { documented } from '../documented.js'
import { platformMethod } from '../method.js'

/** Specification, "Operator system routes"; accounts supplement 15. */
export const sendTestMail = platformMethod({
  id: 'system.sendTestMail',
  summary: 'Sends a test mail with sample values.',
  http: { verb: 'POST', path: '/system/admin/mail/send-test' },
  input: documented(TestMailBody),
  output: z.object({ sent: z.boolean().describe('true once the mail server has taken the mail.') }),
  admin: true,
  alone: true,
  fails: ['invalid-request-structure', 'unknown-resource', 'unexpected-error'],
  async run({ node }, body) {
    const { type, lang, to } = readTestMail(body)
    try {
      await node.mailing.sendTest(type, lang, to)
    } catch (error) {
      if (error instanceof NoTemplate) throw new Failure('unknown-resource', error.message)
      if (!(error instanceof NotSent)) throw error
      node.log.error('a test mail could not be sent', { ...error.diagnosis })
      throw new Failure('unexpected-error', 'The mail could not be sent; the log of the node says why.')
    }
    return { sent: true }
  },
})
