/** Settings of the figures for monitoring. */
import { setting, yesOrNo } from '../setting.js'

export const metricsSettings = {
  'metrics.active': setting(yesOrNo, {
    default: true,
    summary: 'GET /metrics tells figures of the node to whoever shows the operator key; false: there is no such address.',
  }),
} as const
