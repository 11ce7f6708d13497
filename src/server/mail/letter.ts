/** A mail on its way: to whom, from which template, and what it says once it is rendered. */
import { isEmail } from '../../store/model/accountFieldValue.js'

export interface Recipient {
  address: string
  name?: string
}

/** A rendered mail. */
export interface Page {
  /** The language of the template that was found. */
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
   * Renders it by the node's own templates.
   * @throws TemplateWrong
   */
  render(): Promise<Page>
}

/** One line of a conversation with a mail server, without secrets. */
export interface Spoken {
  by: 'node' | 'server'
  line: string
}

/** Hands a letter over, and resolves when it was taken. Rejects with whatever went wrong (diagnosis.ts reads it). */
export type Deliver = (letter: Letter, about: { signal: AbortSignal; hear?: (stated: Spoken) => void }) => Promise<void>

/** Longest address that SMTP carries. */
const MAX_ADDRESS_LENGTH = 254
/** Longest part before the at sign that SMTP carries. */
const MAX_LOCAL_PART_LENGTH = 64

/** Checks that mail can be sent to this text: an account may hold a longer address, or one that an earlier release took. */
export function isMailAddress(text: string): boolean {
  return text.length <= MAX_ADDRESS_LENGTH && text.indexOf('@') <= MAX_LOCAL_PART_LENGTH && isEmail(text)
}

const MAX_HEADER_LENGTH = 200

/** Text as it may stand in a header: one line, of bounded length. */
export function headerText(text: string): string {
  const line = text.replace(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]+/gu, ' ').replace(/\s+/g, ' ').trim()
  return line.length <= MAX_HEADER_LENGTH ? line : `${[...line].slice(0, MAX_HEADER_LENGTH - 1).join('')}…`
}
