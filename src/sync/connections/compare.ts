/** Meeting a peer and comparing with it at once, for somebody who waits. */
import type { Session } from '../session/session.js'
import type { PeerConnection, ConnectionDeps } from './peerConnection.js'
import type { PeerState, PeerStatus } from './status.js'

export interface CompareOptions {
  /** Both nodes make their digests again from the items first. */
  deep?: boolean
  /** When to give up, in seconds from now. */
  seconds: number
}

/** Connections that may be lost while somebody waits. */
const MAX_SESSIONS = 4

/** What came of comparing with a peer. */
export interface Compared {
  id: string
  name: string
  user: string
  state: PeerState
  /** Items given and taken in meanwhile. */
  sent: number
  received: number
  reason?: string
}

/** Meets a peer, unless there is contact, and compares. What the peer says comes too late after `seconds`. */
export async function compareWith(
  environment: ConnectionDeps,
  link: PeerConnection,
  { deep = false, seconds }: CompareOptions,
  status: () => Promise<PeerStatus>,
): Promise<Compared> {
  let isLate = false
  let giveUp = (): void => {}
  const late = new Promise<'late'>((resolve) => {
    giveUp = environment.after(seconds, () => {
      isLate = true
      resolve('late')
    })
  })
  const release = link.hold()
  const counted = countsOf(link.session)
  let outcome: 'in-sync' | 'behind' | 'late' | 'ended' = 'ended'
  const seen = new Set<Session>()
  let sent = 0
  let received = 0
  try {
    // Another connection may take the place of one that has begun; and one that seemed to be there may lead to a process
    // that is gone, which shows only when something is sent.
    while (seen.size < MAX_SESSIONS && !isLate) {
      await Promise.race([link.meet(), late])
      const known = link.session
      if (known === undefined || seen.has(known)) break
      seen.add(known)
      const input: Promise<'in-sync' | 'behind' | 'ended'> = known.compare(deep ? { deep } : {}).catch(() => 'ended' as const)
      outcome = await Promise.race([input, known.ended.then(() => 'ended' as const), late])
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
  return files === 0 ? 'It took too long.' : `It took too long: ${files} attached ${files === 1 ? 'file is' : 'files are'} still on the way.`
}

function countsOf(session: Session | undefined): { session: Session | undefined; sent: number; received: number } {
  const { sent, received } = session?.status() ?? { sent: 0, received: 0 }
  return { session, sent, received }
}
