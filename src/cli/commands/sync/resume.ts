import { command } from '../../command.js'
import { listOf, textOf } from '../../node/answer.js'
import { userOption } from '../../node/user.js'
import { peerOption, which } from '../../sync/peer.js'
import { counted } from '../../output/words.js'

/** `coffer sync resume`. */
export const resume = command({
  path: ['sync', 'resume'],
  summary: 'Go on with paired nodes that were paused',
  description: 'Peers that can be called are called at once.',
  options: { user: userOption, peer: peerOption },
  examples: [
    { type: 'coffer sync resume --peer phone', says: 'one peer' },
    { type: 'coffer sync resume', says: 'all of them' },
  ],
  json: '{"peers":[…]}, as of coffer sync status',
  offline: false,
  async run({ out, connect }, asked) {
    const door = await connect()
    const answer = await door.call('sync.resume', which(asked), {})
    const peers = listOf(answer['peers'])
    await out.result(answer, {
      tell: () => out.done(peers.length === 1 ? `${textOf(peers[0]?.['name'])} is resumed` : `${counted(peers.length, 'peer')} resumed`),
    })
  },
})
