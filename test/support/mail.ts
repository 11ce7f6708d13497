/** A mailer that keeps what it is given, and fails when it is told to. */
import { Failure } from '../../src/store/model/failure.js'
import type { Mail, Mailer } from '../../src/server/mail/mailer.js'

export interface TestMailer extends Mailer {
  readonly sent: Mail[]
  /** While set, every mail fails. */
  isBroken: boolean
  /** While set, no kind is on. */
  isOff: boolean
  /** The mails to an address, the earliest first. */
  to(address: string): Mail[]
  /** A substitution of the latest mail to an address. */
  latest(address: string, name: string): string
}

export function testMailer(): TestMailer {
  const mailer: TestMailer = {
    sent: [],
    isBroken: false,
    isOff: false,
    isOn: () => !mailer.isOff,
    to: (address) => mailer.sent.filter((mail) => mail.to === address),
    latest: (address, name) => mailer.to(address).at(-1)?.substitutions[name] ?? '',
    send(mail) {
      if (mailer.isBroken) return Promise.reject(new Failure('unexpected-error'))
      mailer.sent.push(mail)
      return Promise.resolve()
    },
  }
  return mailer
}
