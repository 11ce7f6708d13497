import * as z from 'zod'
import { adminKey } from '../../call/callers.js'
import { platformMethod } from '../../call/method.js'
import { userCount } from './accounts.js'

/**
 * Lists the cores of the platform (docs/interface/system.md#cores). A platform of one core lists that one.
 */
export const cores = platformMethod({
  id: 'system.cores',
  summary: 'Lists the cores of the platform.',
  http: { verb: 'GET', path: '/system/admin/cores' },
  caller: adminKey,
  input: z.unknown(),
  output: z.object({
    cores: z.array(
      z.object({
        id: z.string().describe('Id of the core.'),
        url: z.string().describe('Address.'),
        hosting: z.string().nullable().describe('Key of its hosting; null if not set.'),
        available: z.boolean().describe('true if it accepts new accounts.'),
        userCount: z.number().describe('Number of accounts.'),
      }),
    ).describe('The cores.'),
  }),
  notInBatch: true,
  fails: [],
  async run({ node }) {
    const here = { id: node.registry.core, url: `${node.publicBase()}/`, hosting: node.config.get('core.hosting'), available: true }
    return { cores: [{ ...here, userCount: await userCount(node) }] }
  },
})
