import { command, type Context } from '../../command.js'
import { CommandError, usageError } from '../../framework/exit.js'
import { listOf, textOf, type Record_ } from '../../client/answer.js'
import { list } from '../../framework/option.js'
import { aboutWords, isInSync, stateWords } from '../../sync/peer.js'

const GOALS = ['ready', 'synced']
const WAIT_S = 30
const LOOK_EVERY_MS = 100

/** `coffer wait`. */
export const wait = command({
  path: ['wait'],
  summary: 'Return when the node is ready, and in sync with its peers',
  description:
    'ready: the node answers. synced: every peer is in sync, with the bytes of all attached files on both nodes, which is true of a node without peers; peers that are paused do not count. --timeout says how long to wait, 30 seconds without it. Exits 7 when the node is not ready in time, and 3 when it is and a peer is not in sync, which is also so while files are missing that no connected node has.',
  options: { for: list('What to wait for: ready, synced; ready without it', { placeholder: 'ready,synced', separator: ',', suggests: GOALS }) },
  examples: [
    { type: 'coffer wait --timeout 10s', says: 'until the node answers' },
    { type: 'coffer wait --for ready,synced --timeout 5m', says: 'until its copies are in sync too' },
  ],
  json: '{"ready":true,"synced","peers"}; synced and peers with --for synced alone',
  offline: false,
  async run(context, options) {
    const { out, flags } = context
    const unknown = options.for.find((each) => !GOALS.includes(each))
    if (unknown !== undefined) throw usageError(`--for takes ready and synced, not ${JSON.stringify(unknown)}`)
    const isSynced = options.for.includes('synced')
    const until = performance.now() + (flags.timeoutMs ?? WAIT_S * 1000)
    let peers: Record_[] | undefined
    for (;;) {
      peers = await peersNow(context, until)
      if (peers !== undefined && (!isSynced || peers.every(isInSync))) break
      if (performance.now() >= until) throw late(context, peers)
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))
    }
    await out.result(isSynced ? { ready: true, synced: true, peers } : { ready: true }, {
      print: () => out.done(isSynced ? 'The node is ready, and in sync with its peers' : 'The node is ready'),
    })
  },
})

/** The peers that are to be in sync, once the node answers; undefined while it does not. */
async function peersNow({ connect }: Context, until: number): Promise<Record_[] | undefined> {
  try {
    const client = await connect(Math.max(1, until - performance.now()))
    try {
      const { peers } = await client.call('sync.peers', {}, {})
      return listOf(peers).filter(({ paused }) => paused !== true)
    } finally {
      await client.close()
    }
  } catch (error) {
    if (error instanceof CommandError && error.exit === 7) return undefined
    throw error
  }
}

function late({ place, remote, commandFor }: Context, peers: readonly Record_[] | undefined): CommandError {
  if (peers === undefined) {
    const hint = remote === undefined ? `Start it: ${commandFor('start')}` : `See: ${commandFor('nodes', 'whoami')}`
    return new CommandError(`No node answers for ${place}.`, { exit: 7, hint })
  }
  const missing = peers.filter((peer) => !isInSync(peer)).map((peer) => `${textOf(peer['name'])} (${[stateWords(peer), aboutWords(peer)].filter((each) => each !== '').join(': ')})`)
  return new CommandError(`Not in sync in time: ${missing.join(', ')}.`, { exit: 3, hint: `See: ${commandFor('sync', 'status')}` })
}
