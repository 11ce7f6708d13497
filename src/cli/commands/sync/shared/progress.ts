/** Shows the progress of peers until they are in sync, from the status feed of the node. */
import type { Context } from '../../../command.js'
import type { NodeClient } from '../../../client/nodeClient.js'
import { progressText } from '../../../terminal/output/progress.js'
import { cut, oneLine } from '../../../terminal/output/text.js'
import { amount } from '../../../terminal/output/format.js'
import { filesWords, statusIn, type Peer } from './peer.js'

interface SyncProgress {
  end(): void
}

/** Draws progress until it is ended; nothing under `--json` and `--quiet`, or without a terminal. */
export function showProgress({ terminal, out }: Context, client: NodeClient, user: string | undefined): SyncProgress {
  if (out.json || out.quiet || !terminal.errIsTerminal) return { end: () => undefined }
  const following = followPeers(client, user, (peer) => terminal.writeStderr(`\r${cut(oneLine(progressLine(peer)), terminal.width - 1)}\u001b[K`))
  let isOver = false
  return {
    end() {
      following.end()
      if (!isOver) terminal.writeStderr('\r\u001b[K')
      isOver = true
    },
  }
}

/** Calls `print` for each changed peer status, until it is ended. */
export function followPeers(client: NodeClient, user: string | undefined, print: (peer: Peer) => void): SyncProgress {
  const lines = client.lines?.('node.sync', {}, user === undefined ? {} : { user })
  let isOver = lines === undefined
  const follow = async (): Promise<void> => {
    for await (const line of lines ?? []) {
      const peer = statusIn(line)
      if (isOver) return
      if (peer !== undefined) print(peer)
    }
  }
  // The command itself reports a feed that fails.
  follow().catch(() => undefined)
  return { end: () => void (isOver = true) }
}

/** Returns the progress of a peer: `laptop  receiving  ████░░░░  40 %  318 of 900`. */
function progressLine(peer: Peer): string {
  const { name } = peer
  const [received, sent] = [peer.received, peer.sent]
  const [behind, ahead] = [peer.behind ?? 0, peer.ahead ?? 0]
  if (behind > 0 && behind >= ahead) return progressText(`${name}  receiving`, received, received + behind, amount)
  if (ahead > 0) return progressText(`${name}  sending`, sent, sent + ahead, amount)
  const files = filesWords(peer)
  if (files !== '') return `${name}  ${files}`
  if (peer.state === 'in-sync') return `${name}  in sync  ↓ ${amount(received)}  ↑ ${amount(sent)}`
  return received + sent === 0 ? `${name}  comparing …` : `${name}  comparing  ↓ ${amount(received)}  ↑ ${amount(sent)}`
}
