/** Addresses of the machine itself: the one rule for URLs, settings and mail servers. */
import { isIP } from 'node:net'

/** Checks whether a host name or IP address, with or without brackets, is the machine itself. Does not resolve names. */
export function isLoopbackHost(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, '').toLowerCase()
  if (isIP(bare) === 4) return bare.startsWith('127.')
  // Node.js and URL write an IPv4 address within IPv6 as ::ffff:7f00:1.
  if (isIP(bare) === 6) return /^(0*:)*0*1$/.test(bare) || /^::ffff:(127\.|7f[0-9a-f]{2}:)/.test(bare)
  return bare.replace(/\.$/, '') === 'localhost'
}

/** Checks whether the host of a URL is the machine itself. */
export const isLoopbackUrl = (url: string): boolean => URL.canParse(url) && isLoopbackHost(new URL(url).hostname)

/** Checks whether requests to a URL cannot be read in transit: https, or this machine. */
export const isPrivateUrl = ({ protocol, hostname }: URL): boolean =>
  protocol === 'https:' || (protocol === 'http:' && isLoopbackHost(hostname))
