/** What a node offers of webhooks: calling an address, and telling who follows of each call. */
import type { WebhookFeed } from './feed.js'
import type { Post } from './post.js'

export interface Webhooks extends WebhookFeed {
  /** Calls an address once. */
  readonly post: Post
}
