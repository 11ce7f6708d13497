/**
 * The mail service of the node (docs/interface/system.md#mail): templates, rendering, and delivery by the configured method. API
 * methods only see `mailer`; the rest is for the operator.
 */
import { Failure } from '../../store/model/failure.js'
import type { Records } from '../platform/registry/port.js'
import type { Config } from '../config/config.js'
import type { Log } from '../base/log.js'
import { diagnose, type Diagnosis } from './diagnosis.js'
import { limitConcurrency } from '../base/concurrency.js'
import { plainOf, textOfHtml } from './htmlText.js'
import { mailKinds, sampleFor, templateOf } from './kinds.js'
import { headerText, isMailAddress, type Deliver, type Letter, type Page, type Recipient, type SmtpLine } from './letter.js'
import type { Mailer } from './mailer.js'
import { createRenderer, TemplateWrong } from './renderer.js'
import { firstSeeds } from './seeding.js'
import { sendmailDelivery } from './sendmail.js'
import { serviceDelivery } from './service.js'
import { smtpDelivery } from './smtp.js'
import { createTemplates, isTemplateWord, type TemplateId, type Templates } from './templates.js'

/** Delivery failure, with its diagnosis. */
export class NotSent extends Error {
  constructor(readonly diagnosis: Diagnosis) {
    super(diagnosis.cause)
  }
}

/** No template of a type exists in any applicable language. */
export class NoTemplate extends Error {}

export interface Mailing {
  readonly mailer: Mailer
  readonly templates: Templates
  /** True when the settings name a delivery method. */
  readonly isSetUp: boolean
  /**
   * Checks that a source compiles and renders with sample values.
   * @throws TemplateWrong
   */
  assertRenders(id: TemplateId, source: string): Promise<void>
  /**
   * Renders a template with sample values, overridden by `values`.
   * @throws NoTemplate, TemplateWrong
   */
  preview(type: string, language: string | undefined, values?: Readonly<Record<string, string>>): Promise<Page>
  /**
   * Sends a template with sample values, even if its kind is switched off.
   * @throws NoTemplate, TemplateWrong, NotSent
   */
  sendTest(type: string, language: string, to: Recipient, onLine?: (line: SmtpLine) => void): Promise<void>
  stop(): Promise<void>
}

interface MailingParts {
  config: Config
  log: Log
  records: Records
  /** Public URL of this node, used for the sender address when the settings have none. */
  publicBase(): string
  /** Delivery timeout in milliseconds. */
  limitMs?: number
}

/** Default delivery timeout. */
const LIMIT_MS = 30_000
const MAX_CONCURRENT = 4
/** Maximum number of mails that wait for a delivery slot. */
const MAX_WAITING = 500

