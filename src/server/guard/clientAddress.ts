/** The one form in which limits and counts of the node know a client address. */
import ipaddr from 'ipaddr.js'
import type { Node } from '../node.js'

/** Providers give a customer up to a /56 of IPv6, in which every address is theirs. */
const NETWORK_BITS = 56
const PART_BITS = 16

/**
 * The network that counts as one client: an IPv4 address, also one mapped into IPv6, or the /56 of an IPv6 address, such as
 * `2001:db8:1:200::/56`. Undefined for what is no address.
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
 * A keyed hash of the network of a client, under which its attempts are limited. Undefined without an address, as at the
 * control door, and for addresses of this machine: behind those are programs of it, or a proxy that does not name the client that it
 * acts for; one of its clients must not block the others.
 */
export function clientKey(node: Pick<Node, 'store'>, ip: string | undefined): string | undefined {
  const network = clientNetwork(ip)
  if (ip === undefined || network === undefined || ipaddr.process(ip).range() === 'loopback') return undefined
  return node.store.seal.digest(`client address ${network}`)
}
