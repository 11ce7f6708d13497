/** Webhook interface of a node: sends test calls, and reports each call to followers. */
import type { WebhookFeed } from './feed.js'
import type { Post } from './post.js'

interface Webhooks extends WebhookFeed {
  /** Calls a URL once. */
  readonly post: Post
}

/** Needed by functions that call webhooks. */
export interface WebhookDeps {
  readonly webhooks: Webhooks
}
