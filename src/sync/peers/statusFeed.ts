/** Feed of status changes of peers. */
import type { ConnectionDeps, PeerConnection } from './peerConnection.js'
import type { PeerStatus } from './status.js'

/** Seconds within which changes of a status are combined. */
const NOTIFY_INTERVAL_S = 0.1

interface StatusFeed {
  changed(link: PeerConnection): void
  /** Calls `notify` with the statuses of an account's peers, or of all without `account`. Returns a function that stops. */
  follow(account: string | undefined, notify: (status: PeerStatus) => void): () => void
}

/**
 * Creates the feed.
 * @param read returns the status of a connection; undefined once it was removed.
 */
export function createStatusFeed(deps: ConnectionDeps, read: (link: PeerConnection) => Promise<PeerStatus | undefined>): StatusFeed {
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
      deps.after(NOTIFY_INTERVAL_S, () => void notify(link))
    },
    follow(account, notify) {
      const follower = { account, notify }
      followers.add(follower)
      return () => void followers.delete(follower)
    },
  }
}
