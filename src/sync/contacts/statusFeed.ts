/** Tells those who follow how it stands with peers, as it changes. */
import type { Link, LinkWorld } from './link.js'
import type { PeerStatus } from './status.js'

/** Changes of a status within this time are told as one. */
const TELL_EACH_S = 0.1

export interface StatusFeed {
  changed(link: Link): void
  /** Tells the statuses of an account's peers, without `account` of all. Answers how to stop. */
  follow(account: string | undefined, tell: (status: PeerStatus) => void): () => void
}

/** @param read the status of a link; undefined once it is none of the node's any more. */
export function createStatusFeed(world: LinkWorld, read: (link: Link) => Promise<PeerStatus | undefined>): StatusFeed {
  const followers = new Set<{ account: string | undefined; tell: (status: PeerStatus) => void }>()
  const due = new Set<Link>()

  async function tell(link: Link): Promise<void> {
    due.delete(link)
    const status = await read(link).catch(() => undefined)
    if (status === undefined) return
    for (const follower of followers) {
      if (follower.account === undefined || follower.account === link.account.prefix) follower.tell(status)
    }
  }

  return {
    changed(link) {
      if (followers.size === 0 || due.has(link)) return
      due.add(link)
      world.after(TELL_EACH_S, () => void tell(link))
    },
    follow(account, tell) {
      const follower = { account, tell }
      followers.add(follower)
      return () => void followers.delete(follower)
    },
  }
}
