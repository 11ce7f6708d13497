import * as z from 'zod'
import { removeWebhook } from '../../store/accesses/webhooks.js'
import { writeAccount } from '../dispatch/accountWrite.js'
import { anyAccess } from '../call/callers.js'
import { method } from '../call/method.js'
import { ownWebhook } from './rules.js'

/** Deletes a webhook (docs/interface/webhooks.md#rules). */
export const remove = method({
  id: 'webhooks.delete',
  summary: 'Deletes a webhook.',
  http: { verb: 'DELETE', path: '/webhooks/:id' },
  caller: anyAccess,
  input: z.strictObject({ id: z.string().describe('Id of the webhook.'), auth: z.string().optional() }),
  output: () => z.object({
    webhookDeletion: z.object({
      id: z.string().describe('Id of the webhook.'),
      deleted: z.number().describe('Time of the deletion, in seconds since 1970.'),
    }).describe('The deleted webhook.'),
  }),
  synchronous: true,
  fails: ['invalid-parameters-format', 'unknown-resource', 'forbidden'],
  run(call, { id }) {
    const deleted = call.node.clock.now()
    return writeAccount(call, (t) => {
      removeWebhook(t, ownWebhook(call, t, id))
      return { webhookDeletion: { id, deleted } }
    })
  },
})
