/** What the attempts of a client are counted under. */
import ipaddr from 'ipaddr.js'
import type { Node } from '../node.js'

const NETWORK_PARTS = 4

/**
 * A keyed hash of a client's address: of IPv4 the address, of IPv6 the network of /64, of which one client has every
 * address. Undefined without an address, as at the control door.
 */
export function clientKey(node: Node, ip: string | undefined): string | undefined {
  if (ip === undefined || !ipaddr.isValid(ip)) return undefined
  const address = ipaddr.process(ip)
  const network = address instanceof ipaddr.IPv6 ? address.parts.slice(0, NETWORK_PARTS).join(':') : address.toString()
  return node.store.seal.digest(`client address ${network}`)
}

/**
 * The same, and undefined for addresses of this machine, too: behind those are programs of it, or a proxy that does not tell for
 * whom it asks, of which one client must not bar all others.
 */
export function otherClientKey(node: Node, ip: string | undefined): string | undefined {
  const isOwn = ip !== undefined && ipaddr.isValid(ip) && ipaddr.process(ip).range() === 'loopback'
  return isOwn ? undefined : clientKey(node, ip)
}
