import { command, type Context } from '../../command.js'
import type { ExitCode } from '../../framework/exit.js'
import { textOf, type Record_ } from '../../client/answer.js'
import type { NodeClient } from '../../client/nodeClient.js'
import { feedOf, nodeStopped } from '../../client/feed.js'
import { interruption } from '../../client/interruption.js'
import { userOption } from '../../client/user.js'
import { flag } from '../../framework/option.js'
import { counted } from '../../terminal/output/format.js'
import { alignedTable } from '../../terminal/output/table.js'
import { isInSync, isWhole, peerColumns, peerOption, peersOf, statusIn } from '../../sync/peer.js'

/** `coffer sync status`. */
export const status = command({
  path: ['sync', 'status'],
  summary: 'Say whether the copies on paired nodes are in sync',
  description:
    'A peer is in sync when both nodes have compared digests of all they share and found them equal, the bytes of all attached files are on both, and nothing has come since. Files that are to come from the peer or to go to it are counted; a peer is behind while files are missing that neither node has. BEHIND counts entries of the other node that are still to come, AHEAD those of this node that the other has not confirmed. What is told of an offline peer is as of the last contact, but AHEAD, which goes on counting. A peer that meets this node at intervals (--every of sync peers set, on both nodes) stays in sync between contacts while nothing is written here and the next one is not overdue.\n\n' +
    'An item that is beyond a limit of the exchange is put aside: it stays as it is on each node, everything else is compared without it, and coffer sync conflicts names it.\n\n' +
    'Exits 0 when every peer is in sync with nothing put aside, and 3 otherwise. Without a running node all are offline.',
  options: { watch: flag('Go on, and show each change'), user: userOption, peer: peerOption },
  examples: [
    { type: 'coffer sync status', says: 'a table' },
    { type: 'coffer sync status --watch', says: 'goes on until Ctrl-C' },
    { type: 'coffer sync status --json | jq .peers[].state', says: 'for scripts' },
  ],
  json:
    '{"peers":[{"id","name","user","state":"in-sync"|"syncing"|"behind"|"offline"|"refused","behind","ahead","lastContact","scope","inSyncAt","reason","filesPending","filesPendingCount","filesMissing","filesPendingThere","filesMissingThere","refused","putAside","copied","paused","every","node","address",…}],"node","fingerprint"}; with --watch one such object a line',
  offline: true,
  async run(context, { watch, ...options }) {
    const { out, connect, now, terminal, commandFor } = context
    const client = await connect()
    if (watch) return watched(context, client, options)
    const { peers, answer } = await peersOf(client, options)
    await out.list(answer, {
      columns: peerColumns(peers, now(), terminal.outIsTerminal),
      rows: peers,
      id: (peer) => textOf(peer['id']),
      count: peers.length === 0 ? `No peers. Pair: ${commandFor('sync', 'pair')}` : countOf(peers),
    })
    return peers.every(isWhole) ? 0 : 3
  },
})

function countOf(peers: readonly Record_[]): string {
  const inSync = peers.filter(isInSync).length
  return inSync === peers.length ? `${counted(inSync, 'peer')}, in sync` : `${inSync} of ${counted(peers.length, 'peer')} in sync`
}

async function watched(
  { out, terminal, now }: Context,
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
      const width = terminal.outIsTerminal ? terminal.width : Infinity
      const table = alignedTable(peerColumns(peers, now(), true), peers, width)
      if (terminal.outIsTerminal && drawn > 0) await terminal.write(`\u001b[${drawn}A\u001b[J`)
      for (const line of table) await out.line(line)
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

