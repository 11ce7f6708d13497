import { z } from 'zod'
import { platformMethod } from '../method.js'

/** Where new accounts can live: this node (accounts supplement 10). */
export const hostings = platformMethod({
  id: 'reg.hostings',
  summary: 'Lists where a new account can live.',
  http: { verb: 'GET', path: '/reg/hostings', aliases: ['/hostings'] },
  input: z.unknown(),
  output: z.object({ regions: z.record(z.string(), z.unknown()) }),
  fails: [],
  run({ node }) {
    const name = node.config.get('service.name')
    const here = { name, available: true, availableCore: `${node.publicBase()}/` }
    const zone = { name, hostings: { default: here } }
    return { regions: { default: { name, zones: { default: zone } } } }
  },
})
