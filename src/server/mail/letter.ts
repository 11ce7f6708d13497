/** A mail to deliver: recipient, template and rendered content. */
import { isEmail } from '../../store/model/accountFieldValue.js'

export interface Recipient {
  address: string
  name?: string
}

/** A rendered mail. */
export interface Page {
  /** Language of the template that was found. */
  lang: string
  subject: string
  html: string
  text: string
}

export interface Letter {
  to: Recipient
  /** Name of the template. */
  template: string
  language: string
  substitutions: Readonly<Record<string, string>>
  /**
   * Renders the mail with the node's own templates.
   * @throws TemplateWrong
   */
  render(): Promise<Page>
}

/** A line of a session with a mail server, without secrets. */
export interface SmtpLine {
  by: 'node' | 'server'
  line: string
}

/** Delivers a letter; resolves once it is accepted. Rejects with the error of the transport, which diagnosis.ts interprets. */
export type Deliver = (letter: Letter, options: { signal: AbortSignal; onLine?: (line: SmtpLine) => void }) => Promise<void>

/** Longest address that SMTP allows. */
const MAX_ADDRESS_LENGTH = 254
/** Longest local part (before the at sign) that SMTP allows. */
const MAX_LOCAL_PART_LENGTH = 64

/** Checks whether mail can be sent to an address. Accounts may contain addresses for which this is not possible. */
export function isMailAddress(text: string): boolean {
  return text.length <= MAX_ADDRESS_LENGTH && text.indexOf('@') <= MAX_LOCAL_PART_LENGTH && isEmail(text)
}

const MAX_HEADER_LENGTH = 200

/** Converts text for a header: one line of at most 200 characters. */
export function headerText(text: string): string {
  const line = text.replace(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]+/gu, ' ').replace(/\s+/g, ' ').trim()
  return line.length <= MAX_HEADER_LENGTH ? line : `${[...line].slice(0, MAX_HEADER_LENGTH - 1).join('')}…`
}
