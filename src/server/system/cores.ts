import * as z from 'zod'
import { platformMethod } from '../method.js'
import { userCount } from './accounts.js'

/** Specification, "Operator system routes"; accounts supplement 15. A platform of one core lists that one. */
export const cores = platformMethod({
  id: 'system.cores',
  summary: 'Lists the cores of the platform.',
  http: { verb: 'GET', path: '/system/admin/cores' },
  input: z.unknown(),
  output: z.object({
    cores: z.array(
      z.object({
        id: z.string(),
        url: z.string(),
        hosting: z.string().nullable(),
        available: z.boolean(),
        userCount: z.number(),
      }),
    ),
  }),
  admin: true,
  alone: true,
  fails: [],
  async run({ node }) {
    const here = { id: node.registry.core, url: `${node.publicBase()}/`, hosting: node.config.get('core.hosting'), available: true }
    return { cores: [{ ...here, userCount: await userCount(node) }] }
  },
})
