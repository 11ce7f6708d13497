import { command, type Command } from '../../command.js'
import { listOf, textOf } from '../../client/answer.js'
import { userOption } from '../../client/user.js'
import { peerOption, which } from './shared/peer.js'
import { counted } from '../../terminal/output/format.js'

interface PauseCommand {
  verb: string
  /** State of the peers afterwards, for the message. */
  state: string
  summary: string
  description: string
}

const pauseCommand = ({ verb, state, summary, description }: PauseCommand): Command =>
  command({
    path: ['sync', verb],
    summary,
    description,
    options: { user: userOption, peer: peerOption },
    examples: [
      { type: `coffer sync ${verb} --peer phone`, description: 'one peer' },
      { type: `coffer sync ${verb}`, description: 'all peers' },
    ],
    json: '{"peers":[…]}, as in coffer sync status',
    offline: false,
    async run({ out, connect }, options) {
      const client = await connect()
      const answer = await client.call(`sync.${verb}`, which(options), {})
      const peers = listOf(answer['peers'])
      await out.result(answer, {
        print: () => out.done(peers.length === 1 ? `${textOf(peers[0]?.['name'])} is ${state}` : `${counted(peers.length, 'peer')} ${state}`),
      })
    },
  })

/** `coffer sync pause`. */
export const pause = pauseCommand({
  verb: 'pause',
  state: 'paused',
  summary: 'Pause sync with paired nodes',
  description: 'Closes connections and neither makes nor accepts new ones until coffer sync resume; the other nodes are notified. The pairing stays.',
})

/** `coffer sync resume`. */
export const resume = pauseCommand({
  verb: 'resume',
  state: 'resumed',
  summary: 'Resume sync with paused nodes',
  description: 'Connects to reachable peers immediately.',
})
