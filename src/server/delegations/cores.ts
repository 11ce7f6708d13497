/** Where accounts of the platform are served (consent supplement 6.4): here, or on another core. */
import type { Registry } from '../../sync/registry/port.js'
import type { Config } from '../config/config.js'

/** A core: this one, or the address of another, with a slash at its end. */
export type Core = 'here' | { url: string }

export interface Cores {
  /**
   * The account that a name leads to, by its present name, and its core; `core` is undefined when nobody knows the
   * core's address. Undefined for a name that nobody has.
   */
  ofAccount(username: string): Promise<{ username: string; core: Core | undefined } | undefined>
  /** The core of an id or an address; undefined when there is none. */
  named(idOrUrl: string): Core | undefined
}

/** The cores of a platform as its registry knows them. */
export function createCores(registry: Pick<Registry, 'core' | 'lookUp'>, config: Config, publicBase: () => string): Cores {
  const isHere = (url: string): boolean => withSlash(url) === withSlash(publicBase())

  /** Another core than this is reached at the host name of its id. */
  function coreOfId(id: string): Core | undefined {
    if (id === registry.core) return 'here'
    const domain = config.get('dns.domain')
    if (domain === null || !/^[a-z0-9-]+$/.test(id)) return undefined
    const url = `https://${id}.${domain}/`
    // Whoever is asked for another core must not end up here.
    return isHere(url) ? undefined : { url }
  }

  return {
    async ofAccount(username) {
      const holder = await registry.lookUp({ field: 'username', value: username.toLowerCase() })
      return holder === undefined ? undefined : { username: holder.username, core: coreOfId(holder.core) }
    },
    // A platform of one core knows no other, by whatever name.
    named: (idOrUrl) => (idOrUrl === registry.core || isHere(idOrUrl) ? 'here' : undefined),
  }
}

/** The core of an account of this platform; `nowhere` when there is no such account, undefined when that is not known. */
export async function homeOf(cores: Cores, username: string): Promise<Core | 'nowhere' | undefined> {
  try {
    const found = await cores.ofAccount(username)
    return found === undefined ? 'nowhere' : found.core
  } catch {
    return undefined
  }
}

const withSlash = (url: string): string => (url.endsWith('/') ? url : `${url}/`)
