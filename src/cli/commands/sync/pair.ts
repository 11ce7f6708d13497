import { renderUnicodeCompact } from 'uqr'
import { command, type Context } from '../../command.js'
import { CommandError, usageError } from '../../framework/exit.js'
import type { NodeClient, ParamsOf, ResultOf } from '../../client/nodeClient.js'
import { accountOf, userOption } from '../../client/user.js'
import { choice, flag, list, text } from '../../framework/option.js'
import { shellWord } from '../../framework/shell.js'
import { columnsOf } from '../../terminal/output/text.js'
import { writeFirstSync, type PairingUi } from './shared/pairingUi.js'
import { assertAnswerable, pairingRiskOption } from './shared/consent.js'
import { followPairings, withdrawPairing, type Pairing } from './shared/pairingFeed.js'
import { scopeWords } from './shared/peer.js'
import { openPairingUi } from './openPairingUi.js'

/** `coffer sync pair`. */
export const pair = command({
  path: ['sync', 'pair'],
  summary: 'Create a pairing link for another node',
  description:
    'Prints a command to run on the other node and, on a terminal, a QR code with the link. The link is valid for one node and ten minutes; keep it secret during that time. When the other node connects, both screens show the same three words; compare them, and confirm on both nodes.\n\n' +
    'Without --share, both nodes have the whole account: streams, events with their files and series, profiles, and the accesses of apps and shared accesses. Passwords, sessions, second factors, webhooks and followed slices are not replicated. With --share only the given streams are shared, including the streams below them: --direction sets whether this node sends them, receives changes of the other node, or both.\n\n' +
    'The link contains the URL at which the other node reaches this one: the setting dnsLess.publicUrl, or the address this node listens on; --address overrides it.\n\n' +
    'With --no-wait the command exits immediately, and the first node that uses the link is paired without prompting. Ctrl-C cancels the offer. After both sides have confirmed, the first sync is shown on a terminal; Ctrl-C then stops the display, not the sync.',
  options: {
    user: userOption,
    share: flag('Share only some streams'),
    streams: list('Streams to share; comma-separated', { placeholder: 'ids', separator: ',', names: 'stream' }),
    direction: choice(['send', 'receive', 'both'], 'Direction of a share; defaults to both'),
    name: text('Name of the other node on this one; defaults to the name it uses for itself', { placeholder: 'name' }),
    address: text('URL at which the other node reaches this one', { placeholder: 'url' }),
    noWait: flag('Do not wait for the other node'),
    qr: flag('Print the QR code even without a terminal'),
    acceptRisk: pairingRiskOption,
  },
  examples: [
    { type: 'coffer sync pair', description: 'copy the only account to another node' },
    { type: 'coffer sync pair --user ana-lovelace --address https://home.example.org', description: 'set the URL at which the other node reaches this one' },
    { type: 'coffer sync pair --share --streams heart,diary --direction send', description: 'share two streams with someone' },
    { type: 'coffer sync pair --no-wait --json | jq -r .link', description: 'for scripts' },
  ],
  json:
    '{"event":"offered","link","expires","address","pairing"}, then {"event":"paired","peer":{"id","name",…}} unless --no-wait is given',
  offline: false,
  async run(context, options) {
    const { connect } = context
    if (options.share !== options.streams.length > 0) {
      throw usageError(options.share ? '--streams <ids> is missing' : '--streams requires --share', 'For example: coffer sync pair --share --streams heart,diary\nList the streams: coffer streams tree')
    }
    if (!options.noWait) assertAnswerable(context, options.acceptRisk)
    const client = await connect('unlimited')
    const { user } = await accountOf(client, options.user)
    const feed = followPairings(client, user)
    const ui = await openPairingUi(context, options.acceptRisk)
    const answer = await client.call('sync.offer', paramsOf(user, options), {})
    const pairing = answer.pairing.id
    await writeOffer(context, answer, user, options)
    if (options.noWait) return undefined
    try {
      const expires = answer.pairing.expires ?? Infinity
      ui.offered(expires)
      const view = await ui.leave.or(beforeExpiry(expires - context.now(), feed.met(pairing)))
      if (view === 'interrupted') throw new CommandError('Cancelled; the offer was withdrawn, and its link is no longer valid.', { exit: 130, hint: ['Create a new one', 'sync', 'pair'] })
      await ui.compare(view, feed.over(pairing))
      await confirmPairing(context, client, ui, { met: view, user })
      return undefined
    } catch (error) {
      await ui.close()
      await withdrawPairing(client, pairing)
      throw error
    }
  },
})

