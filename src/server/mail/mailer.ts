/** What sends mail for the node: methods name the occasion, never a template or a server. */

/** Occasions of mails, each of which the operator can switch off. */
export type MailKind = 'welcome' | 'resetPassword' | 'verifyEmail' | 'emailChallenge' | 'mfaChange'

export interface Mail {
  kind: MailKind
  to: string
  /** The reader's language, where it is known. */
  language?: string
  /** What the template fills in, by name: `USERNAME`, `RESET_LINK`. */
  substitutions: Readonly<Record<string, string>>
}

export interface Mailer {
  /** Whether mails of this kind are sent at all: mail is set up, and the kind is not switched off. */
  isOn(kind: MailKind): boolean
  /**
   * Sends a mail; resolves once the mail server has taken it, and at once when the kind is off.
   * @throws Failure `unexpected-error`, whose text tells nothing of the mail server
   */
  send(mail: Mail): Promise<void>
}

/** The mailer of a node on which mail is not set up. */
export const noMail: Mailer = { isOn: () => false, send: () => Promise.resolve() }