export function createMailing({ config, log, records, publicBase, limitMs = LIMIT_MS }: MailingParts): Mailing {
  const defaultLang = config.get('services.email.defaultLang')
  const renderer = createRenderer()
  const stopping = new AbortController()
  const limited = limitConcurrency(MAX_CONCURRENT, MAX_WAITING)
  const templates = createTemplates(records, {
    defaultLang,
    async seed(put, isEmpty) {
      if (!isEmpty) return
      const seeds = await firstSeeds(config, log)
      await Promise.all(seeds.map(({ id, source }) => put(id, source)))
    },
  })
  const deliver = deliveryOf(config, () => senderOf(config, publicBase()))
  let initialRead: Promise<unknown> | undefined
  if (deliver !== undefined) initialRead = templates.list().catch((error: unknown) => log.error('failed to read mail templates', { cause: String(error) }))

  async function render(type: string, language: string | undefined, values: Readonly<Record<string, string>>): Promise<Page> {
    const template = await templates.find(type, language)
    if (template === undefined) {
      throw new NoTemplate(`No mail template "${type}" in language ${language ?? defaultLang} or ${defaultLang}.`)
    }
    const allValues = { SERVICE_NAME: config.get('service.name'), ...values }
    const [subject = '', html = ''] = await renderer.render([template.subject, template.html], allValues)
    return { lang: template.lang, subject: headerText(plainOf(subject)), html, text: textOfHtml(html) }
  }

  /**
   * Delivers a letter within the time limit.
   * @throws NotSent
   */
  async function deliverLetter(letter: Letter, by: Deliver, onLine?: (line: SmtpLine) => void): Promise<void> {
    try {
      if (!isMailAddress(letter.to.address)) throw new TemplateWrong('the recipient is not an e-mail address')
      await limited(() => {
        const signal = AbortSignal.any([stopping.signal, AbortSignal.timeout(limitMs)])
        return rejectOnAbort(by(letter, { signal, ...(onLine === undefined ? {} : { onLine }) }), signal)
      })
    } catch (error) {
      throw error instanceof NoTemplate ? error : new NotSent(diagnose(error, config))
    }
  }

  const mailer: Mailer = {
    isOn(kind) {
      const { enabled } = mailKinds[kind]
      return deliver !== undefined && (enabled === undefined || config.get(enabled))
    },
    async send({ kind, to, language = defaultLang, substitutions }) {
      if (deliver === undefined || !mailer.isOn(kind)) return
      const template = templateOf(config, kind)
      const letter: Letter = {
        to: { address: to.trim() },
        template,
        // The language becomes part of a URL where an HTTP service sends the mail.
        language: isTemplateWord(language) ? language : defaultLang,
        substitutions,
        render: () => render(template, language, substitutions),
      }
      try {
        await deliverLetter(letter, deliver)
      } catch (error) {
        const diagnosis = error instanceof NotSent ? error.diagnosis : { cause: String(error) }
        log.error('failed to send mail', { kind, ...diagnosis })
        throw new Failure('unexpected-error', 'The mail could not be sent.')
      }
    },
  }

  return {
    mailer,
    templates,
    isSetUp: deliver !== undefined,
    async assertRenders({ type }, source) {
      await renderer.render([source], { SERVICE_NAME: config.get('service.name'), ...sampleFor(config, type) })
    },
    preview: (type, language, values) => render(type, language, { ...sampleFor(config, type), ...values }),
    async sendTest(type, language, to, onLine) {
      if (deliver === undefined) throw new NotSent({ cause: 'Mail is not configured.', setting: 'services.email.smtp.host' })
      const substitutions = { ...sampleFor(config, type), username: to.name ?? '', email: to.address }
      const letter = { to, template: type, language, substitutions, render: () => render(type, language, substitutions) }
      await deliverLetter(letter, deliver, onLine)
    },
    async stop() {
      stopping.abort()
      await initialRead
      templates.stop()
      await renderer.stop()
    },
  }
}

/** Returns the configured delivery method; undefined when mail is off. */
function deliveryOf(config: Config, from: () => Required<Recipient>): Deliver | undefined {
  const method = config.get('services.email.method')
  if (method !== 'in-process') return config.get('services.email.url') === null ? undefined : serviceDelivery(config, method)
  if (config.get('services.email.smtp.sendmail')) return sendmailDelivery(config, from)
  return (config.get('services.email.smtp.host') ?? '') === '' ? undefined : smtpDelivery(config, from)
}

function senderOf(config: Config, base: string): Required<Recipient> {
  const name = headerText(config.get('services.email.from.name') ?? config.get('service.name'))
  const user = config.get('services.email.smtp.auth.user') ?? ''
  const configuredAddress = config.get('services.email.from.address') ?? (isMailAddress(user) ? user : undefined)
  return { name, address: configuredAddress ?? `no-reply@${config.get('dns.domain') ?? new URL(base).hostname}` }
}

/** Settles like `work`, or rejects with `EABORT` when the signal aborts first; `work` is not cancelled. */
function rejectOnAbort(work: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(Object.assign(new Error('aborted'), { code: 'EABORT' }))
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}

/** Needed by functions for the operator of mail: templates and test mails. */
export interface MailingDeps {
  readonly mailing: Mailing
}