type Offered = ResultOf<'sync.offer'>

interface PairInput {
  share: boolean
  streams: readonly string[]
  direction?: 'send' | 'receive' | 'both' | undefined
  name?: string | undefined
  address?: string | undefined
  noWait: boolean
  qr: boolean
}

const paramsOf = (username: string, { share, streams, direction = 'both', name, address, noWait }: PairInput): ParamsOf<'sync.offer'> => ({
  username,
  ...(share ? { share: { streams: [...streams], direction } } : {}),
  ...(name === undefined ? {} : { name }),
  ...(address === undefined ? {} : { address }),
  ...(noWait ? { unattended: true } : {}),
})

async function writeOffer(context: Context, answer: Offered, user: string, { share, qr, noWait }: PairInput): Promise<void> {
  const { out, terminal } = context
  const { link } = answer
  const { id, expires } = answer.pairing
  if (out.json) await out.item({ event: 'offered', link, expires, address: answer.address, pairing: id })
  else if (out.quiet) await out.line(link)
  else {
    out.note('Scan the code, or run on the other node:')
    // In a share, the other account has a username of its own that is not known here.
    await out.line(`coffer sync accept ${shellWord(link)}${share ? '' : ` --user ${shellWord(user)} --create`}`)
    // Lines above the code may scroll off the screen while it is scanned.
    if (terminal.outIsTerminal) writeReach(context, answer)
    if (qr || terminal.outIsTerminal) await writeCode(context, link)
    out.note('The link is valid for one node and 10 minutes.')
    if (noWait) out.note('Anyone who has the link can pair: keep it secret.')
    if (terminal.outIsTerminal) return
  }
  writeReach(context, answer)
}

/** Warns about an address that only this machine can reach. */
function writeReach({ out }: Context, answer: Offered): void {
  if (!answer.isLocal) return
  out.warn(`${answer.address} is only reachable from this machine.`)
  out.note('  For other machines, set the public URL: --address https://…, or coffer config set dnsLess.publicUrl https://…')
}

async function writeCode({ out, terminal }: Context, link: string): Promise<void> {
  const codes = [2, 1].map((border) => renderUnicodeCompact(link, { border }).split('\n'))
  const fitting = codes.find((lines) => fits(lines, terminal))
  const [min = ''] = codes[1] ?? []
  if (fitting === undefined) out.note(`The QR code needs a terminal of ${columnsOf(min) + INDENT} columns and ${(codes[1]?.length ?? 0) + BELOW_CODE} lines.`)
  else for (const line of fitting) await out.line(`${' '.repeat(INDENT)}${line}`)
}

const INDENT = 2
/** Number of lines below the code while it is scanned, including that of the cursor. */
const BELOW_CODE = 3

/** Checks whether a code fits on the screen. */
function fits(code: readonly string[], { outIsTerminal, width, streams }: Context['terminal']): boolean {
  const rows = streams.stdout.rows ?? Infinity
  return !outIsTerminal || (columnsOf(code[0] ?? '') + INDENT <= width && code.length + BELOW_CODE <= rows)
}

async function beforeExpiry<T>(seconds: number, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    if (!Number.isFinite(seconds)) return
    const over = new CommandError('The link expired before another node used it.', { exit: 8, hint: ['Create a new one', 'sync', 'pair'] })
    timer = setTimeout(() => reject(over), Math.max(0, seconds) * 1000)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}

async function confirmPairing(
  { out, commandFor }: Context,
  client: NodeClient,
  ui: PairingUi,
  { met, user }: { met: Pairing; user: string },
): Promise<void> {
  ui.confirming(met)
  const answer = await ui.leave.or(client.call('sync.confirm', { pairing: met.id }, {}))
  if (answer === 'interrupted') throw new CommandError('Cancelled; nothing was paired.', { exit: 130, hint: ['Create a new link', 'sync', 'pair'] })
  const { peer } = answer
  if (out.json) return out.item({ event: 'paired', peer })
  if (out.quiet) return out.line(peer.id)
  await writeFirstSync(out, client, ui, { user, peer: peer.id }, () => {
    out.done(`Paired with ${peer.name}: ${scopeWords(peer)} of ${user}.`)
  })
  out.note(`  Check the progress: ${commandFor('sync', 'status')}`)
}
