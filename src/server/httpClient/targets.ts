/**
 * Checks the addresses that clients choose, for webhooks and for messages between accounts. Prevents server-side request forgery:
 * private networks are blocked unless the operator allows them.
 */
import type { LookupAddress } from 'node:dns'
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { isLoopbackHost, isLoopbackUrl } from '../base/loopback.js'
import type { Config } from '../config/config.js'

type Address = ipaddr.IPv4 | ipaddr.IPv6
type Network = [Address, number]

export interface Targets {
  /** Checks whether a connection to an address is allowed, for a host with the name or address `host`. */
  allows(host: string, address: string): boolean
}

const LOOPBACK = ['127.0.0.0/8', '::1/128']
const GLOBAL_V6 = ipaddr.IPv6.parseCIDR('2000::/3')
/** Prefixes with an IPv4 address in the last 32 bits: the NAT64 prefix, and the deprecated IPv4-compatible addresses. */
const EMBEDDING: Network[] = [ipaddr.IPv6.parseCIDR('64:ff9b::/96'), ipaddr.IPv6.parseCIDR('::/96')]

/** Creates the check from the setting `webhooks.allowedPrivateHosts` and the address of the node. */
export function createTargets(config: Config): Targets {
  const entries = [...config.get('webhooks.allowedPrivateHosts'), ...(isLocal(config) ? LOOPBACK : [])]
  const names = new Set(entries.map(plainName))
  const networks = entries.filter((entry) => isIP(entry.split('/')[0] ?? '') !== 0).map(networkOf)
  return {
    allows(host, text) {
      if (!ipaddr.isValid(text)) return false
      const address = ipaddr.process(text)
      if (isPublic(address) || names.has(plainName(host))) return true
      return networks.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits))
    },
  }
}

const plainName = (host: string): string => host.toLowerCase().replace(/\.$/, '')

function networkOf(entry: string): Network {
  const [text = '', bits] = entry.split('/')
  const address = ipaddr.process(text)
  const all = address.kind() === 'ipv4' ? 32 : 128
  return [address, bits === undefined ? all : Math.min(all, Number(bits))]
}

function isPublic(address: Address): boolean {
  if (address instanceof ipaddr.IPv4) return address.range() === 'unicast'
  const carrying = EMBEDDING.some(([network, bits]) => address.match(network, bits))
  if (carrying) return isPublic(new ipaddr.IPv4(address.toByteArray().slice(12)))
  return address.range() === 'unicast' && address.match(GLOBAL_V6)
}

/** Checks whether the node is only reachable from this machine; a public address indicates a proxy. */
function isLocal(config: Config): boolean {
  const publicUrl = config.get('core.url') ?? config.get('dnsLess.publicUrl')
  if (!config.get('dnsLess.isActive') || !isLoopbackHost(config.get('http.ip'))) return false
  return publicUrl === null || isLoopbackUrl(publicUrl)
}

/** Error of a connection to an address that is not allowed. */
export class PrivateAddress extends Error {}

type LookupCallback = (error: Error | null, address: string | LookupAddress[], family?: number) => void
type Resolve = (host: string, options: { all: true }, found: (error: Error | null, addresses: LookupAddress[]) => void) => void

/**
 * Resolves names of connections to allowed addresses only. The checked address is the one connected to, which prevents DNS
 * rebinding.
 */
export function allowedLookup(targets: Targets, resolve: Resolve) {
  return (host: string, options: { all?: boolean | undefined }, found: LookupCallback): void => {
    resolve(host, { all: true }, (error, addresses) => {
      if (error !== null) return found(error, [])
      const allowed = addresses.filter(({ address }) => targets.allows(host, address))
      const [first] = allowed
      if (first === undefined) return found(new PrivateAddress(), [])
      if (options.all === true) found(null, allowed)
      else found(null, first.address, first.family)
    })
  }
}
