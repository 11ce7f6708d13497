/** Normalises client addresses for limits and counters. */
import ipaddr from 'ipaddr.js'
import type { Seal } from '../../store/keyring/seal.js'

/** Providers assign up to a /56 of IPv6 addresses to one customer. */
const NETWORK_BITS = 56
const PART_BITS = 16

/**
 * Returns the network that counts as one client: an IPv4 address, also when mapped into IPv6, or the /56 of an IPv6 address, such
 * as `2001:db8:1:200::/56`. Undefined for invalid addresses.
 */
export function clientNetwork(ip: string | undefined): string | undefined {
  if (ip === undefined || !ipaddr.isValid(ip)) return undefined
  const address = ipaddr.process(ip)
  if (!(address instanceof ipaddr.IPv6)) return address.toString()
  const parts = address.parts.map((part, at) => {
    const stored = Math.min(PART_BITS, Math.max(0, NETWORK_BITS - at * PART_BITS))
    return part & ~((1 << (PART_BITS - stored)) - 1)
  })
  return `${new ipaddr.IPv6(parts).toString()}/${NETWORK_BITS}`
}

/**
 * Returns a keyed hash of a client's network, for rate limits. Undefined without an address (control socket), and for loopback
 * addresses: these are local programs, or a proxy that does not forward client addresses, whose clients must not block each
 * other.
 */
export function clientKey(node: { registry: { platformSeal: Pick<Seal, 'digest'> } }, ip: string | undefined): string | undefined {
  const network = clientNetwork(ip)
  if (ip === undefined || network === undefined || ipaddr.process(ip).range() === 'loopback') return undefined
  return node.registry.platformSeal.digest(`client address ${network}`)
}
