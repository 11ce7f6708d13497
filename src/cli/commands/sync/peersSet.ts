import { command } from '../../command.js'
import { usageError } from '../../framework/exit.js'
import { userOption } from '../../client/user.js'
import { choice, duration, flag, list, text } from '../../framework/option.js'
import { onePeer, scheduleWords, scopeWords } from './shared/peer.js'

/** `coffer sync peers set`. */
export const set = command({
  path: ['sync', 'peers', 'set'],
  summary: 'Change the settings of a paired node',
  description:
    'Only the node that shares streams can change which ones. Streams that are no longer shared are withdrawn: the other node deletes its copy, provided it cooperates; a copy once given cannot be recalled. A peer that has the whole account cannot be restricted; end that pairing, and pair again with --share.\n\n' +
    'With --every this node connects at that interval and disconnects once both are in sync; with --always they stay connected, which is the default. Both only apply to connections made by this node.',
  arguments: { peer: text('Name or id of the peer', { required: true, names: 'peer' }) },
  options: {
    user: userOption,
    streams: list('Streams to share from now on; comma-separated', { placeholder: 'ids', separator: ',', names: 'stream' }),
    direction: choice(['send', 'receive', 'both'], 'Direction of the share'),
    every: duration('Interval between connections, such as 15m'),
    always: flag('Stay connected'),
    name: text('Name of the peer on this node', { placeholder: 'name' }),
    address: text('URL of the peer; none: this node does not connect to it', { placeholder: 'url' }),
  },
  examples: [
    { type: 'coffer sync peers set phone --streams heart', description: 'change the shared streams' },
    { type: 'coffer sync peers set nas --every 15m', description: 'connect every 15 minutes' },
    { type: 'coffer sync peers set nas --address https://nas.example.org', description: 'update the URL' },
  ],
  json: '{"peer":{…}}, as in coffer sync status',
  offline: false,
  async run({ out, connect }, { peer: word, user, streams, direction, every, always, name, address }) {
    if (every !== undefined && always) throw usageError('--every and --always cannot be combined', 'See: coffer sync peers set --help')
    const change = {
      ...(streams.length === 0 ? {} : { streams }),
      ...(direction === undefined ? {} : { direction }),
      ...(every !== undefined ? { every } : always ? { every: null } : {}),
      ...(name === undefined ? {} : { name }),
      ...(address === undefined ? {} : { address: address === 'none' ? null : address }),
    }
    if (Object.keys(change).length === 0) throw usageError('Nothing to change: no option given', 'See: coffer sync peers set --help')
    const client = await connect()
    const found = await onePeer(client, word, user)
    const answer = await client.call('sync.set', { username: found.user, peer: found.id, ...change }, {})
    const { peer } = answer
    await out.result(answer, {
      id: peer.id,
      print: () => out.done(`${peer.name}: ${scopeWords(peer)}, ${scheduleWords(peer)}`),
    })
  },
})
