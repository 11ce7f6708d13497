/** Export line of the account's owner. */
import { openTotpSecret, readEnrolment } from '../../store/accounts/credentials.js'
import { Failure } from '../../store/model/failure.js'
import type { Enrolment } from '../../store/model/mfa.js'
import { readUser } from '../../store/accounts/users.js'
import type { Export } from './exportContext.js'
import { ACCOUNT_FORMAT, type AccountLine } from './format.js'

export async function* accountLines(from: Export): AsyncGenerator<string> {
  const user = readUser(from.reader, from.account.prefix)
  if (user === undefined) throw new Failure('unknown-user')
  // Leave out what only concerns this node: mails, relocation, identities.
  const { verificationMails: _mails, relocated: _relocated, identities: _identities, hidden, ...rest } = user
  const { invitationToken: _invitation, ...fields } = hidden
  const mfa = factorOf(from)
  const line: AccountLine = { format: ACCOUNT_FORMAT, account: { ...rest, hidden: fields, ...(mfa === undefined ? {} : { mfa }) } }
  yield await Promise.resolve(JSON.stringify(line))
}

function factorOf({ reader, account: { prefix }, source: { seal } }: Export): Enrolment | undefined {
  const enrolment = readEnrolment(reader, prefix)
  if (enrolment?.totp === undefined) return enrolment
  const { totp } = enrolment
  return { ...enrolment, totp: { ...totp, secret: openTotpSecret(seal, prefix, totp.secret) } }
}
