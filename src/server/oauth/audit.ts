/**
 * What OAuth leaves in records (consent supplement 4.11): in the user's audit stream where a user is known, else in the
 * syslog output alone. No grant fails because its record does.
 */
import type { Account } from '../../store/engine/account.js'
import type { CallMade } from '../audit/record.js'
import type { Origin } from '../method.js'
import type { Node } from '../node.js'

export type OAuthAction =
  | 'oauth.consent.granted'
  | 'oauth.code.exchanged'
  | 'oauth.token.issued.authorization_code'
  | 'oauth.token.issued.client_credentials'
  | 'oauth.token.refreshed'
  | 'oauth.token.reuse_detected'
  | 'oauth.token.dpop_mismatch'
  | 'oauth.token.revoked'

export type PlatformAction = 'oauth.consent.shown' | 'oauth.consent.refused' | 'oauth.code.reused'

/** Under which calls that belong to no access are recorded. */
const NOBODY = 'oauth'

const madeBy = (action: string, origin: Origin, clientId: string, access: string): CallMade => ({
  access,
  action,
  source: origin.source,
  ip: origin.ip,
  query: undefined,
  callerId: `oauth:${clientId}`,
  delegate: undefined,
  token: undefined,
})

/** Records what was done in an account for a client; `access` is the id of the access that it is about. */
export function recordOf(node: Node, account: Account, action: OAuthAction, origin: Origin, clientId: string, access: string): void {
  try {
    node.audit.begin(account, madeBy(action, origin, clientId, access))?.succeeded()
  } catch (error) {
    node.log.error('a record of OAuth could not be made', { action, error: String(error) })
  }
}

/** Tells of what belongs to no account. */
export function recordPlatformAction(node: Node, action: PlatformAction, origin: Origin, clientId: string): void {
  try {
    node.audit.recordPlatform(madeBy(action, origin, clientId, NOBODY))
  } catch (error) {
    node.log.error('a record of OAuth could not be made', { action, error: String(error) })
  }
}
