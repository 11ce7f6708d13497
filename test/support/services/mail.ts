/** A mailer that keeps what it is given, and fails when it is told to. */
import { Failure } from '../../../src/store/model/failure.js'
import type { Mail, Mailer, MailKind } from '../../../src/server/mail/mailer.js'

export interface TestMailer extends Mailer {
  readonly sent: Mail[]
  /** While set, every mail fails. */
  isBroken: boolean
  /** Kinds that are switched off. */
  off: Set<MailKind>
  /** The mails to an address, the earliest first. */
  to(address: string): Mail[]
  /** A substitution of the latest mail to an address. */
  latest(address: string, name: string): string
}

export function testMailer(): TestMailer {
  const mailer: TestMailer = {
    sent: [],
    isBroken: false,
    off: new Set(),
    isOn: (kind) => !mailer.off.has(kind),
    to: (address) => mailer.sent.filter((mail) => mail.to === address),
    latest: (address, name) => mailer.to(address).at(-1)?.substitutions[name] ?? '',
    send(mail) {
      if (mailer.isBroken) return Promise.reject(new Failure('unexpected-error'))
      if (mailer.isOn(mail.kind)) mailer.sent.push(mail)
      return Promise.resolve()
    },
  }
  return mailer
}
