/**
 * Call queue of an active webhook: due time, pending messages, and results (docs/interface/webhooks.md#delivery). Messages are
 * stored before they are sent and until they are delivered, so they survive a restart.
 */
import type { Transaction } from '../../store/engine/account.js'
import { Failure } from '../../store/model/failure.js'
import { afterRun, delayMs, isActive, isSuccess, isTooSoon, type WebhookRuns, type Webhook } from '../../store/model/webhook.js'
import { findWebhookWithoutUrl, putPending, putRuns, readPending, readRuns } from '../../store/accesses/webhooks.js'
import { callerOf, isAccessValid } from '../auth/authenticate.js'
import type { Context } from '../call/context.js'
import type { Changes } from '../notifications/notifier.js'
import { compileScopes, type CompiledScopes } from '../notifications/scopes.js'
import type { FairScheduler } from './fairScheduler.js'
import type { Outcome } from './post.js'
import type { MetricsDeps } from '../metrics/counters.js'
import type { WebhookDeps } from './webhooks.js'

/** Shared context of a node's webhook queues. */
export interface QueueContext {
  node: Context & MetricsDeps & WebhookDeps
  lanes: FairScheduler
  /** Maximum number of runs that a webhook lists. */
  maxRuns: number
  /** Aborts all calls. */
  signal: AbortSignal
}

