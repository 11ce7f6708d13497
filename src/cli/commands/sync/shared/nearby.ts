/** Pairing in the local network by a short code instead of a link. */
import type { Context } from '../../../command.js'
import { CommandError, usageError, type Hint } from '../../../framework/exit.js'
import { interruption } from '../../../client/interruption.js'
import { askAgain } from '../../../terminal/input/askAgain.js'
import { askLine } from '../../../terminal/input/confirm.js'
import { isLoopbackHost } from '../../../../server/base/loopback.js'
import type { Secret } from '../../../../store/model/secret.js'
import type { SearchResult } from '../../../../sync/nearby/search.js'

/** An offer that is announced. */
export interface Announcing {
  /** Code for the other person: `7KQM-2XWD`. */
  readonly code: string
  /** Withdraws the announcement; may be called again. */
  end(): Promise<void>
}

/** Milliseconds of a search without `--timeout`. */
const SEARCH_MS = 10_000
const DEFAULT_PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 }

/**
 * Announces an offer in the networks of this machine, sealed with a new code.
 * @param address URL of the node in the link
 * @param seconds time until the offer expires
 * @throws CommandError 7 without multicast
 */
export async function announceOffer(link: string, address: string, seconds: number): Promise<Announcing> {
  // Loaded on demand: libsodium, Argon2 and DNS.
  const [{ announce }, { createPairingCode }] = await Promise.all([import('../../../../sync/nearby/announce.js'), import('../../../../sync/nearby/pairingCode.js')])
  const code = createPairingCode()
  const { port, protocol } = new URL(address)
  const nodePort = port === '' ? (DEFAULT_PORTS[protocol] ?? 0) : Number(port)
  const { end } = await orUnavailable(() => announce({ link, code, nodePort, seconds }), ['Pair by a link', 'sync', 'pair'])
  return { code: code.reveal(), end }
}

/**
 * Returns the link of the offer in the local network that a code opens.
 * @param typed the code; undefined to prompt for it
 * @throws CommandError 2 when it is no code, 5 when no offer is found or opened, 7 without multicast, 130 on Ctrl-C
 */
export async function findNearby(context: Context, typed: string | undefined): Promise<string> {
  const { terminal, out, flags } = context
  const { parsePairingCode, PairingCodeError } = await import('../../../../sync/nearby/pairingCode.js')
  const parse = (text: string): Secret<string> => {
    try {
      return parsePairingCode(text)
    } catch (error) {
      throw error instanceof PairingCodeError ? usageError(error.message, 'Type the code that coffer sync pair --nearby shows on the other node.') : error
    }
  }
  const code = typed === undefined ? await askAgain(terminal, async () => parse(await askLine(terminal, 'Code of the other node: '))) : parse(typed)
  out.note('Searching the local network …')
  const stopping = interruption()
  const stop = new AbortController()
  try {
    const { searchLink } = await import('../../../../sync/nearby/search.js')
    const milliseconds = flags.timeoutMs ?? SEARCH_MS
    const searching = orUnavailable(() => searchLink({ code, milliseconds, signal: stop.signal }), 'Pair by a link: coffer sync pair on the other node.')
    const found = await stopping.or(searching)
    if (found === 'interrupted') throw new CommandError('Cancelled; nothing was paired.', { exit: 130 })
    return await linkOf(found)
  } finally {
    stop.abort()
    stopping.end()
  }
}

async function linkOf(found: SearchResult): Promise<string> {
  if (found.link !== undefined) {
    const { ownAddresses } = await import('../../../../sync/nearby/multicast.js')
    return withSender(found.link, found.sender, ownAddresses({ loopback: true }))
  }
  if (found.tried === 0) {
    throw new CommandError('No offer was found in this network.', {
      exit: 5,
      hint: 'Keep coffer sync pair --nearby waiting on the other node. If the network does not pass multicast DNS (UDP port 5353), use a link: coffer sync pair.',
    })
  }
  const which = found.tried === 1 ? 'the offer that was found in this network' : `any of the ${found.tried} offers that were found in this network`
  throw new CommandError(`The code does not open ${which}.`, { exit: 5, hint: 'Compare it with the code on the other node, and run the command again.' })
}

/**
 * Replaces a loopback address in a link by that of the machine that announced it. Nodes that listen on all addresses and have
 * no public URL name the loopback one. The key in the link identifies the node, whatever answers at the address.
 */
export function withSender(link: string, sender: string, own: readonly string[]): string {
  const at = link.indexOf('@')
  const address = link.slice(at + 1)
  if (own.includes(sender) || !URL.canParse(address)) return link
  const url = new URL(address)
  if (!isLoopbackHost(url.hostname)) return link
  url.hostname = sender
  return link.slice(0, at + 1) + url.href
}

/** Runs work, and converts errors of the network to those of the command. */
async function orUnavailable<T>(work: () => Promise<T>, hint: Hint): Promise<T> {
  const [{ MulticastUnavailable }, { LinkTooLong }] = await Promise.all([import('../../../../sync/nearby/multicast.js'), import('../../../../sync/nearby/sealedLink.js')])
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof MulticastUnavailable) && !(error instanceof LinkTooLong)) throw error
    throw new CommandError(error.message, { exit: error instanceof MulticastUnavailable ? 7 : 1, hint })
  }
}
