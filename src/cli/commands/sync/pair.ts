import { command, type Context } from '../../command.js'
import { CommandError, usageError } from '../../framework/exit.js'
import type { NodeClient, ParamsOf, ResultOf } from '../../client/nodeClient.js'
import { accountOf, userOption } from '../../client/user.js'
import { choice, flag, list, text } from '../../framework/option.js'
import { writeFirstSync, type PairingUi } from './shared/pairingUi.js'
import { assertAnswerable, pairingRiskOption } from './shared/consent.js'
import { announceOffer, type Announcing } from './shared/nearby.js'
import { writeNearbyOffer, writeOfferText } from './shared/offerText.js'
import { followPairings, withdrawPairing, type Pairing } from './shared/pairingFeed.js'
import { scopeWords } from './shared/peer.js'
import { openPairingUi } from './openPairingUi.js'

/** `coffer sync pair`. */
export const pair = command({
  path: ['sync', 'pair'],
  summary: 'Create a pairing link for another node',
  description:
    'Prints a command to run on the other node. Its link is valid for one node and ten minutes; keep it secret during that time. When the other node connects, both screens show the same three words; compare them, and confirm on both nodes.\n\n' +
    'A terminal also shows the link as a QR code: at once if there is room for it, else by the key c. A camera app shows its content as text, for example to send it to the other machine; coffer itself does not read QR codes.\n\n' +
    'Without --share, both nodes have the whole account: streams, events with their files and series, profiles, and the accesses of apps and shared accesses. Passwords, sessions, second factors, webhooks and followed slices are not replicated. With --share only the given streams are shared, including the streams below them: --direction sets whether this node sends them, receives changes of the other node, or both.\n\n' +
    'The link contains the URL at which the other node reaches this one: the setting dnsLess.publicUrl, or the address this node listens on; --address overrides it.\n\n' +
    'With --nearby a short code takes the place of the link: the offer is announced by multicast DNS in the networks of this machine, sealed with the code, and coffer sync accept --nearby finds it there. The announcement names neither the node nor the account, and ends with the offer.\n\n' +
    'With --no-wait the command exits immediately, and the first node that uses the link is paired without prompting. Ctrl-C cancels the offer. After both sides have confirmed, the first sync is shown on a terminal; Ctrl-C then stops the display, not the sync.',
  options: {
    user: userOption,
    share: flag('Share only some streams'),
    streams: list('Streams to share; comma-separated', { placeholder: 'ids', separator: ',', names: 'stream' }),
    direction: choice(['send', 'receive', 'both'], 'Direction of a share; defaults to both'),
    name: text('Name of the other node on this one; defaults to the name it uses for itself', { placeholder: 'name' }),
    address: text('URL at which the other node reaches this one', { placeholder: 'url' }),
    noWait: flag('Do not wait for the other node'),
    nearby: flag('Announce the offer in the local network, for sync accept --nearby on the other node, and print a short code'),
    qr: flag('Show the QR code at once; without a terminal, print it'),
    acceptRisk: pairingRiskOption,
  },
  examples: [
    { type: 'coffer sync pair', description: 'copy the only account to another node' },
    { type: 'coffer sync pair --user ana-lovelace --address https://home.example.org', description: 'set the URL at which the other node reaches this one' },
    { type: 'coffer sync pair --share --streams heart,diary --direction send', description: 'share two streams with someone' },
    { type: 'coffer sync pair --nearby', description: 'pair with a node of the same network, by a short code' },
    { type: 'coffer sync pair --no-wait --jq .link', description: 'for scripts' },
  ],
  json:
    '{"event":"offered","link","code","expires","address","pairing"}, then {"event":"paired","peer":{"id","name",…}} unless --no-wait is given; code only with --nearby',
  offline: false,
  async run(context, options) {
    const { connect } = context
    if (options.share !== options.streams.length > 0) {
      throw usageError(options.share ? '--streams <ids> is missing' : '--streams requires --share', 'For example: coffer sync pair --share --streams heart,diary\nList the streams: coffer streams tree')
    }
    if (options.nearby && (options.noWait || options.qr)) {
      throw usageError(`--nearby cannot be used with --${options.noWait ? 'no-wait: the announcement ends with this command' : 'qr: the code is to be typed'}`, 'See: coffer sync pair --help')
    }
    if (!options.noWait) assertAnswerable(context, options.acceptRisk)
    const client = await connect('unlimited')
    const { user } = await accountOf(client, options.user)
    const feed = followPairings(client, user)
    const ui = await openPairingUi(context, options.acceptRisk)
    const answer = await client.call('sync.offer', paramsOf(user, options), {})
    const pairing = answer.pairing.id
    const { share, qr, noWait, nearby } = options
    const expires = answer.pairing.expires ?? context.now() + OFFER_SECONDS
    let announcing: Announcing | undefined
    try {
      if (nearby) announcing = await announceOffer(answer.link, answer.address, expires - context.now())
      const isPrinted = await writeOffer(context, answer, announcing?.code, { user, share, qr, noWait, isScreen: ui.isScreen && !noWait })
      if (noWait) return undefined
      ui.offered({ expires, ...(isPrinted || nearby ? {} : { link: answer.link, isCodeShown: qr }) })
      const view = await ui.leave.or(beforeExpiry(expires - context.now(), feed.met(pairing)))
      await announcing?.end()
      if (view === 'interrupted') throw new CommandError('Cancelled; the offer was withdrawn, and its link is no longer valid.', { exit: 130, hint: ['Create a new one', 'sync', 'pair'] })
      await ui.compare(view, feed.over(pairing))
      await confirmPairing(context, client, ui, { met: view, user })
      return undefined
    } catch (error) {
      await ui.close()
      await withdrawPairing(client, pairing)
      throw error
    } finally {
      await announcing?.end()
    }
  },
})

/** Validity of an offer that states none. */
const OFFER_SECONDS = 600

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

/** Prints an offer in the requested form. Returns true when its QR code is printed. */
async function writeOffer(context: Context, answer: Offered, code: string | undefined, about: Parameters<typeof writeOfferText>[2]): Promise<boolean> {
  const { out } = context
  const { link, address } = answer
  const { id, expires } = answer.pairing
  if (out.json) await out.item({ event: 'offered', link, ...(code === undefined ? {} : { code }), expires, address, pairing: id })
  else if (out.quiet) await out.line(code ?? link)
  else if (code === undefined) return writeOfferText(context, answer, about)
  else await writeNearbyOffer(context, answer, code, about)
  return false
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
