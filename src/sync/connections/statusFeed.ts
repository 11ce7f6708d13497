/** Tells those who follow how it stands with peers, as it changes. */
import type { PeerConnection, ConnectionDeps } from './peerConnection.js'
import type { PeerStatus } from './status.js'

/** Changes of a status within this time are told as one. */
const NOTIFY_INTERVAL_S = 0.1

export interface StatusFeed {
  changed(link: PeerConnection): void
  /** Tells the statuses of an account's peers, without `account` of all. Answers how to stop. */
  follow(account: string | undefined, notify: (status: PeerStatus) => void): () => void
}

/** @param read the status of a link; undefined once it is none of the node's any more. */
export function createStatusFeed(environment: ConnectionDeps, read: (link: PeerConnection) => Promise<PeerStatus | undefined>): StatusFeed {
  const followers = new Set<{ account: string | undefined; notify: (status: PeerStatus) => void }>()
  const due = new Set<PeerConnection>()

  async function notify(link: PeerConnection): Promise<void> {
    due.delete(link)
    const status = await read(link).catch(() => undefined)
    if (status === undefined) return
    for (const follower of followers) {
      if (follower.account === undefined || follower.account === link.account.prefix) follower.notify(status)
    }
  }

  return {
    changed(link) {
      if (followers.size === 0 || due.has(link)) return
      due.add(link)
      environment.after(NOTIFY_INTERVAL_S, () => void notify(link))
    },
    follow(account, notify) {
      const follower = { account, notify }
      followers.add(follower)
      return () => void followers.delete(follower)
    },
  }
}
