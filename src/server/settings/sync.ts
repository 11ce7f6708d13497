/** Settings of pairing and sync. */
import { setting, whole, yesOrNo } from '../config/setting.js'

export const syncSettings = {
  'sync.active': setting(yesOrNo, {
    default: true,
    summary: 'Contact with paired nodes; false: none is made and none is answered.',
  }),
  'sync.maxPeers': setting(whole(1, 100, ' of nodes'), {
    default: 20,
    summary: 'Most nodes that one account may be paired with.',
  }),
  'sync.maxClockSkewSeconds': setting(whole(1, 86_400, ' of seconds'), {
    default: 300,
    summary: 'Seconds by which the clock of another node may differ; beyond, nothing is exchanged with it.',
  }),
} as const
