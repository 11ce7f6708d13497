import { randomBytes } from 'node:crypto'
import * as z from 'zod'
import { findEvent } from '../../../store/events/events.js'
import { putPasswordReset, readPasswordReset } from '../../../store/accounts/credentials.js'
import { pageAddress } from '../../config/apiEndpoint.js'
import { countAgainst, countRecorded, type RateLimit } from '../../auth/rateLimit.js'
import { clientKey } from '../../base/clientAddress.js'
import { assertTrustedApp } from '../../auth/trustedApp.js'
import { languageOf } from '../../base/language.js'
import { addQuery } from '../../base/addQuery.js'
import { secretDigest } from '../../base/secretDigest.js'
import { trustedApp } from '../../call/callers.js'
import { openMethod, type OpenCall } from '../../call/method.js'
import type { Context } from '../../call/context.js'
import type { MailDeps } from '../../mail/mailer.js'

const TOKEN_BYTES = 32
/** Rate limits per account. */
export const ofAccount: readonly RateLimit[] = [
  { max: 1, seconds: 60 },
  { max: 5, seconds: 86_400 },
]
/** Rate limits per client. */
export const ofClient: readonly RateLimit[] = [{ max: 20, seconds: 3600 }]

/** Route that mails a reset token; a token is created even when no mail is sent. See docs/interface/account.md#password-reset. */
export const requestPasswordReset = openMethod({
  id: 'account.requestPasswordReset',
  summary: 'Mails a token for a password reset; from trusted origins.',
  http: { verb: 'POST', path: '/account/request-password-reset' },
  caller: trustedApp,
  input: z.looseObject({ appId: z.string().describe('Id of the app; the request must come from an origin trusted for it.') }),
  output: () => z.object({}),
  notInBatch: true,
  auditedAs: 'password-reset-request',
  fails: ['invalid-credentials', 'too-many-attempts', 'unexpected-error', 'unknown-resource'],
  async run(call: OpenCall<MailDeps>, { appId }) {
    assertTrustedApp(call, appId)
    const { node, account, origin, trail, alias } = call
    // Requests over the account's limit do not count for the client.
    if (alias === undefined) countAgainst(readPasswordReset(account.db, account.prefix).requests, node.clock.now(), ofAccount)
    // Counting an alias against the account would reveal whose alias it is.
    else await countRecorded(node, 'aliasResetRequests', alias, ofAccount)
    const client = clientKey(node, origin.ip)
    if (client !== undefined) await countRecorded(node, 'resetRequests', client, ofClient)
    const token = randomBytes(TOKEN_BYTES).toString('base64url')
    await account.write((t) => {
      const now = node.clock.now()
      const before = readPasswordReset(t, t.account).requests
      const requests = alias === undefined ? countAgainst(before, now, ofAccount) : before
      const expires = now + node.config.get('auth.passwordResetRequestMaxAge') / 1000
      putPasswordReset(t, { token: { digest: secretDigest(token), expires }, requests })
      trail?.stage(t)
    })
    await sendToken(call, token)
    return {}
  },
})

/** Mails the token to the primary address; other addresses may belong to anyone. */
async function sendToken({ node, account, user }: OpenCall<MailDeps>, token: string): Promise<void> {
  if (!node.mail.isOn('resetPassword')) return
  const to = user.unique['email'] ?? findEvent(node.store.db, account.prefix, ':system:email')?.content
  if (typeof to !== 'string') return node.log.warn('password reset mail not sent: the account has no address', { user: user.username })
  await node.mail.send({
    kind: 'resetPassword',
    to,
    language: languageOf(account),
    substitutions: { RESET_TOKEN: token, ...linksTo(node, user.username, token) },
  })
}

/** Returns the links of the mail: to the operator's page, else to the node's own, which needs the username. */
function linksTo(node: Context, username: string, resetToken: string): { RESET_URL: string; RESET_LINK: string } {
  const page = node.config.get('auth.passwordResetPageURL')
  if (page !== null) return { RESET_URL: page, RESET_LINK: addQuery(page, { resetToken }) }
  const own = pageAddress(node, '/reset-password/new')
  return { RESET_URL: own, RESET_LINK: addQuery(own, { resetToken, username }) }
}
