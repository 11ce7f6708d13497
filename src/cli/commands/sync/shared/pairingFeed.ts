/** Follows the progress of pairings on a node. */
import { Failure } from '../../../../store/model/failure.js'
import { CommandError } from '../../../framework/exit.js'
import { recordOf } from '../../../client/answer.js'
import type { NodeClient, ResultOf } from '../../../client/nodeClient.js'
import { nodeStopped } from '../../../client/feed.js'

/** State of a pairing; lines of the feed `node.sync` have the form of results. */
export type Pairing = ResultOf<'sync.offer'>['pairing']

interface PairingFeed {
  /** Resolves with the pairing once the other node has connected. Rejects with CommandError when it fails. */
  met(pairing: string): Promise<Pairing>
  /** Rejects with CommandError when the pairing fails. */
  over(pairing: string): Promise<never>
}

/**
 * Follows the pairings of an account from now on.
 * @throws CommandError 7 when no node runs
 */
export function followPairings(client: NodeClient, user: string): PairingFeed {
  const lines = client.lines?.('node.sync', {}, { user })[Symbol.asyncIterator]()
  if (lines === undefined) throw nodeStopped()
  const next = (): Promise<IteratorResult<unknown>> => lines.next()
  // Request the first line at once, because it may take long to come.
  let first: Promise<IteratorResult<unknown>> | undefined = lines.next()
  first.catch(() => undefined)

  async function nextView(pairing: string): Promise<Pairing> {
    for (;;) {
      const line = await (first ?? next())
      first = undefined
      if (line.done === true) throw nodeStopped()
      const view = recordOf(line.value)['pairing'] as Pairing | undefined
      if (view?.id !== pairing) continue
      if (view.state === 'failed') throw new CommandError(`Not paired: ${view.reason ?? ''}`)
      return view
    }
  }

  return {
    async met(pairing) {
      for (;;) {
        const view = await nextView(pairing)
        if (view.state === 'met') return view
      }
    },
    async over(pairing) {
      for (;;) await nextView(pairing)
    },
  }
}

/**
 * Withdraws a pairing after Ctrl-C, a negative answer or a failure.
 * @throws CommandError 1 when both sides have confirmed in the meantime
 */
export async function withdrawPairing(client: NodeClient, pairing: string): Promise<void> {
  try {
    await client.call('sync.withdraw', { pairing }, {})
  } catch (error) {
    // A pairing that is not pending is already gone.
    if (error instanceof Failure && error.id === 'invalid-operation') {
      throw new CommandError('Too late: both sides have confirmed.', { hint: ['End the pairing', 'sync', 'unpair', '<peer>'] })
    }
  }
}
