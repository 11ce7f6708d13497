/** Description of this core for the others, and the URLs of all cores. */
import type { Config } from '../../config/config.js'
import { productVersion } from '../../base/version.js'
import type { CoreView } from '../registry/port.js'

/**
 * Returns the core that the settings describe. `base` is its address, without trailing slash; `identity` is the public key that
 * signs its calls to other cores, base64url.
 */
export function coreOfSettings(config: Config, base: string, identity: string | null = null): CoreView & { url: string } {
  return {
    id: config.get('core.id'),
    url: withSlash(config.get('core.url') ?? base),
    ip: config.get('core.ip') ?? config.get('dns.publicIp'),
    ipv6: config.get('core.ipv6') ?? config.get('dns.publicIp6'),
    cname: config.get('core.cname'),
    hosting: config.get('core.hosting'),
    available: config.get('core.available'),
    state: 'active',
    identity,
    settings: {},
    version: productVersion(),
    added: 0,
    isLive: true,
  }
}

/** Returns an address with a trailing slash. */
export const withSlash = (url: string): string => (url.endsWith('/') ? url : `${url}/`)

/**
 * Returns the URL of a core, with a trailing slash: the one that it advertises, else the host name of its id. Undefined when
 * there is neither.
 */
export function urlOfCore(config: Config, { id, url }: Pick<CoreView, 'id' | 'url'>): string | undefined {
  if (url !== null) return withSlash(url)
  const domain = config.get('dns.domain')
  return domain === null || !/^[a-z0-9-]+$/.test(id) ? undefined : `https://${id}.${domain}/`
}
