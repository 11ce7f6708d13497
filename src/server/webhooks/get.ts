import * as z from 'zod'
import { listWebhooks, readRuns } from '../../store/accesses/webhooks.js'
import { anyAccess } from '../call/callers.js'
import { method } from '../call/method.js'
import { isOwn } from './rules.js'
import { WebhookView } from './schema.js'
import { viewOf } from './view.js'

/** Lists webhooks (docs/interface/webhooks.md#rules). */
export const get = method({
  id: 'webhooks.get',
  summary: 'Lists webhooks by time of change; for an app, those that it created.',
  http: { verb: 'GET', path: '/webhooks' },
  caller: anyAccess,
  input: z.strictObject({ auth: z.string().optional() }),
  output: () => z.object({ webhooks: z.array(WebhookView).describe('The webhooks of the caller; for personal tokens all.') }),
  fails: ['invalid-parameters-format'],
  async run(call) {
    const { account } = call
    const webhooks = (await listWebhooks(account, call.node.store.seal)).filter((webhook) => isOwn(call, webhook))
    webhooks.sort((a, b) => a.modified - b.modified || a.created - b.created)
    return { webhooks: webhooks.map((webhook) => viewOf(webhook, readRuns(account.db, account.prefix, webhook.id))) }
  },
})
