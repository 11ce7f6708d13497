import * as z from 'zod'
import { Failure } from '../../store/model/failure.js'
import { isSuccess } from '../../store/model/webhook.js'
import { readRuns } from '../../store/accesses/webhooks.js'
import { anyAccess } from '../call/callers.js'
import { method, type Call } from '../call/method.js'
import { ownWebhook } from './rules.js'
import { WebhookView } from './schema.js'
import { viewOf } from './view.js'
import type { WebhookDeps } from './webhooks.js'

/** Tests a webhook, active or not (docs/interface/webhooks.md#rules). The call is not recorded as a run. */
export const test = method({
  id: 'webhooks.test',
  summary: 'Calls the URL of a webhook once, with the message "test".',
  http: { verb: 'POST', path: '/webhooks/:id/test' },
  caller: anyAccess,
  input: z.strictObject({ id: z.string().describe('Id of the webhook.') }),
  output: () => z.object({ webhook: WebhookView.describe('The webhook.') }),
  fails: ['invalid-parameters-format', 'unknown-resource', 'unknown-referenced-resource', 'forbidden'],
  async run(call: Call<WebhookDeps>, { id }) {
    const { node, account } = call
    const { accessId, url } = ownWebhook(call, account.db, id)
    const messages = ['test']
    const outcome = await node.webhooks.post(url, messages)
    node.webhooks.notify(account.prefix, { webhookId: id, accessId, url, messages, ...outcome, timestamp: node.clock.now() })
    const { status, error } = outcome
    if (!isSuccess(status)) {
      const why = error ?? `status ${status}`
      throw new Failure('unknown-referenced-resource', `The webhook call failed: ${why}.`, { url })
    }
    // The webhook may have been changed or deleted in the meantime.
    return { webhook: viewOf(ownWebhook(call, account.db, id), readRuns(account.db, account.prefix, id)) }
  },
})
