/** Tells of each call that a webhook makes, as it is made: for the person at the terminal. */

/** Why a call was not taken, beside its status. */
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

/** One call, or one that could not be made. */
export interface Delivery {
  webhookId: string
  accessId: string
  /** As the webhook has it: it may hold a secret of the receiver. */
  url: string
  /** `eventsChanged` and the like, names of scopes, `systemBoot`, or `test` alone for a test. */
  messages: string[]
  /** Status of the answer; 0 when there was none. */
  status: number
  /** When it ended, in seconds. */
  timestamp: number
  /** Why it failed; absent for answers with a status that says so, except redirects. */
  error?: CallError
  /** When the webhook is called again with what it could not tell, in seconds. */
  nextAttempt?: number
  /** The webhook failed too often and is not called any more. */
  isStopped?: true
}

export interface WebhookFeed {
  /** Tells the calls of an account's webhooks, without `account` of all accounts. Answers how to stop. */
  follow(account: string | undefined, notify: (delivery: Delivery) => void): () => void
  /** Hands a call on to those who follow. */
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
          // A fault of one who follows is not one of the delivery.
          process.emitWarning(error instanceof Error ? error : String(error))
        }
      }
    },
  }
}
