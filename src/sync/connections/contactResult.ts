/** Results of contacts for the history of a peer. */
import type { SessionEnd, SessionStatus } from '../session/session.js'
import type { Contact } from './history.js'

/** Returns the contact for an ended session. */
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

/** Returns the contact for a failed attempt, combined with previous attempts that failed for the same reason. */
export function failedContact(former: Contact | undefined, began: number, ended: number, reason: string): Contact {
  if (former?.result === reason) return { ...former, ended, attempts: (former.attempts ?? 1) + 1 }
  return { began, ended, sent: 0, received: 0, bytesSent: 0, bytesReceived: 0, result: reason, met: false }
}

function resultOf(wasInSync: boolean, { reason, message, byPeer }: SessionEnd): string {
  const about = reason === 'closed' ? '' : `${byPeer ? 'the other node: ' : ''}${message}`
  if (!wasInSync) return about === '' ? 'ended before both were in sync' : about
  return about === '' ? 'in sync' : `in sync, then ${about}`
}
