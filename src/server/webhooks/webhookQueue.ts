/**
 * The calls of one active webhook: when the next is due, what it tells, what becomes of it (data supplement 8.3). What is
 * to be told is in the store before it is sent, and stays there until it was taken, so that it survives the process.
 */
import type { Transaction } from '../../store/engine/account.js'
import { Failure } from '../../store/model/failure.js'
import { afterRun, delayMs, isActive, isSuccess, isTooSoon, type WebhookRuns, type Webhook } from '../../store/model/webhook.js'
import { findUnaddressed, putPending, putRuns, readPending, readRuns } from '../../store/accesses/webhooks.js'
import { callerOf, isAlive } from '../guard/authenticate.js'
import type { Node } from '../node.js'
import type { Changes } from '../notifications/notifier.js'
import { compileScopes, type CompiledScopes } from '../notifications/scopes.js'
import type { FairScheduler } from './fairScheduler.js'
import type { Outcome } from './post.js'

/** What couriers of a node share. */
export interface QueueContext {
  node: Node
  lanes: FairScheduler
  /** How many runs a webhook lists. */
  maxRuns: number
  /** Gives up all calls. */
  signal: AbortSignal
}

/** Longer timers fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1

export class WebhookQueue {
  readonly #office: QueueContext
  readonly #account: string
  readonly #stopped: () => void
  #webhook: Webhook
  #runs: WebhookRuns
  /** What waits for the next call, in the order in which it came. */
  #waiting: Set<string>
  /** What the call under way tells. */
  #sending: string[] = []
  #state: 'idle' | 'queued' | 'calling' | 'noting' = 'idle'
  #timer: NodeJS.Timeout | undefined
  /** When the next call is due, in seconds. */
  #due = 0
  /** Of a webhook with scopes, once they were needed; until rights may have changed. */
  #compiled: CompiledScopes | undefined
  /** No more calls are made. */
  #isEnded = false
  /** The account is gone, and nothing may be written of it. */
  #isForgotten = false

  /** Of a webhook that is active, with what the store has of it; `stopped` is called when it is active no more. */
  constructor(context: QueueContext, account: string, webhook: Webhook, stopped: () => void) {
    const { db } = context.node.store
    this.#office = context
    this.#account = account
    this.#webhook = webhook
    this.#stopped = stopped
    this.#runs = readRuns(db, account, webhook.id)
    const pending = readPending(db, account, webhook.id)
    this.#waiting = new Set(pending?.messages)
    this.#due = pending?.due ?? 0
  }

  /** Goes on where a node stopped, with a message beside what was due: at its time, which a clock set back puts off no further. */
  resume(message: string): void {
    const leftMs = (this.#due - this.#office.node.clock.now()) * 1000
    const hasPending = this.#waiting.size > 0
    this.#waiting.add(message)
    if (hasPending && leftMs > 0) this.#arm(Math.min(leftMs, delayMs(this.#webhook, this.#runs)))
    else this.#schedule()
  }

  /** Tells what could not be told before the webhook was stopped. */
  restart(): void {
    if (this.#waiting.size > 0) this.#schedule()
  }

  /** Takes changes of the account to be told; `coarse` are the messages for those without scopes. */
  changed(changes: Changes, coarse: readonly string[]): void {
    if (this.#webhook.scopes === undefined) return this.add(coarse)
    if (changes.some(({ kind }) => kind === 'access')) this.#compiled = undefined
    this.#match(changes).then(
      (keys) => this.add(keys),
      (error: unknown) => {
        if (error instanceof Failure) return void this.#stop()
        // What could not be looked at may have matched anything: telling too much is safe, messages carry no content.
        this.#office.node.log.warn('the scopes of a webhook could not be matched', { webhook: this.#webhook.id, error: String(error) })
        this.add(Object.keys(this.#webhook.scopes ?? {}))
      },
    )
  }

  /** The scopes that changes match. Rejects when the access gives no rights any more. */
  async #match(changes: Changes): Promise<string[]> {
    const { node } = this.#office
    const { accessId, scopes = {} } = this.#webhook
    if (this.#compiled === undefined) {
      const account = node.store.loaded(this.#account) ?? (await node.store.account(this.#account))
      this.#compiled = compileScopes({ node, account, caller: callerOf(node, account, accessId) }, scopes)
    }
    return this.#compiled.match(changes)
  }

  /** Takes messages to be told. */
  add(messages: readonly string[]): void {
    const { size } = this.#waiting
    for (const message of messages) this.#waiting.add(message)
    if (this.#isEnded || this.#waiting.size === size) return
    if (this.#timer === undefined && (this.#state === 'idle' || this.#state === 'calling')) this.#schedule()
    void this.#write((t) => this.#keep(t))
  }

  /** Takes over what the owner changed. Starting it again does away with the wait after failures. */
  update(webhook: Webhook): void {
    const { id } = webhook
    const runs = readRuns(this.#office.node.store.db, this.#account, id)
    const isRestarted = this.#runs.currentRetries > 0 && runs.currentRetries === 0
    this.#webhook = webhook
    this.#compiled = undefined
    this.#runs = runs
    if (!isRestarted || this.#timer === undefined) return
    this.#disarm()
    if (this.#state === 'idle') this.#schedule()
  }

  /** Makes no more calls. A call under way becomes one of the runs all the same. */
  end(): void {
    this.#isEnded = true
    this.#disarm()
  }

  /** As `end`, when the account goes. */
  forget(): void {
    this.#isForgotten = true
    this.end()
  }

  #schedule(): void {
    const now = this.#office.node.clock.now()
    if (this.#state === 'calling' || isTooSoon(this.#webhook, this.#runs, now)) {
      this.#arm(delayMs(this.#webhook, this.#runs))
      return
    }
    this.#due = now
    this.#queue()
  }

  #arm(ms: number): void {
    this.#disarm()
    this.#due = this.#office.node.clock.now() + ms / 1000
    const fire = (): void => {
      this.#timer = undefined
      // After the call that is under way, what waits is looked at anyway.
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
    this.#office.lanes.run(this.#account, () => this.#deliver())
  }

  async #deliver(): Promise<void> {
    const { node, signal } = this.#office
    if (this.#isEnded) return
    const { accessId, url } = this.#webhook
    if (!isAlive(node.store.db, this.#account, accessId, node.clock.now())) return this.#stop()
    this.#state = 'calling'
    this.#sending = [...this.#waiting]
    this.#waiting = new Set()
    const outcome = await node.webhooks.post(url, this.#sending, signal)
    // What was given up is still in the store.
    if (signal.aborted) return
    await this.#record(outcome)
    this.#state = 'idle'
    if (this.#isEnded) return
    if (!isActive(this.#webhook, this.#runs)) {
      node.metrics.webhooks.stopped += 1
      node.log.info('a webhook is called no more: too many calls failed', { webhook: this.#webhook.id })
      this.#stopped()
    } else if (this.#waiting.size > 0 && this.#timer === undefined) this.#schedule()
  }

  /** Makes a run of what became of the call. */
  async #record({ status, error }: Outcome): Promise<void> {
    const { node, maxRuns } = this.#office
    const { id, accessId, url, maxRetries } = this.#webhook
    node.metrics.webhooks[isSuccess(status) ? 'sent' : 'failed'] += 1
    const messages = this.#sending
    const timestamp = node.clock.now()
    const next = (before: WebhookRuns): WebhookRuns => afterRun(before, { status, timestamp }, maxRetries, maxRuns)
    this.#state = 'noting'
    const isStored = await this.#write((t) => {
      if (findUnaddressed(t, t.account, id) === undefined) return
      const runs = next(readRuns(t, t.account, id))
      this.#settle(runs)
      putRuns(t, id, runs)
      // A webhook that was stopped by its owner, and maybe started again since, has its messages from the store.
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

  /** After a failure everything waits, first what was tried first; after a success, what came meanwhile. */
  #settle(runs: WebhookRuns): void {
    this.#runs = runs
    const hasFailed = !isSuccess(runs.lastRun.status)
    if (hasFailed) this.#waiting = new Set([...this.#sending, ...this.#waiting])
    this.#sending = []
    if (this.#isEnded || this.#waiting.size === 0 || !isActive(this.#webhook, runs)) this.#disarm()
    else if (hasFailed || this.#timer === undefined) this.#arm(delayMs(this.#webhook, runs))
  }

  /** Stops the webhook, whose access gives no rights any more; its owner may start it again once it does. */
  async #stop(): Promise<void> {
    const { node } = this.#office
    const { id } = this.#webhook
    if (this.#isEnded) return
    await this.#write((t) => {
      putRuns(t, id, { ...readRuns(t, t.account, id), isStopped: true })
      this.#keep(t)
    })
    node.metrics.webhooks.stopped += 1
    node.log.info('a webhook is called no more: the access that made it has ended', { webhook: id })
    if (!this.#isEnded) this.#stopped()
  }

  #keep(t: Transaction): void {
    const messages = [...new Set([...this.#sending, ...this.#waiting])]
    putPending(t, this.#webhook.id, { messages, due: this.#due })
  }

  /** Writes without waiting for the disk itself; answers whether it was written. */
  async #write(change: (t: Transaction) => void): Promise<boolean> {
    try {
      const { store } = this.#office.node
      const account = store.loaded(this.#account) ?? (await store.account(this.#account))
      if (this.#isForgotten) return false
      await account.write(change)
      return true
    } catch {
      // The account is gone, or nothing can be written: then what is known here counts.
      return false
    }
  }
}
