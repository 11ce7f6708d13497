import { command, type Context } from '../../command.js'
import { CommandError, usageError } from '../../framework/exit.js'
import { list } from '../../framework/option.js'
import { aboutWords, isInSync, stateWords, type Peer } from '../sync/shared/peer.js'

const GOALS = ['ready', 'synced']
const WAIT_S = 30
const POLL_MS = 100

/** `coffer wait`. */
export const wait = command({
  path: ['wait'],
  summary: 'Wait until the node is ready, and in sync with its peers',
  description:
    'ready: the node answers. synced: every peer is in sync, including the contents of attached files; true for a node without peers, and paused peers do not count. --timeout sets how long to wait; it defaults to 30 seconds. Exits with 7 if the node is not ready in time, and with 3 if it is ready but a peer is not in sync, for example because no connected node has the contents of a file.',
  options: { for: list('Conditions to wait for: ready, synced; comma-separated; defaults to ready', { placeholder: 'ready,synced', separator: ',', suggests: GOALS }) },
  examples: [
    { type: 'coffer wait --timeout 10s', description: 'until the node answers' },
    { type: 'coffer wait --for ready,synced --timeout 5m', description: 'until all peers are in sync too' },
  ],
  json: '{"ready":true,"synced","peers"}; synced and peers only with --for synced',
  offline: false,
  async run(context, options) {
    const { out, flags } = context
    const unknown = options.for.find((each) => !GOALS.includes(each))
    if (unknown !== undefined) throw usageError(`--for takes ready and synced, not ${JSON.stringify(unknown)}`)
    const isSynced = options.for.includes('synced')
    const until = performance.now() + (flags.timeoutMs ?? WAIT_S * 1000)
    let peers: Peer[] | undefined
    for (;;) {
      peers = await peersNow(context, until)
      if (peers !== undefined && (!isSynced || peers.every(isInSync))) break
      if (performance.now() >= until) throw timeoutError(context, peers)
      await new Promise((resolve) => setTimeout(resolve, POLL_MS))
    }
    await out.result(isSynced ? { ready: true, synced: true, peers } : { ready: true }, {
      print: () => out.done(isSynced ? 'The node is ready, and in sync with its peers' : 'The node is ready'),
    })
  },
})

/** Returns the peers to wait for, once the node answers; undefined while it does not. */
async function peersNow({ connect }: Context, until: number): Promise<Peer[] | undefined> {
  try {
    const client = await connect(Math.max(1, until - performance.now()))
    try {
      const { peers } = await client.call('sync.peers', {}, {})
      return peers.filter(({ paused }) => !paused)
    } finally {
      await client.close()
    }
  } catch (error) {
    if (error instanceof CommandError && error.exit === 7) return undefined
    throw error
  }
}

function timeoutError({ place, remote, commandFor }: Context, peers: readonly Peer[] | undefined): CommandError {
  if (peers === undefined) {
    const hint = remote === undefined ? `Start the node: ${commandFor('start')}` : `See: ${commandFor('nodes', 'whoami')}`
    return new CommandError(`No node is answering for ${place}.`, { exit: 7, hint })
  }
  const missing = peers.filter((peer) => !isInSync(peer)).map((peer) => `${peer.name} (${[stateWords(peer), aboutWords(peer)].filter((each) => each !== '').join(': ')})`)
  return new CommandError(`Not in sync in time: ${missing.join(', ')}.`, { exit: 3, hint: `See: ${commandFor('sync', 'status')}` })
}
