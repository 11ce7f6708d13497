/** What the node tells of a pairing on its way. */
import { Failure } from '../../store/model/failure.js'
import { CommandError } from '../framework/exit.js'
import { recordOf, textOf, type Record_ } from '../client/answer.js'
import type { NodeClient } from '../client/nodeClient.js'
import { nodeStopped } from '../client/feed.js'

export interface PairingFeed {
  /** The pairing, once the other node has come. Rejects with CommandError when it comes to nothing. */
  met(pairing: string): Promise<Record_>
  /** Rejects with CommandError when the pairing comes to nothing. */
  over(pairing: string): Promise<never>
}

/** Follows the pairings of an account from now on. @throws CommandError 7 when no node runs */
export function followPairings(client: NodeClient, user: string): PairingFeed {
  const lines = client.lines?.('node.sync', {}, { user })[Symbol.asyncIterator]()
  if (lines === undefined) throw nodeStopped()
  const next = (): Promise<IteratorResult<unknown>> => lines.next()
  // The first line may be long in coming, so it is asked for before there is anything to tell.
  let coming: Promise<IteratorResult<unknown>> | undefined = lines.next()
  coming.catch(() => undefined)

  async function described(pairing: string): Promise<Record_> {
    for (;;) {
      const line = await (coming ?? next())
      coming = undefined
      if (line.done === true) throw nodeStopped()
      const view = recordOf(recordOf(line.value)['pairing'])
      if (view['id'] !== pairing) continue
      if (view['state'] === 'failed') throw new CommandError(`Not paired: ${textOf(view['reason'])}`)
      return view
    }
  }

  return {
    async met(pairing) {
      for (;;) {
        const view = await described(pairing)
        if (view['state'] === 'met') return view
      }
    },
    async over(pairing) {
      for (;;) await described(pairing)
    },
  }
}

/** Takes a pairing back after Ctrl-C, a no or a failure. @throws CommandError 1 when both have confirmed in the meantime */
export async function takeBack(client: NodeClient, pairing: string): Promise<void> {
  try {
    await client.call('sync.withdraw', { pairing }, {})
  } catch (error) {
    // What is not on its way any more is gone already.
    if (error instanceof Failure && error.id === 'invalid-operation') {
      throw new CommandError('Too late: both sides have confirmed.', { hint: ['End the pairing', 'sync', 'unpair', '<peer>'] })
    }
  }
}
