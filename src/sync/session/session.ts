/**
 * Sessions. A session synchronises one account between two nodes over a channel, and keeps it in sync until either side ends
 * it. `startSession` opens the replica of the account (`Replica`, replica.ts) and runs the protocol. Both sides are equal.
 *
 * Read protocol.ts next: it exchanges hellos (hello.ts), starts both directions, and dispatches messages.
 *
 * - sender.ts sends the feed (feedReader.ts, batchBuilder.ts) and answers as groups; shareKeeper.ts restricts them to a share.
 * - receiver.ts merges groups and records positions; fileReceiver.ts fetches the bytes of attached files.
 * - comparison.ts compares digests once both feeds are drained, and finds the items that differ.
 */
import { openReplica } from './accountReplica.js'
import { runProtocol } from './protocol.js'
import type { Session, SessionOptions } from './types.js'

const MAX_SKEW = 300

/** Starts a session of an account with a peer whose identity the channel has verified. */
export async function startSession(options: SessionOptions): Promise<Session> {
  const { channel, now, log, product = 'coffer', instance = '', maxClockSkewSeconds = MAX_SKEW } = options
  const { replica, close } = await openReplica(options)
  try {
    const session = await runProtocol({ channel, replica, now, log, product, instance, maxSkew: maxClockSkewSeconds })
    void session.ended.then(close)
    return session
  } catch (error) {
    close()
    throw error
  }
}
