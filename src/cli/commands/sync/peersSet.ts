import { command } from '../../command.js'
import { usageError } from '../../framework/exit.js'
import { recordOf, textOf } from '../../client/answer.js'
import { userOption } from '../../client/user.js'
import { choice, duration, flag, list, text } from '../../framework/option.js'
import { onePeer, scheduleWords, scopeWords } from '../../sync/peer.js'

/** `coffer sync peers set`. */
export const set = command({
  path: ['sync', 'peers', 'set'],
  summary: 'Change what is shared with a paired node, or how it is called',
  description:
    'Only who shares streams may change which: on the other side nothing of it can be changed. What is not shared any more is withdrawn: the other node forgets its copy, if it is an honest one; a copy once given cannot be called back. A peer that keeps the whole account cannot be narrowed; end that pairing, and pair again with --share.\n\n' +
    'With --every this node calls the other at that interval and hangs up once both are in sync; with --always they stay connected, which is how every pairing begins. Both concern calls of this node alone.',
  arguments: { peer: text('Its name or id', { required: true, names: 'peer' }) },
  options: {
    user: userOption,
    streams: list('The streams to share from now on, parted by commas', { placeholder: 'ids', separator: ',' }),
    direction: choice(['send', 'receive', 'both'], 'Who writes what is shared'),
    every: duration('Time between calls, such as 15m'),
    always: flag('Stay connected'),
    name: text('What it is called here', { placeholder: 'name' }),
    address: text('Where it is called; none: this node does not call it', { placeholder: 'url' }),
  },
  examples: [
    { type: 'coffer sync peers set phone --streams heart', says: 'share less, or more' },
    { type: 'coffer sync peers set nas --every 15m', says: 'call it now and then' },
    { type: 'coffer sync peers set nas --address https://nas.example.org', says: 'it has moved' },
  ],
  json: '{"peer":{…}}, as of coffer sync status',
  offline: false,
  async run({ out, connect }, { peer: word, user, streams, direction, every, always, name, address }) {
    if (every !== undefined && always) throw usageError('--every and --always exclude one another', 'See: coffer sync peers set --help')
    const change = {
      ...(streams.length === 0 ? {} : { streams }),
      ...(direction === undefined ? {} : { direction }),
      ...(every !== undefined ? { every } : always ? { every: null } : {}),
      ...(name === undefined ? {} : { name }),
      ...(address === undefined ? {} : { address: address === 'none' ? null : address }),
    }
    if (Object.keys(change).length === 0) throw usageError('Nothing to change is given', 'See: coffer sync peers set --help')
    const client = await connect()
    const found = await onePeer(client, word, user)
    const answer = await client.call('sync.set', { username: textOf(found['user']), peer: textOf(found['id']), ...change }, {})
    const peer = recordOf(answer['peer'])
    await out.result(answer, {
      id: textOf(peer['id']),
      print: () => out.done(`${textOf(peer['name'])}: ${scopeWords(peer)}, ${scheduleWords(peer)}`),
    })
  },
})
