/** What came of one contact, as the history of a peer tells it. */
import type { SessionEnd, SessionStatus } from '../session/session.js'
import type { Contact } from './history.js'

/** The contact that a session was, once it has ended. */
export function contactResult(began: number, ended: number, status: SessionStatus, end: SessionEnd): Contact {
  const { state, sent, received, bytesSent, bytesReceived, inSyncAt } = status
  return {
    began,
    ended,
    ...{ sent, received, bytesSent, bytesReceived },
    result: resultOf(state === 'in-sync' || inSyncAt !== undefined, end),
    met: true,
    ...(inSyncAt === undefined ? {} : { inSyncAt }),
  }
}

/** An attempt that failed: one more of those before it, if they failed for the same reason. */
export function failedContact(former: Contact | undefined, began: number, ended: number, reason: string): Contact {
  if (former?.result === reason) return { ...former, ended, attempts: (former.attempts ?? 1) + 1 }
  return { began, ended, sent: 0, received: 0, bytesSent: 0, bytesReceived: 0, result: reason, met: false }
}

function resultOf(wasInSync: boolean, { reason, message, byPeer }: SessionEnd): string {
  const about = reason === 'closed' ? '' : `${byPeer ? 'the other node: ' : ''}${message}`
  if (!wasInSync) return about === '' ? 'ended before both were in sync' : about
  return about === '' ? 'in sync' : `in sync, then ${about}`
}
