/** API schemas of webhooks (docs/interface/webhooks.md). */
import * as z from 'zod'
import { isJsonObject } from '../../store/model/json.js'
import { WebAddress } from '../../store/model/webAddress.js'

/** Map of scopes in a request; notifications/scopes.ts validates its contents. */
const scopes = z
  .custom<Record<string, unknown>>(isJsonObject, { error: 'Expected an object.', params: { code: 'INVALID_TYPE' } })
  .meta({ type: 'object' })

const state = z.enum(['active', 'inactive'])

/** Ignored at creation, rejected in an update. */
const nodeMember = z.unknown().optional().meta({ description: 'Set by the node; ignored at creation, rejected in an update.', readOnly: true })

/** Fields set by the node. */
const readOnly = {
  id: nodeMember,
  accessId: nodeMember,
  runCount: nodeMember,
  failCount: nodeMember,
  lastRun: nodeMember,
  runs: nodeMember,
  currentRetries: nodeMember,
  maxRetries: nodeMember,
  minIntervalMs: nodeMember,
  created: nodeMember,
  createdBy: nodeMember,
  modified: nodeMember,
  modifiedBy: nodeMember,
}

export const NewWebhook = z.strictObject({
  url: WebAddress.describe('URL to POST to after changes.'),
  scopes: scopes.optional().describe('Queries of events, streams and accesses by name, as in subscriptions; default: all changes.'),
  state: state.optional().describe('active or inactive; default active.'),
  ...readOnly,
})

/** Read-only fields are rejected by name (protectedFields), others as unknown. */
export const WebhookUpdate = z.strictObject({
  state: state.optional().describe('active or inactive.'),
  scopes: scopes.nullish().describe('Queries of events, streams and accesses by name; null: all changes.'),
  url: z.unknown().optional().meta({ description: 'Rejected: the URL cannot be changed.', readOnly: true }),
  ...readOnly,
})
export type WebhookUpdateInput = z.output<typeof WebhookUpdate>

export const protectedFields = ['url', ...Object.keys(readOnly)] as (keyof WebhookUpdateInput)[]

const RunView = z.object({
  status: z.number().describe('HTTP status; 0 if there was no response.'),
  timestamp: z.number().describe('Time of the call, in seconds since 1970.'),
})

export const WebhookView = z.object({
  id: z.string().describe('Id of the webhook.'),
  accessId: z.string().describe('Id of the access that created it.'),
  url: z.string().describe('URL that is called.'),
  state: state.describe('inactive: nothing is sent, because it was deactivated or failed too often.'),
  runCount: z.number().describe('Number of calls.'),
  failCount: z.number().describe('Number of failed calls.'),
  lastRun: RunView.describe('The last call.'),
  runs: z.array(RunView).describe('Recent calls, newest first.'),
  currentRetries: z.number().describe('Failed calls since the last success.'),
  maxRetries: z.number().describe('Maximum consecutive failures before the webhook becomes inactive.'),
  minIntervalMs: z.number().describe('Minimum time between calls, in milliseconds.'),
  scopes: z.record(z.string(), z.unknown()).optional().describe('Queries by name; absent: all changes.'),
  created: z.number().describe('Creation time, in seconds since 1970.'),
  createdBy: z.string().describe('Id of the access that created it.'),
  modified: z.number().describe('Time of the last change, in seconds since 1970.'),
  modifiedBy: z.string().describe('Id of the access that last changed it.'),
})
