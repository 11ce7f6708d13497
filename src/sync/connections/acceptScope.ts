/** Following the other node in what it shares. */
import type { Scope } from '../peers/peer.js'

const MIRRORED = { send: 'receive', receive: 'send', both: 'both' } as const

/**
 * The scope that this node takes over from the one who grants it; undefined when it is not theirs to decide, or when more
 * would leave this node by it: then people are to pair again.
 * @param theirs as the other node sees it.
 */
export function acceptScope(mine: Scope, theirs: Scope): Scope | undefined {
  if (mine.is !== 'share' || theirs.is !== 'share') return undefined
  if (mine.grantor !== 'them' || theirs.grantor !== 'us') return undefined
  const direction = MIRRORED[theirs.direction]
  const gives = direction !== 'receive'
  const gave = mine.direction !== 'receive'
  const isWider = theirs.streams.some((stream) => !mine.streams.includes(stream))
  if (gives && (!gave || isWider)) return undefined
  return { is: 'share', streams: theirs.streams, direction, grantor: 'them' }
}
