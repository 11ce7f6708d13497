/** Rollback of an acceptance whose purpose failed. */
import { accessIdOf } from '../../../../store/model/access.js'
import { Failure } from '../../../../store/model/failure.js'
import { findEvent } from '../../../../store/events/events.js'
import { remove } from '../../accesses/delete.js'
import { callToken, withTrail } from '../../../dispatch/call.js'
import { objectOf } from '../objects.js'
import { stampEvent } from '../stamp.js'
import type { Call } from '../../../call/method.js'
import { earlierGrant } from './dataGrant.js'
import type { PeerDeps } from './peerClient.js'

/**
 * Ends what `acceptOffer` began by an event, whatever its outcome: ends the access, notifies the other account if it was
 * contacted, and blocks later attempts. Does not wait for a running attempt, whose result ends too. Never rejects; failures are
 * logged.
 */
export async function rollBack(call: Call<PeerDeps>, eventId: string): Promise<void> {
  const { node, account } = call
  const undelivered = (error: unknown): void => node.log.error('failed to roll back a consent', { event: eventId, error: String(error) })
  try {
    const { status } = objectOf(findEvent(account.db, account.prefix, eventId)?.content)
    // Attempts that start from now on abort.
    if (status !== 'completed') await account.write((t) => stampEvent(node, t, eventId, { withdrawal: { at: node.clock.now(), by: 'accesses.delete' } }))
    const isOver = status === 'completed' || status === 'failed'
    if (isOver) return await endGrant(call, eventId)
    void node.consents
      .settled(account.prefix, eventId)
      .then(() => endGrant(call, eventId))
      .catch(undelivered)
  } catch (error) {
    undelivered(error)
  }
}

async function endGrant(call: Call<PeerDeps>, eventId: string): Promise<void> {
  const { node, account } = call
  const event = findEvent(account.db, account.prefix, eventId)
  const grant = event === undefined ? undefined : await earlierGrant({ node, account, event })
  if (grant === undefined) return
  try {
    await callToken(withTrail(call, remove), remove, { id: accessIdOf(grant) })
  } catch (error) {
    if (!(error instanceof Failure && error.id === 'unknown-resource')) throw error
  }
}
