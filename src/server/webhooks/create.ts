import * as z from 'zod'
import type { Transaction } from '../../store/engine/account.js'
import { Failure } from '../../store/model/failure.js'
import { noRuns, type Webhook } from '../../store/model/webhook.js'
import { findWebhook, putWebhook, webhooksOf } from '../../store/accesses/webhooks.js'
import { writeWithinQuota } from '../dispatch/accountWrite.js'
import { webhookCreator } from '../call/callers.js'
import { method, type Call } from '../call/method.js'
import { parseScopes } from './rules.js'
import { NewWebhook, WebhookView } from './schema.js'
import { viewOf } from './view.js'

/** Bounds the calls per change, so that a node cannot be used to flood others. */
const MAX_PER_ACCESS = 100

/** Creates a webhook, called from the next change on (docs/interface/webhooks.md#rules). */
export const create = method({
  id: 'webhooks.create',
  summary: 'Creates a webhook: a URL that is called after changes.',
  http: { verb: 'POST', path: '/webhooks', status: 201 },
  caller: webhookCreator,
  input: NewWebhook,
  output: () => z.object({ webhook: WebhookView.describe('The created webhook.') }),
  synchronous: true,
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
    const now = node.clock.now()
    const webhook: Webhook = {
      id: node.newId(),
      accessId: caller.access.id,
      url,
      state,
      maxRetries: node.config.get('webhooks.maxRetries'),
      minIntervalMs: node.config.get('webhooks.minIntervalMs'),
      ...parseScopes(call, scopes),
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

/** Checks that the access has no webhook for the url, and is below the maximum number. */
function assertUrlFree({ caller, node }: Call, t: Transaction, url: string): void {
  const ids = webhooksOf(t, t.account, caller.access.id)
  if (ids.some((id) => findWebhook(t, node.store.seal, t.account, id)?.url === url)) {
    throw new Failure('item-already-exists', 'This access already has a webhook for this url.', { url })
  }
  if (ids.length < MAX_PER_ACCESS) return
  throw new Failure('invalid-operation', `An access can have at most ${MAX_PER_ACCESS} webhooks; delete one first.`)
}
