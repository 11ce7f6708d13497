/** Settings of pairing and sync. */
import { setting, textLike, whole, yesOrNo } from '../setting.js'

export const syncSettings = {
  'sync.active': setting(yesOrNo, {
    default: true,
    summary: 'Connect to paired nodes; false: connections are neither opened nor accepted.',
  }),
  'sync.name': setting(textLike(/^[^\p{Cc}/]{1,60}$/u, 'a name of at most 60 characters'), {
    default: null,
    summary: 'Name of this node for other nodes; default: the name of the machine, prefixed with the folder of the node unless that is called coffer.',
  }),
  'sync.maxPeers': setting(whole(1, 100, ' of nodes'), {
    default: 20,
    summary: 'Maximum number of nodes that one account may be paired with.',
  }),
  'sync.maxClockSkewSeconds': setting(whole(1, 86_400, ' of seconds'), {
    default: 300,
    summary: 'Maximum clock difference to another node, in seconds; beyond it, no data is exchanged with that node.',
  }),
} as const
