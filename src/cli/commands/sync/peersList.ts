import { command } from '../../command.js'
import { userOption } from '../../client/user.js'
import { counted } from '../../terminal/output/format.js'
import { peersOf, scheduleWords, scopeWords, stateWords } from './shared/peer.js'

/** `coffer sync peers list`. */
export const list = command({
  path: ['sync', 'peers', 'list'],
  summary: 'List the paired nodes and their settings',
  description: 'For the state of the sync, use coffer sync status.',
  options: { user: userOption },
  examples: [{ type: 'coffer sync peers list', description: 'peers of all accounts' }],
  json: '{"peers":[…],"node","fingerprint"}, as in coffer sync status',
  offline: true,
  async run({ out, connect, commandFor }, { user }) {
    const { peers, answer } = await peersOf(await connect(), { user })
    await out.list(answer, {
      columns: [
        { title: 'PEER', cell: ({ name }) => name, shrinks: true },
        { title: 'USER', cell: ({ user: of }) => of, shrinks: true },
        { title: 'SCOPE', cell: (peer) => scopeWords(peer), shrinks: true },
        { title: 'CONTACT', cell: (peer) => (peer.address === null ? 'connects to this node' : scheduleWords(peer)), drops: true },
        { title: 'STATE', cell: (peer) => stateWords(peer) },
        { title: 'ADDRESS', cell: ({ address }) => address ?? '', shrinks: true, drops: true },
      ],
      rows: peers,
      id: ({ id }) => id,
      count: peers.length === 0 ? `No peers. Pair one: ${commandFor('sync', 'pair')}` : counted(peers.length, 'peer'),
    })
  },
})
