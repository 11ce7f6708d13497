/** How a platform is named among others (consent supplement 1.3). */

/**
 * The host that a platform goes by, the same for all of its accounts: its domain; else the host, with the port, of the
 * form of account addresses, `{username}` being `x`; else `localhost`. A path before the user name is a part of it: other
 * platforms, or contents of somebody, may lie below other paths of the host.
 */
export function platformHost(domain: string | undefined, apiTemplate: string): string {
  if (domain !== undefined) return domain
  const address = apiTemplate.replaceAll('{username}', 'x')
  if (!URL.canParse(address)) return 'localhost'
  const { host, pathname } = new URL(address)
  return (host || 'localhost') + (/^(.*)\/x\/$/.exec(pathname)?.[1] ?? '')
}

/**
 * A host as a slug, by which platforms are compared: without its port, in lower case, parts joined by single hyphens.
 * `x.pryv.me:443` gives `x-pryv-me`.
 */
export const hostSlug = (host: string): string =>
  host
    .toLowerCase()
    .replace(/:\d*(?=\/|$)/, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
