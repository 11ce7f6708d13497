/** Webhook look-up and permissions (docs/interface/webhooks.md#rules). */
import type { RecordReader } from '../../store/engine/recordReader.js'
import { Failure } from '../../store/model/failure.js'
import type { Webhook } from '../../store/model/webhook.js'
import { findWebhook } from '../../store/accesses/webhooks.js'
import type { Call } from '../call/method.js'
import { readScopes, type Holder } from '../notifications/scopes.js'

/** Checks whether the caller created the webhook or owns the account. */
export const isOwn = ({ caller }: Call, { accessId }: Webhook): boolean =>
  caller.scope.personal || caller.access.id === accessId

/**
 * Returns the webhook with an id.
 * @throws Failure `unknown-resource`; `forbidden` for one that another access created
 */
export function ownWebhook(call: Call, reader: RecordReader, id: string): Webhook {
  const webhook = findWebhook(reader, call.node.store.seal, call.account.prefix, id)
  if (webhook === undefined) throw new Failure('unknown-resource', `Unknown webhook "${id}".`)
  if (!isOwn(call, webhook)) throw new Failure('forbidden', 'This webhook belongs to another access.')
  return webhook
}

/**
 * Parses the requested scopes as a webhook member; none for an empty map or null.
 * @throws errors of `readScopes`
 */
export function parseScopes(holder: Holder, input: unknown): Pick<Webhook, 'scopes'> {
  if (input === undefined || input === null) return {}
  const scopes = readScopes(holder, input)
  return Object.keys(scopes).length === 0 ? {} : { scopes }
}
