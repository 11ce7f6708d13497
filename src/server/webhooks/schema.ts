/** What clients send of webhooks, and what they get (data supplement 8). */
import * as z from 'zod'
import { WebAddress } from '../../store/model/webAddress.js'

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value)

/** A map of scopes as the client sent it; what is in it is read by notifications/scopes.ts. */
const scopes = z
  .custom<Record<string, unknown>>(isObject, { error: 'Expected an object.', params: { code: 'INVALID_TYPE' } })
  .meta({ type: 'object' })

const state = z.enum(['active', 'inactive'])

/** Fields that are the server's to say. */
const readOnly = {
  id: z.unknown().optional(),
  accessId: z.unknown().optional(),
  runCount: z.unknown().optional(),
  failCount: z.unknown().optional(),
  lastRun: z.unknown().optional(),
  runs: z.unknown().optional(),
  currentRetries: z.unknown().optional(),
  maxRetries: z.unknown().optional(),
  minIntervalMs: z.unknown().optional(),
  created: z.unknown().optional(),
  createdBy: z.unknown().optional(),
  modified: z.unknown().optional(),
  modifiedBy: z.unknown().optional(),
}

export const NewWebhook = z.strictObject({
  url: WebAddress,
  scopes: scopes.optional(),
  state: state.optional(),
  ...readOnly,
})

/** Fields that are read-only are refused by name (protectedFields), others as unknown. */
export const WebhookUpdate = z.strictObject({
  state: state.optional(),
  scopes: scopes.nullish(),
  url: z.unknown().optional(),
  ...readOnly,
})
export type WebhookUpdateInput = z.output<typeof WebhookUpdate>

export const protectedFields = ['url', ...Object.keys(readOnly)] as (keyof WebhookUpdateInput)[]

const RunView = z.object({ status: z.number(), timestamp: z.number() })

export const WebhookView = z.object({
  id: z.string(),
  accessId: z.string(),
  url: z.string(),
  state,
  runCount: z.number(),
  failCount: z.number(),
  lastRun: RunView,
  runs: z.array(RunView),
  currentRetries: z.number(),
  maxRetries: z.number(),
  minIntervalMs: z.number(),
  scopes: z.record(z.string(), z.unknown()).optional(),
  created: z.number(),
  createdBy: z.string(),
  modified: z.number(),
  modifiedBy: z.string(),
})
