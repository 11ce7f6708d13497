import { command } from '../../command.js'
import { numberOf } from '../../client/answer.js'
import { interruption } from '../../client/interruption.js'
import { userOption } from '../../client/user.js'
import { CommandError } from '../../framework/exit.js'
import { flag } from '../../framework/option.js'
import { amount, counted } from '../../terminal/output/format.js'
import { isInSync, peerOption, stateWords, which } from './shared/peer.js'
import { showProgress } from './shared/progress.js'

/** `coffer sync now`. */
export const now = command({
  path: ['sync', 'now'],
  summary: 'Sync with the paired nodes now',
  description:
    'Connects to every reachable peer that is not paused, exchanges changes, and returns after digests were compared. SENT and RECEIVED count the items exchanged while the command ran; they are 0 if the nodes were connected and in sync before. Exits with 0 if every peer is in sync, and with 3 if one is not in sync or cannot be reached.\n\n' +
    'With --deep both nodes first read all their items again, which takes a while and does not rely on stored digests. Nothing is ever discarded. --timeout sets the maximum wait; it defaults to ten minutes.',
  options: { deep: flag('Read all items again before comparing'), user: userOption, peer: peerOption },
  examples: [
    { type: 'coffer sync now', description: 'all peers' },
    { type: 'coffer sync now --peer laptop --deep', description: 'one peer, reading all items again' },
    { type: 'coffer sync now --timeout 30s --json', description: 'for scripts' },
  ],
  json: '{"peers":[{"id","name","user","state","sent","received","reason"}]}',
  offline: false,
  async run(context, { deep, user, peer }) {
    const { out, connect, flags, commandFor } = context
    const client = await connect('unlimited')
    const progress = showProgress(context, client, user)
    const params = { ...which({ user, peer }), deep, ...(flags.timeoutMs === undefined ? {} : { seconds: flags.timeoutMs / 1000 }) }
    const stopping = interruption()
    const answer = await stopping.or(client.call('sync.now', params, {})).finally(() => {
      progress.end()
      stopping.end()
    })
    if (answer === 'interrupted') {
      throw new CommandError('Interrupted. The nodes continue to sync in the background; nothing was lost.', { exit: 130, hint: ['Check the progress', 'sync', 'status'] })
    }
    const { peers } = answer
    const items = (value: unknown): string => amount(numberOf(value) ?? 0)
    await out.list(answer, {
      columns: [
        { title: 'PEER', cell: ({ name }) => name ?? '', shrinks: true },
        { title: 'USER', cell: ({ user: of }) => of ?? '', drops: true },
        { title: 'STATE', cell: stateWords },
        { title: 'SENT', cell: ({ sent }) => items(sent), align: 'right' },
        { title: 'RECEIVED', cell: ({ received }) => items(received), align: 'right' },
        { title: peers.some(({ reason }) => reason !== undefined) ? 'ABOUT' : '', cell: ({ reason }) => reason ?? '', shrinks: true, drops: 'late' },
      ],
      rows: peers,
      id: ({ id }) => id ?? '',
      count: peers.length === 0 ? `No peers. Pair one: ${commandFor('sync', 'pair')}` : counted(peers.length, 'peer'),
    })
    return peers.every(isInSync) ? 0 : 3
  },
})
