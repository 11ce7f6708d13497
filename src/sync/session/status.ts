/** Status of a session, with listeners. */
import type { SessionStatus } from './types.js'

export interface StatusKeeper {
  readonly status: SessionStatus
  /** Updates fields of the status and notifies listeners. */
  set(change: Partial<SessionStatus>): void
  on(listener: (status: SessionStatus) => void): () => void
}

/** Creates the status of a session. `bytes` returns the bytes sent and received on the wire. */
export function createStatusKeeper(bytes: () => { sent: number; received: number }): StatusKeeper {
  const listeners = new Set<(status: SessionStatus) => void>()
  let stored: SessionStatus = {
    state: 'syncing',
    behind: 0,
    ahead: 0,
    received: 0,
    sent: 0,
    bytesReceived: 0,
    bytesSent: 0,
    filesPending: 0,
    filesPendingCount: 0,
    filesMissing: 0,
    filesMissingBytes: 0,
    filesPendingThere: 0,
    filesMissingThere: 0,
    refused: 0,
    refusedByPeer: 0,
  }
  const counted = (): SessionStatus => {
    const { sent, received } = bytes()
    return { ...stored, bytesSent: sent, bytesReceived: received }
  }
  return {
    get status() {
      return counted()
    },
    set(change) {
      stored = { ...stored, ...change }
      if (listeners.size === 0) return
      const status = counted()
      for (const listener of listeners) listener(status)
    },
    on(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}
