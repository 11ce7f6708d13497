/** What this core tells the others of itself. */
import type { Config } from '../../config/config.js'
import { productVersion } from '../../base/version.js'
import type { CoreView } from '../registry/port.js'

/** Returns the core that the settings describe. `base` is its address, without trailing slash. */
export function coreOfSettings(config: Config, base: string): CoreView & { url: string } {
  return {
    id: config.get('core.id'),
    url: `${config.get('core.url')?.replace(/\/+$/, '') ?? base}/`,
    ip: config.get('core.ip') ?? config.get('dns.publicIp'),
    ipv6: config.get('core.ipv6') ?? config.get('dns.publicIp6'),
    cname: config.get('core.cname'),
    hosting: config.get('core.hosting'),
    available: config.get('core.available'),
    state: 'active',
    identity: null,
    settings: {},
    version: productVersion(),
    added: 0,
    isLive: true,
  }
}
