import { command } from '../../command.js'
import { numberOf } from '../../client/answer.js'
import { userOption } from '../../client/user.js'
import { text } from '../../framework/option.js'
import { aboutWords, onePeer, scheduleWords, scopeWords, stateWords } from './shared/peer.js'

/** `coffer sync peers show`. */
export const show = command({
  path: ['sync', 'peers', 'show'],
  summary: 'Show the details of a paired node',
  arguments: { peer: text('Name or id of the peer', { required: true, names: 'peer' }) },
  options: { user: userOption },
  examples: [{ type: 'coffer sync peers show laptop', description: 'one peer' }],
  json: '{"peer":{…}}, as in coffer sync status',
  offline: true,
  async run({ out, connect }, { peer: word, user }) {
    const peer = await onePeer(await connect(), word, user)
    const time = (value: unknown): string => {
      const seconds = numberOf(value)
      return seconds === undefined ? 'never' : out.time(seconds)
    }
    const lines: [string, string][] = [
      ['Account', peer.user],
      ['State', stateWords(peer)],
      ['About', aboutWords(peer)],
      ['Scope', scopeWords(peer)],
      ['Contact', peer.address === null ? 'connects to this node' : scheduleWords(peer)],
      ['Address', peer.address ?? ''],
      ['Last', time(peer.lastContact)],
      ['In sync', time(peer.inSyncAt)],
      ['Paired', time(peer.paired)],
      ['Node', peer.node],
    ]
    await out.result(
      { peer },
      {
        id: peer.id,
        print: async () => {
          await out.line(peer.name)
          for (const [name, value] of lines) if (value !== '') await out.line(`  ${name.padEnd(9)} ${value}`)
        },
      },
    )
  },
})
