/** API method that returns the node's metrics for monitoring. */
import * as z from 'zod'
import { adminKey } from '../call/callers.js'
import { platformMethod, type PlatformCall } from '../call/method.js'
import { figuresOf } from './collect.js'
import { metricsText } from './text.js'
import type { MetricsDeps } from './counters.js'
import type { CertificateDeps } from '../tls/certificate.js'
import type { ConsentDeps } from '../api/consents/service.js'
import type { SyncDeps } from '../sync/sync.js'

export const metrics = platformMethod({
  id: 'metrics.get',
  requiresSetting: 'metrics.active',
  summary: 'Reads metrics of the node in the text format of Prometheus, without data of users.',
  http: { verb: 'GET', path: '/metrics', rawText: 'text/plain; version=0.0.4' },
  caller: adminKey,
  input: z.unknown(),
  output: () => z.object({ text: z.string().describe('The metrics in the text format of Prometheus.') }),
  fails: [],
  run: async ({ node }: PlatformCall<CertificateDeps & ConsentDeps & MetricsDeps & SyncDeps>) => ({ text: metricsText(await figuresOf(node)) }),
})
