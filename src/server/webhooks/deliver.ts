/**
 * Calls webhooks when something changes (data supplement 8.3). Which webhooks there are follows the journal, as all they
 * tell does; after a start, those that are active are found by their list.
 */
import { isActive } from '../../store/model/webhook.js'
import { findWebhook, listActive, readRuns } from '../../store/webhooks.js'
import type { Node } from '../node.js'
import { messagesOf, type Changes } from '../notifications/notifier.js'
import { Courier, type Office } from './courier.js'
import { createLanes } from './lanes.js'

/** Tells receivers that the node has started: they may have missed changes. */
const BOOT_MESSAGE = 'systemBoot'
const MOST_CALLS = 50
const MOST_CALLS_OF_ACCOUNT = 10

/** The couriers of an account. */
interface Post {
  couriers: Map<string, Courier>
  leave: () => void
}

export interface Deliveries {
  /** Gives up calls under way; what they tell is still due at the next start. */
  stop(): void
}

/** Begins to call webhooks, with `systemBoot` to those that are active; answers at once. */
export function deliverWebhooks(node: Node): Deliveries {
  const { store, notifier, config, log } = node
  const stopping = new AbortController()
  const lanes = createLanes(MOST_CALLS, MOST_CALLS_OF_ACCOUNT)
  const office: Office = { node, lanes, mostRuns: config.get('webhooks.runsSize'), signal: stopping.signal }
  const posts = new Map<string, Post>()

  function postOf(account: string): Post {
    let post = posts.get(account)
    if (post === undefined) {
      const couriers = new Map<string, Courier>()
      const leave = notifier.follow(account, (changes) => tell(couriers, changes))
      post = { couriers, leave }
      posts.set(account, post)
    }
    return post
  }

  function drop(account: string, id: string): void {
    const post = posts.get(account)
    post?.couriers.get(id)?.end()
    post?.couriers.delete(id)
    if (post === undefined || post.couriers.size > 0) return
    post.leave()
    posts.delete(account)
  }

  function tell(couriers: Map<string, Courier>, changes: Changes): void {
    const messages = messagesOf(changes)
    for (const courier of couriers.values()) courier.changed(changes, messages)
  }

  /** The courier of a webhook as it is on disk now; undefined when it is not active. `isNew` when there was none. */
  function refresh(account: string, id: string): { courier: Courier; isNew: boolean } | undefined {
    const webhook = findWebhook(store.db, store.seal, account, id)
    if (webhook === undefined || !isActive(webhook, readRuns(store.db, account, id))) {
      drop(account, id)
      return undefined
    }
    const known = posts.get(account)?.couriers.get(id)
    if (known !== undefined) {
      known.update(webhook)
      return { courier: known, isNew: false }
    }
    const courier = new Courier(office, account, webhook, () => {
      if (posts.get(account)?.couriers.get(id) === courier) drop(account, id)
    })
    postOf(account).couriers.set(id, courier)
    return { courier, isNew: true }
  }

  const leave = store.follow((entries) => {
    for (const { kind, action, account, id } of entries) {
      if (kind === 'user' && action === 'delete') {
        for (const courier of posts.get(account)?.couriers.values() ?? []) courier.forget()
        posts.get(account)?.leave()
        posts.delete(account)
      }
      if (kind !== 'webhook') continue
      const found = refresh(account, id)
      if (found?.isNew === true) found.courier.restart()
    }
  })

  async function boot(): Promise<void> {
    for await (const { account, id } of listActive(store.db)) {
      if (stopping.signal.aborted) return
      const found = refresh(account, id)
      // One that was changed since the start is under way already.
      if (found?.isNew === true) found.courier.resume(BOOT_MESSAGE)
      else found?.courier.add([BOOT_MESSAGE])
    }
  }
  void boot().catch((error: unknown) => {
    if (!stopping.signal.aborted) log.error('the list of webhooks could not be read', { error: String(error) })
  })

  return {
    stop() {
      leave()
      lanes.clear()
      stopping.abort()
      for (const { couriers, leave } of posts.values()) {
        leave()
        for (const courier of couriers.values()) courier.end()
      }
      posts.clear()
    },
  }
}
