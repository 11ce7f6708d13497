/** A mailer that keeps what it is given. */
import type { Mail, Mailer, MailKind } from '../../src/server/mail/mailer.js'

export interface Outbox {
  mail: Mailer
  sent: Mail[]
  /** Kinds that are switched off. */
  off: Set<MailKind>
}

export function outbox(): Outbox {
  const sent: Mail[] = []
  const off = new Set<MailKind>()
  const mail: Mailer = {
    isOn: (kind) => !off.has(kind),
    send(one) {
      if (!off.has(one.kind)) sent.push(one)
      return Promise.resolve()
    },
  }
  return { mail, sent, off }
}
