/** Mail template methods of the operator (docs/interface/system.md#mail). */
import * as z from 'zod'
import { Failure } from '../../../store/model/failure.js'
import { TemplateWrong } from '../../mail/renderer.js'
import { isTemplateWord, templateParts, type TemplateId } from '../../mail/templates.js'
import { adminKey } from '../../call/callers.js'
import { platformMethod, type PlatformCall } from '../../call/method.js'
import type { MailingDeps } from '../../mail/mailing.js'

const path = '/system/admin/mail/templates'
const Words = z.object({
  type: z.string().describe('Kind of mail, such as welcome-email.'),
  lang: z.string().describe('Language, such as en.'),
  part: z.string().describe('subject or html.'),
})

export const TemplateView = z.object({
  type: z.string().describe('Kind of mail.'),
  lang: z.string().describe('Language.'),
  part: z.enum(templateParts).describe('Part of the mail.'),
  length: z.number().describe('Length of the source in characters.'),
})

/** Returns the template id in a path; undefined when it is invalid. */
function idOf({ type, lang, part }: z.output<typeof Words>): TemplateId | undefined {
  const known = templateParts.find((each) => each === part)
  return known === undefined || !isTemplateWord(type) || !isTemplateWord(lang) ? undefined : { type, lang, part: known }
}

export const mailTemplates = platformMethod({
  id: 'system.mailTemplates',
  summary: 'Lists the templates of mails.',
  http: { verb: 'GET', path },
  caller: adminKey,
  input: z.unknown(),
  output: () => z.object({
    templates: z.array(TemplateView).describe('The parts of all templates.'),
  }),
  notInBatch: true,
  fails: [],
  run: async ({ node }: PlatformCall<MailingDeps>) => ({ templates: await node.mailing.templates.list() }),
})

export const mailTemplate = platformMethod({
  id: 'system.mailTemplate',
  summary: 'Reads the source of a template.',
  http: { verb: 'GET', path: `${path}/:type/:lang/:part`, rawText: true },
  caller: adminKey,
  input: Words,
  output: () => z.object({ text: z.string().describe('Source in the language Pug.') }),
  notInBatch: true,
  fails: ['unknown-resource'],
  async run({ node }: PlatformCall<MailingDeps>, words) {
    const id = idOf(words)
    const text = id === undefined ? undefined : await node.mailing.templates.read(id)
    if (text === undefined) throw new Failure('unknown-resource', 'Unknown mail template.')
    return { text }
  },
})

export const setMailTemplate = platformMethod({
  id: 'system.setMailTemplate',
  summary: 'Writes the source of a template, in the language Pug.',
  http: { verb: 'PUT', path: `${path}/:type/:lang/:part`, status: 204 },
  caller: adminKey,
  input: Words.extend({ pug: z.unknown().optional().meta({ type: 'string' }).describe('Source in the language Pug; required.') }),
  output: () => z.object({}),
  notInBatch: true,
  fails: ['invalid-request-structure'],
  async run({ node }: PlatformCall<MailingDeps>, { pug, ...words }) {
    const id = idOf(words)
    if (id === undefined) {
      throw structure(`A template requires a type, a language and one of the parts ${templateParts.join(' and ')}.`)
    }
    if (typeof pug !== 'string') throw structure('The body must be {"pug":"…"}, the source of the template.')
    await node.mailing.assertRenders(id, pug).catch((error: unknown) => {
      throw error instanceof TemplateWrong ? structure(`This template cannot be used: ${error.message}.`) : error
    })
    await node.mailing.templates.put(id, pug)
    return {}
  },
})

const structure = (message: string): Failure => new Failure('invalid-request-structure', message)

export const removeMailTemplate = platformMethod({
  id: 'system.removeMailTemplate',
  summary: 'Removes a part of a template.',
  http: { verb: 'DELETE', path: `${path}/:type/:lang/:part`, status: 204 },
  caller: adminKey,
  input: Words,
  output: () => z.object({}),
  notInBatch: true,
  fails: [],
  async run({ node }: PlatformCall<MailingDeps>, words) {
    const id = idOf(words)
    if (id !== undefined) await node.mailing.templates.remove(id)
    return {}
  },
})

export const removeMailTemplates = platformMethod({
  id: 'system.removeMailTemplates',
  summary: 'Removes both parts of a template in a language.',
  http: { verb: 'DELETE', path: `${path}/:type/:lang`, status: 204 },
  caller: adminKey,
  input: Words.omit({ part: true }),
  output: () => z.object({}),
  notInBatch: true,
  fails: [],
  async run({ node }: PlatformCall<MailingDeps>, words) {
    const ids = templateParts.flatMap((part) => idOf({ ...words, part }) ?? [])
    await Promise.all(ids.map((id) => node.mailing.templates.remove(id)))
    return {}
  },
})
