import * as z from 'zod'
import type { Transaction } from '../../store/engine/account.js'
import { Failure } from '../../store/model/failure.js'
import { restarted, type Webhook } from '../../store/model/webhook.js'
import { putWebhook, readRuns } from '../../store/accesses/webhooks.js'
import { writeAccount } from '../dispatch/accountWrite.js'
import { callerOf, isAccessValid } from '../auth/authenticate.js'
import { anyAccess } from '../call/callers.js'
import { method, type Call } from '../call/method.js'
import type { Holder } from '../notifications/scopes.js'
import { ownWebhook, parseScopes } from './rules.js'
import { protectedFields, WebhookUpdate, WebhookView, type WebhookUpdateInput } from './schema.js'
import { viewOf } from './view.js'

/** Changes a webhook (docs/interface/webhooks.md#rules). Activation restarts a stopped one. */
export const update = method({
  id: 'webhooks.update',
  summary: 'Activates or deactivates a webhook, or changes its scopes.',
  http: { verb: 'PUT', path: '/webhooks/:id', body: 'update' },
  caller: anyAccess,
  input: z.strictObject({
    id: z.string().describe('Id of the webhook.'),
    update: WebhookUpdate.describe('Members to change; others keep their values.'),
  }),
  output: () => z.object({ webhook: WebhookView.describe('The changed webhook.') }),
  synchronous: true,
  fails: [
    'invalid-parameters-format',
    'invalid-request-structure',
    'invalid-operation',
    'unknown-resource',
    'unknown-referenced-resource',
    'forbidden',
  ],
  run(call, { id, update: input }) {
    assertNoProtectedFields(input)
    const { state, scopes } = input
    return writeAccount(call, (t) => {
      const before = ownWebhook(call, t, id)
      const runs = readRuns(t, t.account, id)
      if (state === undefined && scopes === undefined) return { webhook: viewOf(before, runs) }
      if (state === 'active' || scopes !== undefined) assertNotEnded(call, t, before)
      const next = state === 'active' ? restarted(runs) : runs
      const after = changed(call, before, input)
      putWebhook(t, call.node.store.seal, after, 'update', next)
      return { webhook: viewOf(after, next) }
    })
  },
})

/** Rejects read-only fields, regardless of `updates.ignoreProtectedFields`. */
function assertNoProtectedFields(input: WebhookUpdateInput): void {
  const others = protectedFields.filter((field) => input[field] !== undefined)
  if (others.length > 0) throw new Failure('forbidden', `These fields cannot be changed: ${others.join(', ')}.`)
}

/** Checks that the webhook's access is valid, since a webhook acts with its access. */
function assertNotEnded({ node }: Call, t: Transaction, { accessId }: Webhook): void {
  if (isAccessValid(t, t.account, accessId, node.clock.now())) return
  throw new Failure('invalid-operation', 'The access that created this webhook has ended, so the webhook is not called.', { accessId })
}

function changed(call: Call, before: Webhook, { state = before.state, scopes }: WebhookUpdateInput): Webhook {
  const after: Webhook = { ...before, state, modified: call.node.clock.now(), modifiedBy: call.author }
  if (scopes === undefined) return after
  const { scopes: _, ...rest } = after
  return { ...rest, ...parseScopes(holderOf(call, before), scopes) }
}

/** Returns the holder of the scopes, the access that created the webhook, regardless of who changes them. */
function holderOf({ node, account, caller }: Call, { accessId }: Webhook): Holder {
  return { node, account, caller: caller.access.id === accessId ? caller : callerOf(node, account, accessId) }
}
