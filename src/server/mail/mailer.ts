/** The mail interface of API methods: they name the kind of mail, never a template or a server. */

/** Kinds of mail; the operator can switch off each of them. */
export type MailKind = 'welcome' | 'resetPassword' | 'verifyEmail' | 'emailChallenge' | 'mfaChange'

export interface Mail {
  kind: MailKind
  to: string
  /** Language of the reader, if known. */
  language?: string
  /** Values for the template, by name: `USERNAME`, `RESET_LINK`. */
  substitutions: Readonly<Record<string, string>>
}

export interface Mailer {
  /** True when mail is set up and this kind is not switched off. */
  isOn(kind: MailKind): boolean
  /**
   * Sends a mail; resolves once the mail server accepted it, and at once when the kind is off.
   * @throws Failure `unexpected-error`, without details of the mail server
   */
  send(mail: Mail): Promise<void>
}

/** The mailer of a node without mail configured. */
export const noMail: Mailer = { isOn: () => false, send: () => Promise.resolve() }

/** Needed by functions that send mail. */
export interface MailDeps {
  readonly mail: Mailer
}
