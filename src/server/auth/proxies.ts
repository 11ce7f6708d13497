/** Trusted proxies and their forwarding headers (setting `http.trustedProxies`). */
import ipaddr from 'ipaddr.js'

interface Proxies {
  /** Returns the client behind `peer`: the rightmost address of `X-Forwarded-For` that is not a trusted proxy itself. */
  clientOf(peer: string, forwardedFor: string): string
  /** Checks whether an address is that of a trusted proxy. */
  isTrusted(peer: string): boolean
  /** Untrusted addresses that recently sent forwarding headers, with the number of times. */
  ignored(): { address: string; times: number }[]
}

/** Maximum number of untrusted addresses that are recorded, for the operator. */
const MAX_IGNORED = 20

type Address = ipaddr.IPv4 | ipaddr.IPv6

/** Parses the setting: addresses, CIDR ranges, and the word `loopback`. */
export function createProxies(trusted: readonly string[]): Proxies {
  const ranges = trusted
    .flatMap((entry) => (entry === 'loopback' ? ['127.0.0.0/8', '::1/128'] : [entry]))
    .map((entry) => {
      if (entry.includes('/')) return ipaddr.parseCIDR(entry)
      const address = ipaddr.parse(entry)
      return [address, address.kind() === 'ipv4' ? 32 : 128] as [Address, number]
    })

  function isTrusted(text: string): boolean {
    if (!ipaddr.isValid(text)) return false
    const address = ipaddr.process(text)
    return ranges.some(([range, bits]) => range.kind() === address.kind() && address.match(range, bits))
  }

  const ignored = new Map<string, number>()

  function noteIgnored(peer: string): void {
    const times = ignored.get(peer)
    if (times !== undefined || ignored.size < MAX_IGNORED) ignored.set(peer, (times ?? 0) + 1)
  }

  return {
    isTrusted,
    ignored: () => [...ignored].map(([address, times]) => ({ address, times })),
    clientOf(peer, forwardedFor) {
      if (!isTrusted(peer)) noteIgnored(peer)
      let client = peer
      for (const hop of forwardedFor.split(',').reverse()) {
        if (!isTrusted(client)) break
        const address = hop.trim()
        if (!ipaddr.isValid(address)) break
        client = address
      }
      return client
    },
  }
}

/** Needed by functions that read forwarding headers. */
export interface ProxyDeps {
  readonly proxies: Proxies
}
