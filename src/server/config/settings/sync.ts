/** Settings of pairing and sync. */
import { setting, textLike, whole, yesOrNo } from '../setting.js'

export const syncSettings = {
  'sync.active': setting(yesOrNo, {
    default: true,
    summary: 'Contact with paired nodes; false: none is made and none is answered.',
  }),
  'sync.name': setting(textLike(/^[^\p{Cc}/]{1,60}$/u, 'a name of at most 60 characters'), {
    default: null,
    summary: 'What this node calls itself to others; without it, the name of the machine, with the folder of the node before it unless that is called coffer.',
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
