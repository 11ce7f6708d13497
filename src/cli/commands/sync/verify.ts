import { command } from '../../command.js'
import { listOf, numberOf, textOf } from '../../client/answer.js'
import { userOption } from '../../client/user.js'
import { amount } from '../../terminal/output/format.js'
import { isInSync, peerOption, stateWords, which } from '../../sync/peer.js'
import { showProgress } from '../../sync/progress.js'

/** `coffer sync verify`. */
export const verify = command({
  path: ['sync', 'verify'],
  summary: 'Read everything again on both sides, and compare',
  description:
    'Makes the digests of this node again from its items, says whether they were what they should be, and has every peer do the same before both compare. Exits 13 when what was remembered here did not fit the items (it is right again then), else 3 when a peer is different or cannot be reached, else 0. What differs is exchanged like any change; nothing is discarded.',
  options: { user: userOption, peer: peerOption },
  examples: [{ type: 'coffer sync verify', says: 'all accounts that have peers' }],
  json: '{"accounts":[{"user","sound","items"}],"peers":[…]}, peers as of coffer sync now',
  offline: false,
  async run(context, options) {
    const { out, connect, flags } = context
    const client = await connect('unlimited')
    const progress = showProgress(context, client, options.user)
    const params = { ...which(options), ...(flags.timeoutMs === undefined ? {} : { seconds: flags.timeoutMs / 1000 }) }
    const answer = await client.call('sync.verify', params, {}).finally(() => progress.end())
    const accounts = listOf(answer['accounts'])
    const peers = listOf(answer['peers'])
    await out.result(answer, {
      print: async () => {
        for (const { user, sound, items } of accounts) {
          const count = amount(numberOf(items) ?? 0)
          await out.line(`${sound === true ? '✔' : '✖'} ${textOf(user)}: ${count} items read again${sound === true ? '' : '; what was remembered of them was wrong, and is right again'}`)
        }
        for (const peer of peers) {
          const reason = textOf(peer['reason'])
          await out.line(`${isInSync(peer) ? '✔' : '✖'} ${textOf(peer['name'])}: ${stateWords(peer)}${reason === '' ? '' : `: ${reason}`}`)
        }
      },
    })
    if (accounts.some(({ sound }) => sound !== true)) return 13
    return peers.every(isInSync) ? 0 : 3
  },
})
