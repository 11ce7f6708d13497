import { command } from '../../command.js'
import { userOption } from '../../client/user.js'
import { amount } from '../../terminal/output/format.js'
import { isInSync, peerOption, stateWords, which } from './shared/peer.js'
import { showProgress } from './shared/progress.js'

/** `coffer sync verify`. */
export const verify = command({
  path: ['sync', 'verify'],
  summary: 'Recompute the sync digests on both nodes and compare them',
  description:
    'Recomputes the digests of this node from its items, reports whether the stored ones were correct, and has every peer do the same before both compare. Exits with 13 if the stored digests of this node did not match its items (they are corrected), else with 3 if a peer differs or cannot be reached, else with 0. Differences are exchanged like any change; nothing is discarded.',
  options: { user: userOption, peer: peerOption },
  examples: [{ type: 'coffer sync verify', description: 'all accounts that have peers' }],
  json: '{"accounts":[{"user","sound","items"}],"peers":[…]}, peers as of coffer sync now',
  offline: false,
  async run(context, options) {
    const { out, connect, flags } = context
    const client = await connect('unlimited')
    const progress = showProgress(context, client, options.user)
    const params = { ...which(options), ...(flags.timeoutMs === undefined ? {} : { seconds: flags.timeoutMs / 1000 }) }
    const answer = await client.call('sync.verify', params, {}).finally(() => progress.end())
    const { accounts } = answer
    const { peers } = answer
    await out.result(answer, {
      print: async () => {
        for (const { user, sound, items } of accounts) {
          const count = amount(items)
          await out.line(`${sound ? '✔' : '✖'} ${user}: ${count} items read again${sound ? '' : '; the stored digests were wrong and have been corrected'}`)
        }
        for (const peer of peers) {
          const reason = peer.reason ?? ''
          await out.line(`${isInSync(peer) ? '✔' : '✖'} ${peer.name}: ${stateWords(peer)}${reason === '' ? '' : `: ${reason}`}`)
        }
      },
    })
    if (accounts.some(({ sound }) => !sound)) return 13
    return peers.every(isInSync) ? 0 : 3
  },
})
