import * as z from 'zod'
import { adminKey } from '../../call/callers.js'
import { platformMethod } from '../../call/method.js'
import { urlOfCore } from '../../platform/cores/ownCore.js'

/**
 * Lists the cores of the platform (docs/interface/system.md#cores), those that wait to be started included.
 */
export const cores = platformMethod({
  id: 'system.cores',
  summary: 'Lists the cores of the platform.',
  http: { verb: 'GET', path: '/system/admin/cores' },
  caller: adminKey,
  input: z.unknown(),
  output: () => z.object({
    cores: z.array(
      z.object({
        id: z.string().describe('Id of the core.'),
        url: z.string().describe('Address, with a trailing slash; empty while it is unknown.'),
        hosting: z.string().nullable().describe('Key of its hosting; null if not set.'),
        available: z.boolean().describe('true if it accepts new accounts.'),
        userCount: z.number().describe('Number of accounts.'),
      }),
    ).describe('The cores.'),
  }),
  notInBatch: true,
  fails: [],
  async run({ node }) {
    const { registry, config } = node
    const described = registry.cores.list().map(async (core) => ({
      id: core.id,
      url: urlOfCore(config, core) ?? '',
      hosting: core.hosting,
      available: core.available && core.state === 'active',
      userCount: await registry.homes.count(core.id),
    }))
    return { cores: await Promise.all(described) }
  },
})
