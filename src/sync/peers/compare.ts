/** Connects to a peer and compares digests on request. */
import type { Session } from '../session/types.js'
import type { ConnectionDeps, PeerConnection } from './peerConnection.js'
import type { PeerState, PeerStatus } from './status.js'

export interface CompareOptions {
  /** True when both nodes recompute their digests from the items first. */
  deep?: boolean
  /** Timeout in seconds. */
  seconds: number
}

/** Maximum number of connections tried within the timeout. */
const MAX_SESSIONS = 4

/** Result of a comparison with a peer. */
export interface ComparisonResult {
  id: string
  name: string
  user: string
  state: PeerState
  /** Items sent and received meanwhile. */
  sent: number
  received: number
  reason?: string
}

/** Connects to a peer, if necessary, and compares digests. The result is `late` when there is none within `seconds`. */
export async function compareWith(
  deps: ConnectionDeps,
  link: PeerConnection,
  { deep = false, seconds }: CompareOptions,
  status: () => Promise<PeerStatus>,
): Promise<ComparisonResult> {
  let isLate = false
  let giveUp = (): void => {}
  const late = new Promise<'late'>((resolve) => {
    giveUp = deps.after(seconds, () => {
      isLate = true
      resolve('late')
    })
  })
  const release = link.keepOpen()
  const counted = countsOf(link.session)
  let outcome: 'in-sync' | 'behind' | 'late' | 'ended' = 'ended'
  const seen = new Set<Session>()
  let sent = 0
  let received = 0
  try {
    // A session can end before the answer: a newer connection replaces it, or its peer process has stopped, which only a send
    // detects.
    while (seen.size < MAX_SESSIONS && !isLate) {
      await Promise.race([link.connect(), late])
      const known = link.session
      if (known === undefined || seen.has(known)) break
      seen.add(known)
      const comparison: Promise<'in-sync' | 'behind' | 'ended'> = known.compare(deep ? { deep } : {}).catch(() => 'ended' as const)
      outcome = await Promise.race([comparison, known.ended.then(() => 'ended' as const), late])
      const after = countsOf(known)
      const before = counted.session === known ? counted : { sent: 0, received: 0 }
      sent += after.sent - before.sent
      received += after.received - before.received
      if (outcome !== 'ended') break
      await Promise.race([known.ended, late])
    }
    const { id, name, user, state, reason } = await status()
    const isKnown = outcome === 'in-sync' || outcome === 'behind'
    return {
      ...{ id, name, user, state: isKnown ? outcome as PeerState : state === 'in-sync' ? 'behind' : state, sent, received },
      ...(reason !== undefined && outcome !== 'in-sync' ? { reason } : outcome === 'late' ? { reason: lateReason(link.session) } : {}),
    }
  } finally {
    giveUp()
    release()
  }
}

function lateReason(session: Session | undefined): string {
  const { filesPendingCount = 0, filesPendingThere = 0 } = session?.status() ?? {}
  const files = filesPendingCount + filesPendingThere
  return files === 0 ? 'Timed out.' : `Timed out: ${files} attached ${files === 1 ? 'file is' : 'files are'} still in transfer.`
}

function countsOf(session: Session | undefined): { session: Session | undefined; sent: number; received: number } {
  const { sent, received } = session?.status() ?? { sent: 0, received: 0 }
  return { session, sent, received }
}
