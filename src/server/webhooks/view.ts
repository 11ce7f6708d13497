import type * as z from 'zod'
import { isActive, type WebhookRuns, type Webhook } from '../../store/model/webhook.js'
import type { WebhookView } from './schema.js'

/** Returns a webhook for clients: its settings, and the results of its calls. */
export function viewOf(webhook: Webhook, runs: WebhookRuns): z.output<typeof WebhookView> {
  const { id, accessId, url, maxRetries, minIntervalMs, scopes, created, createdBy, modified, modifiedBy } = webhook
  const { runCount, failCount, lastRun, currentRetries } = runs
  return {
    id,
    accessId,
    url,
    state: isActive(webhook, runs) ? 'active' : 'inactive',
    runCount,
    failCount,
    lastRun,
    runs: runs.runs,
    currentRetries,
    maxRetries,
    minIntervalMs,
    ...(scopes === undefined ? {} : { scopes }),
    created,
    createdBy,
    modified,
    modifiedBy,
  }
}
