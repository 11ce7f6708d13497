import * as z from 'zod'
import { anybody } from '../../call/callers.js'
import { platformMethod, type Result } from '../../call/method.js'
import type { Context } from '../../call/context.js'
import type { Homes } from '../../platform/registry/port.js'
import { coreOfHolder, ownCoreUrl } from '../../platform/cores/wrongCore.js'
import { acceptsAccounts, emptiestOf, isOfHosting } from './placement.js'

/**
 * The hostings for new accounts (docs/interface/registration.md#look-ups): those of the setting, or one for all cores. Each names
 * the core with the fewest accounts of those that accept new ones.
 */
export const hostings = platformMethod({
  id: 'reg.hostings',
  summary: 'Lists the hostings for new accounts.',
  http: { verb: 'GET', path: '/reg/hostings', aliases: ['/hostings'] },
  caller: anybody,
  input: z.unknown(),
  output: () => z.object({
    regions: z.record(z.string(), z.unknown()).describe('Regions with their zones and hostings; availableCore is the URL for new accounts.'),
  }),
  fails: [],
  async run({ node }) {
    const name = node.config.get('service.name')
    const configured = node.config.get('hostings')
    const regions = configured?.regions ?? {
      default: { name, zones: { default: { name, hostings: { default: { name } } } } },
    }
    const keys = Object.values(regions).flatMap(({ zones }) => Object.values(zones).flatMap(({ hostings }) => Object.keys(hostings)))
    const homes = countedOnce(node.registry.homes)
    const cores = new Map(await Promise.all([...new Set(keys)].map(async (key) => [key, await coreOf(node, homes, key)] as const)))
    const offered = (key: string, hosting: object): Result => {
      const core = cores.get(key)
      return { ...hosting, available: core !== undefined, availableCore: core ?? '' }
    }
    return {
      regions: mapped(regions, (region) => ({
        ...region,
        zones: mapped(region.zones, (zone) => ({
          ...zone,
          hostings: mapped(zone.hostings, (hosting, key) => offered(key, hosting)),
        })),
      })),
    }
  },
})

/** Returns homes that count the accounts of each core once, however many hostings it serves. */
function countedOnce(homes: Homes): Homes {
  const counts = new Map<string, Promise<number>>()
  return {
    ...homes,
    count(core) {
      const count = counts.get(core) ?? homes.count(core)
      counts.set(core, count)
      return count
    },
  }
}

/** Returns the URL of the core for new accounts of a hosting; undefined when no core accepts any. */
async function coreOf(node: Context, homes: Homes, key: string): Promise<string | undefined> {
  const { registry, config } = node
  if (!registry.isShared) {
    const own = config.get('hostings') === null ? null : config.get('core.hosting')
    return own === null || own === key ? ownCoreUrl(node) : undefined
  }
  const candidates = registry.cores.list().filter((one) => acceptsAccounts(one) && isOfHosting(config, one, key))
  // Without the numbers of accounts, any of them is right: hostings are listed while the registry does not answer.
  const core = await emptiestOf({ core: registry.core, homes }, candidates).catch(() => candidates[0])
  return core === undefined ? undefined : coreOfHolder(node, { core: core.id }).url
}

const mapped = <T, R>(held: Readonly<Record<string, T>>, to: (value: T, key: string) => R): Record<string, R> =>
  Object.fromEntries(Object.entries(held).map(([key, value]) => [key, to(value, key)]))
