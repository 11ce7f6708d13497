/** Account addresses of a platform (docs/interface/consents.md#identities). Pure. */

/**
 * Parses the user name, in lower case, from the address of an account of the platform `host`: `https://<host>/<username>/`,
 * `https://<username>.<host>/`, or `https://<username>.<rest>/` for a host `x.<rest>`, the name of platforms without a
 * domain setting. `host` includes a non-default port and the path of the platform, if any: other paths may belong to
 * other sites. Returns undefined for other addresses.
 */
export function usernameAt(host: string, address: string): string | undefined {
  if (!URL.canParse(address)) return undefined
  const { protocol, host: at, pathname } = new URL(address)
  const platform = normalHost(protocol, host)
  if (platform === undefined) return undefined
  const [, path = '', segment] = /^(.*)\/([^/]+)\/?$/.exec(pathname) ?? []
  if (segment !== undefined) return at + path === platform ? segment.toLowerCase() : undefined
  const dot = at.indexOf('.')
  const rest = at.slice(dot + 1)
  return dot > 0 && [at, rest, `x.${rest}`].includes(platform) ? at.slice(0, dot) : undefined
}

/** Checks whether two platform names are equal, ignoring the case of the host and the default port. */
export function isSameHost(protocol: string, one: string, other: string): boolean {
  const host = normalHost(protocol, one)
  return host !== undefined && host === normalHost(protocol, other)
}

/** Returns host and path of a platform without trailing slash; undefined for other texts. */
function normalHost(protocol: string, host: string): string | undefined {
  const address = `${protocol}//${host}`
  if (/^\/|[?#@\\\s]/.test(host) || !URL.canParse(address)) return undefined
  const { host: name, pathname } = new URL(address)
  return name === '' ? undefined : name + pathname.replace(/\/$/, '')
}
