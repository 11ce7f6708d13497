/** Live feed of webhook calls, for the person at the terminal. */

/** Reason of a failed call, besides its status. */
export type CallError =
  | 'timeout'
  | 'refused'
  | 'closed'
  | 'unknown host'
  | 'unreachable'
  | 'certificate'
  | 'private address'
  | 'redirect'
  | 'not sent'

/** A webhook call, or a failed attempt. */
export interface Delivery {
  webhookId: string
  accessId: string
  /** URL of the webhook; may hold a secret of the receiver. */
  url: string
  /** Messages such as `eventsChanged`, scope keys, `systemBoot`, or `test` alone for a test. */
  messages: string[]
  /** HTTP status of the response; 0 when there was none. */
  status: number
  /** Completion time, in seconds. */
  timestamp: number
  /** Reason of failure; absent when the status expresses it, except for redirects. */
  error?: CallError
  /** Time of the retry, in seconds. */
  nextAttempt?: number
  /** True when the webhook was stopped after too many failures. */
  isStopped?: true
}

export interface WebhookFeed {
  /** Follows the calls of an account's webhooks, or of all accounts without `account`. Returns a stop function. */
  follow(account: string | undefined, notify: (delivery: Delivery) => void): () => void
  /** Reports a call to the followers. */
  notify(account: string, delivery: Delivery): void
}

export function createWebhookFeed(): WebhookFeed {
  const followers = new Set<{ account: string | undefined; notify: (delivery: Delivery) => void }>()
  return {
    follow(account, notify) {
      const follower = { account, notify }
      followers.add(follower)
      return () => void followers.delete(follower)
    },
    notify(account, delivery) {
      for (const follower of followers) {
        if (follower.account !== undefined && follower.account !== account) continue
        try {
          follower.notify(delivery)
        } catch (error) {
          // An error of a follower does not affect the delivery.
          process.emitWarning(error instanceof Error ? error : String(error))
        }
      }
    },
  }
}
