/** API method that returns the node's metrics for monitoring. */
import * as z from 'zod'
import { platformMethod } from '../method.js'
import { figuresOf } from './collect.js'
import { metricsText } from './text.js'

export const metrics = platformMethod({
  id: 'metrics.get',
  switchedBy: 'metrics.active',
  summary: 'Reads metrics of the node in the text format of Prometheus, without data of users.',
  http: { verb: 'GET', path: '/metrics' },
  input: z.unknown(),
  output: z.object({ text: z.string().describe('The metrics in the text format of Prometheus.') }),
  admin: true,
  plain: 'text/plain; version=0.0.4',
  fails: [],
  run: async ({ node }) => ({ text: metricsText(await figuresOf(node)) }),
})
