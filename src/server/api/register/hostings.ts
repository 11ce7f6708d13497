import * as z from 'zod'
import { anybody } from '../../call/callers.js'
import { platformMethod, type Result } from '../../call/method.js'

/** The hostings for new accounts (docs/interface/registration.md#look-ups): those of the setting, or this node alone. */
export const hostings = platformMethod({
  id: 'reg.hostings',
  summary: 'Lists the hostings for new accounts.',
  http: { verb: 'GET', path: '/reg/hostings', aliases: ['/hostings'] },
  caller: anybody,
  input: z.unknown(),
  output: z.object({
    regions: z.record(z.string(), z.unknown()).describe('Regions with their zones and hostings; availableCore is the URL for new accounts.'),
  }),
  fails: [],
  run({ node }) {
    const name = node.config.get('service.name')
    const configured = node.config.get('hostings')
    const regions = configured?.regions ?? {
      default: { name, zones: { default: { name, hostings: { default: { name } } } } },
    }
    const own = configured === null ? null : node.config.get('core.hosting')
    const core = `${node.publicBase()}/`
    const offered = (key: string, hosting: object): Result => {
      const available = own === null || own === key
      return { ...hosting, available, availableCore: available ? core : '' }
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

const mapped = <T, R>(held: Readonly<Record<string, T>>, to: (value: T, key: string) => R): Record<string, R> =>
  Object.fromEntries(Object.entries(held).map(([key, value]) => [key, to(value, key)]))
