/** Which webhook is meant, and who may have to do with it (data supplement 8.2). */
import { Failure } from '../../store/model/failure.js'
import type { Webhook } from '../../store/model/webhook.js'
import { findWebhook } from '../../store/accesses/webhooks.js'
import type { Call } from '../method.js'
import { readScopes, type Holder } from '../notifications/scopes.js'

type Reader = { get(key: string): string | undefined }

/** Whether the caller made the webhook, or owns the account. */
export const isOwn = ({ caller }: Call, { accessId }: Webhook): boolean =>
  caller.scope.personal || caller.access.id === accessId

/**
 * The webhook of an id.
 * @throws Failure `unknown-resource`; `forbidden` for one that another access made
 */
export function ownWebhook(call: Call, reader: Reader, id: string): Webhook {
  const webhook = findWebhook(reader, call.node.store.seal, call.account.prefix, id)
  if (webhook === undefined) throw new Failure('unknown-resource', `Unknown webhook "${id}".`)
  if (!isOwn(call, webhook)) throw new Failure('forbidden', 'This webhook belongs to another access.')
  return webhook
}

/** The scopes that a client asks for, as a member of a webhook: none, for an empty map or null. Throws as `readScopes`. */
export function readAsked(holder: Holder, input: unknown): Pick<Webhook, 'scopes'> {
  if (input === undefined || input === null) return {}
  const scopes = readScopes(holder, input)
  return Object.keys(scopes).length === 0 ? {} : { scopes }
}
