/**
 * Audit records of OAuth (docs/interface/oauth.md#records): in the user's audit stream if the user is known, else in syslog only.
 * Failures to record never fail a grant.
 */
import type { Account } from '../../../store/engine/account.js'
import type { RecordedCall } from '../../audit/auditEntry.js'
import type { Origin } from '../../call/method.js'
import type { Context } from '../../call/context.js'

type OAuthAction =
  | 'oauth.consent.granted'
  | 'oauth.code.exchanged'
  | 'oauth.token.issued.authorization_code'
  | 'oauth.token.issued.client_credentials'
  | 'oauth.token.refreshed'
  | 'oauth.token.reuse_detected'
  | 'oauth.token.dpop_mismatch'
  | 'oauth.token.revoked'

type PlatformAction = 'oauth.consent.shown' | 'oauth.consent.refused' | 'oauth.code.reused'

/** Author of records of calls without an access. */
const NO_ACCESS = 'oauth'

const recordedCall = (action: string, origin: Origin, clientId: string, access: string): RecordedCall => ({
  access,
  action,
  source: origin.source,
  ip: origin.ip,
  query: undefined,
  callerId: `oauth:${clientId}`,
  delegate: undefined,
  token: undefined,
})

/** Records an action in an account for a client; `access` is the id of the access concerned. */
export function recordOf(node: Context, account: Account, action: OAuthAction, origin: Origin, clientId: string, access: string): void {
  try {
    node.audit.begin(account, recordedCall(action, origin, clientId, access))?.succeeded()
  } catch (error) {
    node.log.error('failed to write an OAuth audit record', { action, error: String(error) })
  }
}

/** Records an action outside of accounts. */
export function recordPlatformAction(node: Context, action: PlatformAction, origin: Origin, clientId: string): void {
  try {
    node.audit.recordPlatform(recordedCall(action, origin, clientId, NO_ACCESS))
  } catch (error) {
    node.log.error('failed to write an OAuth audit record', { action, error: String(error) })
  }
}
