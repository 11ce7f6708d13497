import { command } from '../../command.js'
import { listOf, textOf } from '../../node/answer.js'
import { userOption } from '../../node/user.js'
import { peerOption, which } from '../../sync/peer.js'
import { counted } from '../../output/words.js'

/** `coffer sync pause`. */
export const pause = command({
  path: ['sync', 'pause'],
  summary: 'Exchange nothing with paired nodes until they are resumed',
  description: 'Contacts are ended, and no call is made or answered; the other node is told. The pairing stays.',
  options: { user: userOption, peer: peerOption },
  examples: [
    { type: 'coffer sync pause --peer phone', says: 'one peer' },
    { type: 'coffer sync pause', says: 'all of them' },
  ],
  json: '{"peers":[…]}, as of coffer sync status',
  offline: false,
  async run({ out, connect }, asked) {
    const door = await connect()
    const answer = await door.call('sync.pause', which(asked), {})
    const peers = listOf(answer['peers'])
    await out.result(answer, {
      tell: () => out.done(peers.length === 1 ? `${textOf(peers[0]?.['name'])} is paused` : `${counted(peers.length, 'peer')} paused`),
    })
  },
})
