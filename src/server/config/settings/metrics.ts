/** Settings of monitoring metrics. */
import { setting, yesOrNo } from '../setting.js'

export const metricsSettings = {
  'metrics.active': setting(yesOrNo, {
    default: true,
    summary: 'Serve metrics at GET /metrics to callers with the operator key; false: the route does not exist.',
  }),
} as const
