/** Adoption of a scope that the grantor changed. */
import type { Scope } from '../peers/peer.js'

const MIRRORED = { send: 'receive', receive: 'send', both: 'both' } as const

/**
 * Returns the scope to adopt from the grantor; undefined when this side is the grantor, or when it would send more data,
 * which requires a new pairing.
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