/** Longest delay of timers; longer ones fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1

export class WebhookQueue {
  readonly #context: QueueContext
  readonly #account: string
  readonly #stopped: () => void
  #webhook: Webhook
  #runs: WebhookRuns
  /** Messages for the next call, in order of arrival. */
  #waiting: Set<string>
  /** Messages of the running call. */
  #sending: string[] = []
  #state: 'idle' | 'queued' | 'calling' | 'noting' = 'idle'
  #timer: NodeJS.Timeout | undefined
  /** Due time of the next call, in seconds. */
  #due = 0
  /** Compiled scopes, created on demand and dropped when rights may have changed. */
  #compiled: CompiledScopes | undefined
  /** True when no more calls are made. */
  #isEnded = false
  /** True when the account is deleted, and nothing may be written for it. */
  #isForgotten = false

  /** Creates the queue of an active webhook from its stored state; `stopped` is called when it becomes inactive. */
  constructor(context: QueueContext, account: string, webhook: Webhook, stopped: () => void) {
    const { db } = context.node.store
    this.#context = context
    this.#account = account
    this.#webhook = webhook
    this.#stopped = stopped
    this.#runs = readRuns(db, account, webhook.id)
    const pending = readPending(db, account, webhook.id)
    this.#waiting = new Set(pending?.messages)
    this.#due = pending?.due ?? 0
  }

  /**
   * Resumes after a restart with an extra message. The due time is kept, but a clock that was set back does not delay it further.
   */
  resume(message: string): void {
    const leftMs = (this.#due - this.#context.node.clock.now()) * 1000
    const hasPending = this.#waiting.size > 0
    this.#waiting.add(message)
    if (hasPending && leftMs > 0) this.#arm(Math.min(leftMs, delayMs(this.#webhook, this.#runs)))
    else this.#schedule()
  }

  /** Sends the messages that were pending when the webhook was stopped. */
  restart(): void {
    if (this.#waiting.size > 0) this.#schedule()
  }

  /** Queues changes of the account; `coarse` are the messages for webhooks without scopes. */
  changed(changes: Changes, coarse: readonly string[]): void {
    if (this.#webhook.scopes === undefined) return this.add(coarse)
    if (changes.some(({ kind }) => kind === 'access')) this.#compiled = undefined
    this.#match(changes).then(
      (keys) => this.add(keys),
      (error: unknown) => {
        if (error instanceof Failure) return void this.#stop()
        // Unmatched changes count as matches: extra notifications are safe, since messages carry no content.
        this.#context.node.log.warn('failed to match the scopes of a webhook', { webhook: this.#webhook.id, error: String(error) })
        this.add(Object.keys(this.#webhook.scopes ?? {}))
      },
    )
  }

  /** Returns the scopes that changes match. Rejects when the access is no longer valid. */
  async #match(changes: Changes): Promise<string[]> {
    const { node } = this.#context
    const { accessId, scopes = {} } = this.#webhook
    if (this.#compiled === undefined) {
      const account = node.store.loaded(this.#account) ?? (await node.store.account(this.#account))
      this.#compiled = compileScopes({ node, account, caller: callerOf(node, account, accessId) }, scopes)
    }
    return this.#compiled.match(changes)
  }

  /** Queues messages. */
  add(messages: readonly string[]): void {
    const { size } = this.#waiting
    for (const message of messages) this.#waiting.add(message)
    if (this.#isEnded || this.#waiting.size === size) return
    if (this.#timer === undefined && (this.#state === 'idle' || this.#state === 'calling')) this.#schedule()
    void this.#write((t) => this.#keep(t))
  }

  /** Applies changes by the owner. Reactivation clears the delay after failures. */
  update(webhook: Webhook): void {
    const { id } = webhook
    const runs = readRuns(this.#context.node.store.db, this.#account, id)
    const isRestarted = this.#runs.currentRetries > 0 && runs.currentRetries === 0
    this.#webhook = webhook
    this.#compiled = undefined
    this.#runs = runs
    if (!isRestarted || this.#timer === undefined) return
    this.#disarm()
    if (this.#state === 'idle') this.#schedule()
  }

  /** Stops further calls. A running call is still recorded as a run. */
  end(): void {
    this.#isEnded = true
    this.#disarm()
  }

  /** Stops like `end` when the account is deleted. */
  forget(): void {
    this.#isForgotten = true
    this.end()
  }

  #schedule(): void {
    const now = this.#context.node.clock.now()
    if (this.#state === 'calling' || isTooSoon(this.#webhook, this.#runs, now)) {
      this.#arm(delayMs(this.#webhook, this.#runs))
      return
    }
    this.#due = now
    this.#queue()
  }

  #arm(ms: number): void {
    this.#disarm()
    this.#due = this.#context.node.clock.now() + ms / 1000
    const fire = (): void => {
      this.#timer = undefined
      // After a running call, the waiting messages are checked anyway.
      if (this.#state === 'idle') this.#queue()
    }
    this.#timer = setTimeout(fire, Math.min(ms, MAX_TIMER_MS)).unref()
  }

  #disarm(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  #queue(): void {
    this.#state = 'queued'
    this.#context.lanes.run(this.#account, () => this.#deliver())
  }

  async #deliver(): Promise<void> {
    const { node, signal } = this.#context
    if (this.#isEnded) return
    const { accessId, url } = this.#webhook
    if (!isAccessValid(node.store.db, this.#account, accessId, node.clock.now())) return this.#stop()
    this.#state = 'calling'
    this.#sending = [...this.#waiting]
    this.#waiting = new Set()
    const outcome = await node.webhooks.post(url, this.#sending, signal)
    // Aborted messages are still in the store.
    if (signal.aborted) return
    await this.#record(outcome)
    this.#state = 'idle'
    if (this.#isEnded) return
    if (!isActive(this.#webhook, this.#runs)) {
      node.metrics.webhooks.stopped += 1
      node.log.info('webhook stopped: too many calls failed', { webhook: this.#webhook.id })
      this.#stopped()
    } else if (this.#waiting.size > 0 && this.#timer === undefined) this.#schedule()
  }

  /** Records the result of a call as a run. */
  async #record({ status, error }: Outcome): Promise<void> {
    const { node, maxRuns } = this.#context
    const { id, accessId, url, maxRetries } = this.#webhook
    node.metrics.webhooks[isSuccess(status) ? 'sent' : 'failed'] += 1
    const messages = this.#sending
    const timestamp = node.clock.now()
    const next = (before: WebhookRuns): WebhookRuns => afterRun(before, { status, timestamp }, maxRetries, maxRuns)
    this.#state = 'noting'
    const isStored = await this.#write((t) => {
      if (findWebhookWithoutUrl(t, t.account, id) === undefined) return
      const runs = next(readRuns(t, t.account, id))
      this.#settle(runs)
      putRuns(t, id, runs)
      // The messages of a webhook that its owner stopped, and maybe restarted, come from the store.
      if (!this.#isEnded) this.#keep(t)
    })
    if (!isStored) this.#settle(next(this.#runs))
    node.webhooks.notify(this.#account, {
      webhookId: id,
      accessId,
      url,
      messages,
      status,
      timestamp,
      ...(error === undefined ? {} : { error }),
      ...(isSuccess(status) || this.#timer === undefined ? {} : { nextAttempt: this.#due }),
      ...(this.#runs.isStopped === true ? { isStopped: true } : {}),
    })
  }

  /** After a failure, keeps all messages, those of the failed call first; after a success, only those that arrived meanwhile. */
  #settle(runs: WebhookRuns): void {
    this.#runs = runs
    const hasFailed = !isSuccess(runs.lastRun.status)
    if (hasFailed) this.#waiting = new Set([...this.#sending, ...this.#waiting])
    this.#sending = []
    if (this.#isEnded || this.#waiting.size === 0 || !isActive(this.#webhook, runs)) this.#disarm()
    else if (hasFailed || this.#timer === undefined) this.#arm(delayMs(this.#webhook, runs))
  }

  /** Stops the webhook because its access is no longer valid; its owner may restart it once it is. */
  async #stop(): Promise<void> {
    const { node } = this.#context
    const { id } = this.#webhook
    if (this.#isEnded) return
    await this.#write((t) => {
      putRuns(t, id, { ...readRuns(t, t.account, id), isStopped: true })
      this.#keep(t)
    })
    node.metrics.webhooks.stopped += 1
    node.log.info('webhook stopped: the access that created it has ended', { webhook: id })
    if (!this.#isEnded) this.#stopped()
  }

  #keep(t: Transaction): void {
    const messages = [...new Set([...this.#sending, ...this.#waiting])]
    putPending(t, this.#webhook.id, { messages, due: this.#due })
  }

  /** Writes without waiting for the disk; returns whether the write succeeded. */
  async #write(change: (t: Transaction) => void): Promise<boolean> {
    try {
      const { store } = this.#context.node
      const account = store.loaded(this.#account) ?? (await store.account(this.#account))
      if (this.#isForgotten) return false
      await account.write(change)
      return true
    } catch {
      // The account is deleted, or the store is read-only; then the state in memory counts.
      return false
    }
  }
}
