/** Platform names and their slugs (docs/interface/consents.md#identities). */

/**
 * Returns the host name of the platform, the same for all its accounts: its domain; else the host and port of the account
 * address template, with `{username}` as `x`; else `localhost`. A path before the user name is included: other paths of
 * the host may belong to other platforms.
 */
export function platformHost(domain: string | undefined, apiTemplate: string): string {
  if (domain !== undefined) return domain
  const address = apiTemplate.replaceAll('{username}', 'x')
  if (!URL.canParse(address)) return 'localhost'
  const { host, pathname } = new URL(address)
  return (host || 'localhost') + (/^(.*)\/x\/$/.exec(pathname)?.[1] ?? '')
}

/**
 * Converts a host to the slug by which platforms are compared: no port, lower case, parts joined by single hyphens.
 * `x.pryv.me:443` becomes `x-pryv-me`.
 */
export const hostSlug = (host: string): string =>
  host
    .toLowerCase()
    .replace(/:\d*(?=\/|$)/, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
