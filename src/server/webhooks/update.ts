import { z } from 'zod'
import { Failure } from '../../store/model/failure.js'
import { restarted, type Webhook } from '../../store/model/webhook.js'
import { putWebhook, readRuns } from '../../store/webhooks.js'
import { change } from '../change.js'
import { isAlive } from '../guard/authenticate.js'
import { method, type Call } from '../method.js'
import { ownWebhook } from './rules.js'
import { protectedFields, WebhookUpdate, WebhookView, type WebhookUpdateInput } from './schema.js'
import { viewOf } from './view.js'

/** Specification, "Webhook state"; data supplement 8.2. Making it active starts a stopped one again. */
export const update = method({
  id: 'webhooks.update',
  summary: 'Stops a webhook, starts it again, or changes what it is told.',
  http: { verb: 'PUT', path: '/webhooks/:id' },
  body: 'update',
  input: z.strictObject({ id: z.string(), update: WebhookUpdate }),
  output: z.object({ webhook: WebhookView }),
  staging: true,
  fails: ['invalid-parameters-format', 'invalid-operation', 'unknown-resource', 'forbidden'],
  run(call, { id, update: asked }) {
    refuseProtected(asked)
    const { state } = asked
    return change(call, (t) => {
      const before = ownWebhook(call, t, id)
      const runs = readRuns(t, t.account, id)
      if (state === undefined) return { webhook: viewOf(before, runs) }
      if (state === 'active') refuseEnded(call, t, before)
      const after: Webhook = { ...before, state, modified: call.node.clock.now(), modifiedBy: call.author }
      const next = state === 'active' ? restarted(runs) : runs
      putWebhook(t, after, 'update', next)
      return { webhook: viewOf(after, next) }
    })
  },
})

/** Read-only fields are always refused, whatever `updates.ignoreProtectedFields` says. */
function refuseProtected(asked: WebhookUpdateInput): void {
  const others = protectedFields.filter((field) => asked[field] !== undefined)
  if (others.length > 0) throw new Failure('forbidden', `These fields cannot be changed: ${others.join(', ')}.`)
}

/** Refuses to start the webhook of an access that gives no rights any more. */
function refuseEnded({ node }: Call, t: { account: string; get(key: string): string | undefined }, { accessId }: Webhook): void {
  if (isAlive(t, t.account, accessId, node.clock.now())) return
  throw new Failure('invalid-operation', 'The access that made this webhook has expired; renew it first.', { accessId })
}
