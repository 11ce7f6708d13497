/** Operator methods for mail, besides the operator routes: previews, reset of templates, a test with the SMTP conversation. */
import * as z from 'zod'
import { Failure } from '../../../store/model/failure.js'
import { documented } from '../../base/documented.js'
import type { SmtpLine } from '../../mail/letter.js'
import { NoTemplate, NotSent } from '../../mail/mailing.js'
import { TemplateWrong } from '../../mail/renderer.js'
import { bundledSeeds } from '../../mail/seeding.js'
import { readTestMail, TestMailBody } from '../../mail/testMail.js'
import { TemplateView } from '../../api/system/mailTemplates.js'
import { operatorMethod } from '../operatorMethod.js'

/** Converts errors of missing or invalid templates into failures. */
function refuse(error: unknown): never {
  if (error instanceof NoTemplate) throw new Failure('unknown-resource', error.message)
  if (error instanceof TemplateWrong) throw new Failure('invalid-operation', `The template cannot be used: ${error.message}.`)
  throw error
}

const type = z.string().describe('Kind of mail, such as welcome-email.')

const preview = operatorMethod({
  id: 'mail.preview',
  summary: 'Renders a mail template.',
  input: z.strictObject({
    type,
    lang: z.string().optional().describe('Language, such as en; default: that of the settings.'),
    values: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).default({}).describe('Values to replace sample values, by name.'),
  }),
  output: () => z.object({
    lang: z.string().describe('Language of the template that was found.'),
    subject: z.string().describe('Subject.'),
    html: z.string().describe('Body as HTML.'),
    text: z.string().describe('Body as text.'),
  }),
  fails: ['unknown-resource', 'invalid-operation'],
  async run({ node: { mailing } }, { type: kind, lang, values }) {
    const texts = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]))
    const page = await mailing.preview(kind, lang, texts).catch(refuse)
    return { ...page }
  },
})

const reset = operatorMethod({
  id: 'mail.reset',
  summary: 'Resets templates to the built-in ones.',
  input: z.strictObject({
    type,
    lang: z.string().optional().describe('Language; default: all.'),
    part: z.string().optional().describe('Part, such as subject; default: all.'),
  }),
  output: () => z.object({
    templates: z.array(TemplateView).describe('The templates that were reset.'),
  }),
  fails: ['unknown-resource'],
  async run({ node: { config, mailing } }, { type: kind, lang, part }) {
    const seeds = bundledSeeds(config).filter(
      ({ id }) => id.type === kind && (lang === undefined || id.lang === lang) && (part === undefined || id.part === part),
    )
    if (seeds.length === 0) {
      const which = [kind, lang, part].filter((word) => word !== undefined).join('/')
      throw new Failure('unknown-resource', `There is no built-in mail template ${which}.`)
    }
    await Promise.all(seeds.map(({ id, source }) => mailing.templates.put(id, source)))
    return { templates: seeds.map(({ id, source }) => ({ ...id, length: source.length })) }
  },
})

const test = operatorMethod({
  id: 'mail.test',
  summary: 'Sends a test mail, and returns the conversation with the mail server, also of a failed delivery.',
  input: documented(TestMailBody),
  output: () => z.object({
    sent: z.boolean().describe('true when the mail was sent.'),
    conversation: z.array(
      z.object({ by: z.enum(['node', 'server']).describe('Sender of the line.'), line: z.string().describe('The line, without secrets.') }),
    ).describe('Conversation with the mail server.'),
    problem: z.object({
      cause: z.string().describe('The problem in words.'),
      setting: z.string().optional().describe('Setting to change.'),
      value: z.string().optional().describe('Value to try for the setting.'),
      response: z.string().optional().describe('Last response of the mail server.'),
    }).optional().describe('Reason of a failed delivery.'),
  }),
  fails: ['invalid-request-structure', 'unknown-resource', 'invalid-operation'],
  async run({ node: { mailing } }, input) {
    const { type: kind, lang, to } = readTestMail(input)
    const conversation: SmtpLine[] = []
    try {
      await mailing.sendTest(kind, lang, to, (stated) => void conversation.push(stated))
    } catch (error) {
      if (error instanceof NotSent) return { sent: false, conversation, problem: error.diagnosis }
      return refuse(error)
    }
    return { sent: true, conversation }
  },
})

export const mailMethods = [preview, reset, test] as const
