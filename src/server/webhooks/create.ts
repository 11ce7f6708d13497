import * as z from 'zod'
import type { Transaction } from '../../store/engine/account.js'
import { Failure } from '../../store/model/failure.js'
import { feature } from '../../store/model/permission.js'
import { noRuns, type Webhook } from '../../store/model/webhook.js'
import { findWebhook, putWebhook, webhooksOf } from '../../store/accesses/webhooks.js'
import { writeWithinQuota } from '../accountWrite.js'
import { method, type Call } from '../method.js'
import { readAsked } from './rules.js'
import { NewWebhook, WebhookView } from './schema.js'
import { viewOf } from './view.js'

/** More calls for one change than any app has use for would make the node a means to flood others. */
const MAX_PER_ACCESS = 100

/** Specification, "Webhook"; data supplement 8.2. It is called from the next change on. */
export const create = method({
  id: 'webhooks.create',
  summary: 'Creates a webhook: an address that is called after changes.',
  http: { verb: 'POST', path: '/webhooks' },
  input: NewWebhook,
  output: z.object({ webhook: WebhookView.describe('The created webhook.') }),
  status: 201,
  staging: true,
  fails: [
    'invalid-parameters-format',
    'invalid-request-structure',
    'invalid-operation',
    'unknown-referenced-resource',
    'item-already-exists',
    'forbidden',
    'user-intervention-required',
  ],
  run(call, { url, scopes, state = 'active' }) {
    const { node, caller, author } = call
    if (caller.scope.personal) throw new Failure('forbidden', 'Webhooks are made with the access of an app, or a shared one.')
    if (feature(caller.scope, 'webhooks') === 'forbidden') throw new Failure('forbidden', 'This access may not have webhooks.')
    const now = node.clock.now()
    const webhook: Webhook = {
      id: node.newId(),
      accessId: caller.access.id,
      url,
      state,
      maxRetries: node.config.get('webhooks.maxRetries'),
      minIntervalMs: node.config.get('webhooks.minIntervalMs'),
      ...readAsked(call, scopes),
      created: now,
      createdBy: author,
      modified: now,
      modifiedBy: author,
    }
    return writeWithinQuota(call, (t) => {
      assertUrlFree(call, t, url)
      putWebhook(t, node.store.seal, webhook, 'create')
      return { webhook: viewOf(webhook, noRuns) }
    })
  },
})

/** Refuses a url that the access has a webhook for, and more webhooks than one access may have. */
function assertUrlFree({ caller, node }: Call, t: Transaction, url: string): void {
  const ids = webhooksOf(t, t.account, caller.access.id)
  if (ids.some((id) => findWebhook(t, node.store.seal, t.account, id)?.url === url)) {
    throw new Failure('item-already-exists', 'This access has a webhook for this url already.', { url })
  }
  if (ids.length < MAX_PER_ACCESS) return
  throw new Failure('invalid-operation', `An access has at most ${MAX_PER_ACCESS} webhooks; delete one first.`)
}
