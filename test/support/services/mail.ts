/** Mailer that stores mails, and fails on request. */
import { Failure } from '../../../src/store/model/failure.js'
import type { Mail, Mailer, MailKind } from '../../../src/server/mail/mailer.js'

export interface TestMailer extends Mailer {
  readonly sent: Mail[]
  /** Flag that makes every mail fail. */
  isBroken: boolean
  /** Disabled kinds. */
  off: Set<MailKind>
  /** Returns the mails to an address, the earliest first. */
  to(address: string): Mail[]
  /** Returns a substitution of the latest mail to an address. */
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
