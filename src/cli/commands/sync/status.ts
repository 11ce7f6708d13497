import { command, type Context } from '../../command.js'
import type { ExitCode } from '../../framework/exit.js'
import type { NodeClient } from '../../client/nodeClient.js'
import { feedOf, nodeStopped } from '../../client/feed.js'
import { interruption } from '../../client/interruption.js'
import { userOption } from '../../client/user.js'
import { flag } from '../../framework/option.js'
import { counted } from '../../terminal/output/format.js'
import { alignedTable, tabbedTable } from '../../terminal/output/table.js'
import { isInSync, isWhole, peerColumns, peerOption, peersOf, statusIn, type Peer } from './shared/peer.js'

/** `coffer sync status`. */
export const status = command({
  path: ['sync', 'status'],
  summary: 'Show the sync status of paired nodes',
  description:
    'A peer is in sync if both nodes compared digests of everything they share and found them equal, both have the contents of all attached files, and nothing has changed since. Pending files are counted per direction; a peer is behind as long as files are missing that neither node has. BEHIND counts changes of the other node that are still to be received, AHEAD changes of this node that the other one has not confirmed. The values for an offline peer are those of the last connection, except AHEAD, which keeps counting. A peer that connects at intervals (--every of sync peers set, on both nodes) stays in sync between connections as long as nothing is written here and the next connection is not overdue.\n\n' +
    'An item beyond a sync limit is put aside: it stays as it is on each node, everything else is compared without it, and coffer sync conflicts lists it.\n\n' +
    'Exits with 0 if every peer is in sync and nothing is put aside, else with 3. Without a running node, all peers are offline.',
  options: { watch: flag('Keep running, and show each change'), user: userOption, peer: peerOption },
  examples: [
    { type: 'coffer sync status', description: 'list as a table' },
    { type: 'coffer sync status --watch', description: 'watch until Ctrl-C' },
    { type: "coffer sync status --jq '.peers[].state'", description: 'for scripts' },
  ],
  json:
    '{"peers":[{"id","name","user","state":"in-sync"|"syncing"|"behind"|"offline"|"refused","behind","ahead","lastContact","scope","inSyncAt","reason","filesPending","filesPendingCount","filesMissing","filesPendingThere","filesMissingThere","refused","putAside","copied","paused","every","node","address",…}],"node","fingerprint"}; with --watch one such object per line',
  offline: true,
  async run(context, { watch, ...options }) {
    const { out, connect, commandFor } = context
    const client = await connect()
    if (watch) return watchPeers(context, client, options)
    const { peers, answer } = await peersOf(client, options)
    await out.list(answer, {
      columns: peerColumns(peers),
      rows: peers,
      id: (peer) => peer.id,
      count: peers.length === 0 ? `No peers. Pair one: ${commandFor('sync', 'pair')}` : countOf(peers),
    })
    return peers.every(isWhole) ? 0 : 3
  },
})

function countOf(peers: readonly Peer[]): string {
  const inSync = peers.filter(isInSync).length
  return inSync === peers.length ? `${counted(inSync, 'peer')}, in sync` : `${inSync} of ${counted(peers.length, 'peer')} in sync`
}

async function watchPeers(
  { out, terminal }: Context,
  client: NodeClient,
  options: { user?: string | undefined; peer?: string | undefined },
): Promise<ExitCode> {
  const lines = feedOf(client, 'node.sync', options.user === undefined ? {} : { user: options.user })
  const ctrlC = interruption()
  let drawn = 0
  for (;;) {
    const { answer, peers } = await peersOf(client, options)
    if (out.json) await out.item(answer)
    else {
      const columns = peerColumns(peers)
      const table = terminal.outIsTerminal ? alignedTable(columns, peers, terminal.width) : tabbedTable(columns, peers)
      if (terminal.outIsTerminal && drawn > 0) await terminal.write(`\u001b[${drawn}A\u001b[J`)
      for (const line of table) await terminal.write(`${line}\n`)
      drawn = table.length
    }
    for (;;) {
      const line = await ctrlC.or(lines.next())
      if (line === 'interrupted') return 130
      if (line.done === true) throw nodeStopped()
      if (statusIn(line.value) !== undefined) break
    }
  }
}

