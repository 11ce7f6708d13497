/** Formats a listening address for a URL; an address for all interfaces becomes the loopback one. */
export function urlHost(address: string): string {
  if (address === '0.0.0.0' || address === '::') return '127.0.0.1'
  return address.includes(':') ? `[${address}]` : address
}
