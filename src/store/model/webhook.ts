/** Webhooks: configuration, call history and scheduling of calls (docs/interface/webhooks.md). */
import type { Seconds } from './event.js'

/** Notification scopes by name, as requested by the client. */
type WebhookScopes = Record<string, { kind: 'events' | 'streams' | 'accesses'; query: Record<string, unknown> }>

/** Configuration of a webhook. */
export interface Webhook {
  id: string
  /** Base id of the access that created it; it ends with that access. */
  accessId: string
  url: string
  /** Configured state; failed calls may have stopped it independently. */
  state: 'active' | 'inactive'
  maxRetries: number
  minIntervalMs: number
  scopes?: WebhookScopes
  created: Seconds
  createdBy: string
  modified: Seconds
  modifiedBy: string
}

/** A completed call. */
interface WebhookRun {
  /** HTTP status of the response; 0 without one. */
  status: number
  timestamp: Seconds
}

/** Call history of a webhook; never replicated. */
export interface WebhookRuns {
  runCount: number
  failCount: number
  lastRun: WebhookRun
  /** Newest first. */
  runs: WebhookRun[]
  /** Failed calls since the latest that succeeded. */
  currentRetries: number
  /** Set when calls stop until the owner restarts it: too many failed, or its access ended. */
  isStopped?: true
}

/** Pending messages in order of arrival; `due` is the time of the next call. */
export interface PendingMessages {
  messages: string[]
  due: Seconds
}

/** State before the first call. */
export const noRuns: WebhookRuns = {
  runCount: 0,
  failCount: 0,
  lastRun: { status: 0, timestamp: 0 },
  runs: [],
  currentRetries: 0,
}

/** Checks whether a webhook is called. */
export const isActive = ({ state }: Pick<Webhook, 'state'>, { isStopped }: Pick<WebhookRuns, 'isStopped'>): boolean =>
  state === 'active' && isStopped !== true

/** Checks whether a call succeeded: any other status, and no response, is a failure. */
export const isSuccess = (status: number): boolean => status >= 200 && status <= 299

/** Returns the state after a call; more than `maxRetries` consecutive failures stop the webhook. Keeps at most `maxRuns`. */
export function afterRun(before: WebhookRuns, run: WebhookRun, maxRetries: number, maxRuns: number): WebhookRuns {
  const failed = !isSuccess(run.status)
  const currentRetries = failed ? before.currentRetries + 1 : 0
  const stops = before.isStopped === true || currentRetries > maxRetries
  return {
    runCount: before.runCount + 1,
    failCount: before.failCount + (failed ? 1 : 0),
    lastRun: run,
    runs: [run, ...before.runs].slice(0, maxRuns),
    currentRetries,
    ...(stops ? { isStopped: true } : {}),
  }
}

/** Returns the state for restarting a webhook. */
export function restarted({ isStopped: _, ...runs }: WebhookRuns): WebhookRuns {
  return { ...runs, currentRetries: 0 }
}

/** Returns the delay of a pending call in milliseconds: longer after each failure. */
export const delayMs = ({ minIntervalMs }: Pick<Webhook, 'minIntervalMs'>, { currentRetries }: Pick<WebhookRuns, 'currentRetries'>): number =>
  minIntervalMs * Math.max(1, currentRetries)

/** Checks whether the latest call is too recent for another; ignores times in the future (clock was set back). */
export const isTooSoon = ({ minIntervalMs }: Pick<Webhook, 'minIntervalMs'>, { lastRun }: Pick<WebhookRuns, 'lastRun'>, now: Seconds): boolean =>
  Math.abs(now - lastRun.timestamp) * 1000 < minIntervalMs
