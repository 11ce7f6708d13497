import * as z from 'zod'
import { readRuns } from '../../store/accesses/webhooks.js'
import { anyAccess } from '../call/callers.js'
import { method } from '../call/method.js'
import { ownWebhook } from './rules.js'
import { WebhookView } from './schema.js'
import { viewOf } from './view.js'

/** Reads a webhook (docs/interface/webhooks.md#rules). */
export const getOne = method({
  id: 'webhooks.getOne',
  summary: 'Reads one webhook.',
  http: { verb: 'GET', path: '/webhooks/:id' },
  caller: anyAccess,
  input: z.strictObject({ id: z.string().describe('Id of the webhook.'), auth: z.string().optional() }),
  output: () => z.object({ webhook: WebhookView.describe('The webhook.') }),
  fails: ['invalid-parameters-format', 'unknown-resource', 'forbidden'],
  run(call, { id }) {
    const { db, prefix } = call.account
    return { webhook: viewOf(ownWebhook(call, db, id), readRuns(db, prefix, id)) }
  },
})
