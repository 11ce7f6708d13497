/** Operator methods for mail, besides the operator routes: previews, reset of templates, a test with the SMTP conversation. */
import { Failure } from '../../../store/model/failure.js'
import type { NodeMethod } from '../control.js'
import type { SmtpLine } from '../../mail/letter.js'
import { NoTemplate, NotSent } from '../../mail/mailing.js'
import { TemplateWrong } from '../../mail/renderer.js'
import { bundledSeeds } from '../../mail/seeding.js'
import { readTestMail } from '../../mail/testMail.js'

const textIn = (params: Record<string, unknown>, name: string): string | undefined =>
  typeof params[name] === 'string' ? params[name] : undefined

/** Converts errors of missing or invalid templates into failures. */
function refuse(error: unknown): never {
  if (error instanceof NoTemplate) throw new Failure('unknown-resource', error.message)
  if (error instanceof TemplateWrong) throw new Failure('invalid-operation', `The template cannot be used: ${error.message}.`)
  throw error
}

export const mailMethods: Readonly<Record<string, NodeMethod>> = {
  /** `{ type, lang?, values? }` → `{ lang, subject, html, text }`. */
  async 'mail.preview'({ mailing }, params) {
    const given = typeof params['values'] === 'object' && params['values'] !== null ? params['values'] : {}
    const values = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, String(value)]))
    const page = await mailing.preview(textIn(params, 'type') ?? '', textIn(params, 'lang'), values).catch(refuse)
    return { ...page }
  },

  /** `{ type, lang?, part? }` → `{ templates }`: the ids of the templates that were reset to the built-in ones. */
  async 'mail.reset'({ config, mailing }, params) {
    const [type, lang, part] = ['type', 'lang', 'part'].map((name) => textIn(params, name))
    const seeds = bundledSeeds(config).filter(
      ({ id }) => id.type === type && (lang === undefined || id.lang === lang) && (part === undefined || id.part === part),
    )
    if (seeds.length === 0) {
      const which = [type, lang, part].filter((word) => word !== undefined).join('/')
      throw new Failure('unknown-resource', `There is no built-in mail template ${which}.`)
    }
    await Promise.all(seeds.map(({ id, source }) => mailing.templates.put(id, source)))
    return { templates: seeds.map(({ id, source }) => ({ ...id, length: source.length })) }
  },

  /**
   * `{ type, lang, recipient }` → `{ sent, conversation, problem? }`. A failed delivery is also a result, so that it includes the
   * conversation.
   */
  async 'mail.test'({ mailing }, params) {
    const { type, lang, to } = readTestMail(params)
    const conversation: SmtpLine[] = []
    try {
      await mailing.sendTest(type, lang, to, (stated) => void conversation.push(stated))
    } catch (error) {
      if (error instanceof NotSent) return { sent: false, conversation, problem: error.diagnosis }
      return refuse(error)
    }
    return { sent: true, conversation }
  },
}
