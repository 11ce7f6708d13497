/**
 * Calls webhooks after changes (docs/interface/webhooks.md#delivery). Changes of webhooks arrive through the journal; at the
 * start, active ones are found by their list.
 */
import { isActive } from '../../store/model/webhook.js'
import { findWebhook, listActive, readRuns } from '../../store/accesses/webhooks.js'
import type { Context } from '../call/context.js'
import { messagesOf, type Changes, type NotifierDeps } from '../notifications/notifier.js'
import { WebhookQueue, type QueueContext } from './webhookQueue.js'
import { createFairScheduler } from './fairScheduler.js'
import type { MetricsDeps } from '../metrics/counters.js'
import type { WebhookDeps } from './webhooks.js'

/** Message after a start of the node, which signals to receivers that they may have missed changes. */
const BOOT_MESSAGE = 'systemBoot'
const MAX_CALLS = 50
const MAX_CALLS_OF_ACCOUNT = 10

/** Webhook queues of an account. */
interface AccountQueues {
  queues: Map<string, WebhookQueue>
  leave: () => void
}

interface Deliveries {
  /** Aborts running calls; their messages stay due at the next start. */
  stop(): void
}

/** Starts to call webhooks, with `systemBoot` to active ones; returns at once. */
export function deliverWebhooks(node: Context & MetricsDeps & NotifierDeps & WebhookDeps): Deliveries {
  const { store, notifier, config, log } = node
  const stopping = new AbortController()
  const scheduler = createFairScheduler(MAX_CALLS, MAX_CALLS_OF_ACCOUNT)
  const context: QueueContext = { node, lanes: scheduler, maxRuns: config.get('webhooks.runsSize'), signal: stopping.signal }
  const posts = new Map<string, AccountQueues>()

  function queuesOf(account: string): AccountQueues {
    let post = posts.get(account)
    if (post === undefined) {
      const queues = new Map<string, WebhookQueue>()
      const leave = notifier.follow(account, (changes) => notify(queues, changes))
      post = { queues, leave }
      posts.set(account, post)
    }
    return post
  }

  function drop(account: string, id: string): void {
    const post = posts.get(account)
    post?.queues.get(id)?.end()
    post?.queues.delete(id)
    if (post === undefined || post.queues.size > 0) return
    post.leave()
    posts.delete(account)
  }

  function notify(queues: Map<string, WebhookQueue>, changes: Changes): void {
    const messages = messagesOf(changes)
    for (const queue of queues.values()) queue.changed(changes, messages)
  }

  /** Returns the queue of a webhook in its stored form; undefined when it is not active. `isNew` when there was none. */
  function refresh(account: string, id: string): { queue: WebhookQueue; isNew: boolean } | undefined {
    const webhook = findWebhook(store.db, store.seal, account, id)
    if (webhook === undefined || !isActive(webhook, readRuns(store.db, account, id))) {
      drop(account, id)
      return undefined
    }
    const known = posts.get(account)?.queues.get(id)
    if (known !== undefined) {
      known.update(webhook)
      return { queue: known, isNew: false }
    }
    const queue = new WebhookQueue(context, account, webhook, () => {
      if (posts.get(account)?.queues.get(id) === queue) drop(account, id)
    })
    queuesOf(account).queues.set(id, queue)
    return { queue, isNew: true }
  }

  const leave = store.follow((entries) => {
    for (const { kind, action, account, id } of entries) {
      if (kind === 'user' && action === 'delete') {
        for (const queue of posts.get(account)?.queues.values() ?? []) queue.forget()
        posts.get(account)?.leave()
        posts.delete(account)
      }
      if (kind !== 'webhook') continue
      const found = refresh(account, id)
      if (found?.isNew === true) found.queue.restart()
    }
  })

  async function boot(): Promise<void> {
    for await (const { account, id } of listActive(store.db)) {
      if (stopping.signal.aborted) return
      const found = refresh(account, id)
      // A webhook changed since the start already has its queue.
      if (found?.isNew === true) found.queue.resume(BOOT_MESSAGE)
      else found?.queue.add([BOOT_MESSAGE])
    }
  }
  void boot().catch((error: unknown) => {
    if (!stopping.signal.aborted) log.error('failed to read the list of webhooks', { error: String(error) })
  })

  return {
    stop() {
      leave()
      scheduler.clear()
      stopping.abort()
      for (const { queues, leave } of posts.values()) {
        leave()
        for (const queue of queues.values()) queue.end()
      }
      posts.clear()
    },
  }
}
