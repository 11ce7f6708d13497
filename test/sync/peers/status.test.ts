/** Peer status of file transfers: during contact, and without one. */
import { describe, expect, it } from 'vitest'
import { statusOf, type PeerStatus, type PeerStats } from '../../../src/sync/peers/status.js'
import type { Peer, Scope } from '../../../src/store/replication/peers.js'
import type { SessionStatus } from '../../../src/sync/session/types.js'

const share: Scope = { is: 'share', streams: ['s'], direction: 'both', grantor: 'us' }
const peer: Peer = { number: 1, name: 'laptop', pairing: 'p', node: 'n', scope: { is: 'mirror' }, paired: 1 }
const session: SessionStatus = {
  ...{ state: 'behind', behind: 0, ahead: 0, received: 0, sent: 0, bytesReceived: 0, bytesSent: 0 },
  ...{ filesPending: 0, filesPendingCount: 0, filesMissing: 0, filesMissingBytes: 0, filesPendingThere: 0, filesMissingThere: 0 },
}
const stats: PeerStats = { lastContact: 100, wasInSync: true, ahead: 0 }

const status = (about: Partial<Peer>, wanted: number, remembered: PeerStats, live?: Partial<SessionStatus>): PeerStatus =>
  statusOf(
    { ...peer, ...about },
    {
      ...{ user: 'ana', now: 110, remembered, refused: 0, putAside: 0, wanted: { count: wanted, bytes: wanted * 10 } },
      ...(live === undefined ? {} : { live: { ...session, ...live } }),
    },
  )

describe('the status of a peer', () => {
  it('counts all files that a mirror waits for without contact, also after a restart', () => {
    for (const remembered of [stats, {}]) {
      expect(status({}, 35, remembered)).toMatchObject({ filesPendingCount: 35, filesPending: 350 })
    }
  })

  it('counts the files of a share as of the last contact, at most those still missing', () => {
    const last = { ...stats, filesPending: 50, filesPendingCount: 5 }
    expect(status({ scope: share }, 35, last)).toMatchObject({ filesPendingCount: 5, filesPending: 50 })
    expect(status({ scope: share }, 2, last)).toMatchObject({ filesPendingCount: 2, filesPending: 20 })
    expect(status({ scope: share }, 0, {})).toMatchObject({ filesPendingCount: 0, filesPending: 0 })
  })

  it('is not in sync between contacts while files are missing', () => {
    expect(status({ every: 900 }, 0, stats).state).toBe('in-sync')
    expect(status({ every: 900 }, 1, stats).state).toBe('offline')
    expect(status({ every: 900, scope: share }, 1, stats).state).toBe('in-sync')
  })

  it.each([
    [{ filesMissing: 3, filesMissingBytes: 30 }, '3 attached files are missing on both nodes.'],
    [{ filesMissingThere: 1 }, 'An attached file is missing on both nodes.'],
    [{ filesMissing: 2, filesMissingThere: 3 }, '3 attached files are missing on both nodes.'],
    [{}, undefined],
  ])('reports files that are missing on both nodes, %o', (files, reason) => {
    const shown = status({}, 3, stats, files)
    expect(shown).toMatchObject({ state: 'behind', ...files })
    expect(shown.reason).toBe(reason)
  })
})
