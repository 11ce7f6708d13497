/** Webhooks: what their owner decided, what became of their runs, and when the next call is due (data supplement 8). */
import type { Seconds } from './event.js'

/** What an owner is told of: a name to what it stands for, as the client asked for it. */
export type WebhookScopes = Record<string, { kind: 'events' | 'streams' | 'accesses'; query: Record<string, unknown> }>

/** A webhook as its owner decided it. */
export interface Webhook {
  id: string
  /** Base id of the access that made it: it lives no longer than that. */
  accessId: string
  url: string
  /** Whether it is to be called at all; runs may have stopped it beside. */
  state: 'active' | 'inactive'
  maxRetries: number
  minIntervalMs: number
  scopes?: WebhookScopes
  created: Seconds
  createdBy: string
  modified: Seconds
  modifiedBy: string
}

/** One call that was made. */
export interface WebhookRun {
  /** Status of the answer; 0 when there was none. */
  status: number
  timestamp: Seconds
}

/** What became of the calls of a webhook; it stays with its node. */
export interface WebhookRuns {
  runCount: number
  failCount: number
  lastRun: WebhookRun
  /** Newest first. */
  runs: WebhookRun[]
  /** Failed calls since the latest that succeeded. */
  currentRetries: number
  /** Set when no more calls are made until its owner starts it again: too many failed, or its access ended. */
  isStopped?: true
}

/** What is to be told and was not yet: by the messages in the order in which they came, due at a moment. */
export interface PendingMessages {
  messages: string[]
  due: Seconds
}

/** Before the first call. */
export const noRuns: WebhookRuns = {
  runCount: 0,
  failCount: 0,
  lastRun: { status: 0, timestamp: 0 },
  runs: [],
  currentRetries: 0,
}

/** Whether a webhook is called. */
export const isActive = ({ state }: Pick<Webhook, 'state'>, { isStopped }: Pick<WebhookRuns, 'isStopped'>): boolean =>
  state === 'active' && isStopped !== true

/** Whether a call was taken: any other status, and no answer, is a failure. */
export const isSuccess = (status: number): boolean => status >= 200 && status <= 299

/** The state after a call; more than `maxRetries` failures in a row stop the webhook. At most `mostRuns` are kept. */
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

/** The state from which an owner starts a webhook again. */
export function restarted({ isStopped: _, ...runs }: WebhookRuns): WebhookRuns {
  return { ...runs, currentRetries: 0 }
}

/** How long what cannot be sent at once waits, in milliseconds: longer with each failure. */
export const delayMs = ({ minIntervalMs }: Pick<Webhook, 'minIntervalMs'>, { currentRetries }: Pick<WebhookRuns, 'currentRetries'>): number =>
  minIntervalMs * Math.max(1, currentRetries)

/** Whether the latest call is too short a time ago for another; a clock that was set back tells nothing. */
export const isTooSoon = ({ minIntervalMs }: Pick<Webhook, 'minIntervalMs'>, { lastRun }: Pick<WebhookRuns, 'lastRun'>, now: Seconds): boolean =>
  Math.abs(now - lastRun.timestamp) * 1000 < minIntervalMs
