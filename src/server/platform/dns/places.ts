/** Addresses of cores, of the service names of the platform, and of accounts: those of their cores. */
import type { Config } from '../../config/config.js'
import type { NameRecords } from '../../config/dnsRecords.js'
import { SERVER_NAME } from '../../config/apiEndpoint.js'
import type { CoreView, Registry } from '../registry/port.js'

/** Addresses of one core, or of several; a host name in place of addresses only for one. */
type Addresses = Pick<NameRecords, 'a' | 'aaaa' | 'cname'>

/** Service name of all cores, whether or not they accept accounts. */
const ALL_CORES = 'lsc'

export interface Places {
  /** Addresses of this node. */
  here(): Addresses
  /** Returns the addresses of a service name: those of the cores that accept accounts, or of all for `lsc`. */
  service(name: string): Addresses
  /** Returns the addresses of a core by its id, or of this one by its general name; undefined for other names. */
  core(label: string): Addresses | undefined
  /**
   * Returns the addresses of the core of an account; undefined for names that no account has or had.
   * @throws Failure `platform-unavailable` when that cannot be found out
   */
  account(username: string): Promise<Addresses | undefined>
  /** Host names of the name servers, below the domain. */
  nameServers(): string[]
}

export function createPlaces({ registry, config }: { registry: Pick<Registry, 'core' | 'isShared' | 'cores' | 'lookUp' | 'peek'>; config: Config }): Places {
  const own = addressesOf({ ip: config.get('dns.publicIp'), ipv6: config.get('dns.publicIp6'), cname: null })
  const placed = (core: CoreView | undefined): Addresses | undefined => (core === undefined ? undefined : addressesOf(core))
  const inService = (): CoreView[] => registry.cores.list().filter(({ state }) => state !== 'pending' && state !== 'lost')

  return {
    here: () => own,
    service(name) {
      if (!registry.isShared) return own
      const cores = inService()
      if (name === ALL_CORES) return together(cores)
      const open = cores.filter(({ available }) => available)
      const live = open.filter(({ isLive }) => isLive)
      // When no core seems to be live, the fault is more likely in what this one sees.
      return together(live.length > 0 ? live : open)
    },
    core(label) {
      if (label === SERVER_NAME || (label === registry.core && !registry.isShared)) return own
      return registry.isShared ? placed(registry.cores.get(label)) : undefined
    },
    async account(username) {
      const name = { field: 'username', value: username }
      const known = registry.peek(name)
      const holder = known === undefined ? await registry.lookUp(name) : (known ?? undefined)
      if (holder === undefined) return undefined
      return holder.core === registry.core && !registry.isShared ? own : (placed(registry.cores.get(holder.core)) ?? {})
    },
    nameServers: () => (registry.isShared ? inService().map(({ id }) => id) : [SERVER_NAME]),
  }
}

function addressesOf({ ip, ipv6, cname }: Pick<CoreView, 'ip' | 'ipv6' | 'cname'>): Addresses {
  if (cname !== null) return { cname }
  return { ...(ip === null ? {} : { a: [ip] }), ...(ipv6 === null ? {} : { aaaa: [ipv6] }) }
}

/** Returns the addresses of several cores. A host name cannot be answered beside others, so that it only stands alone. */
function together(cores: readonly CoreView[]): Addresses {
  const each = cores.map(addressesOf)
  const a = each.flatMap((addresses) => addresses.a ?? [])
  const aaaa = each.flatMap((addresses) => addresses.aaaa ?? [])
  if (a.length === 0 && aaaa.length === 0) return each.find(({ cname }) => cname !== undefined) ?? {}
  return { ...(a.length === 0 ? {} : { a }), ...(aaaa.length === 0 ? {} : { aaaa }) }
}
