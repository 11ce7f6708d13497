/** Greetings of both sides, and the plan that results from them. */
import type { Begin, Hello } from '../wire/message.js'
import { damaged, ProtocolError } from '../wire/protocolError.js'
import { maySend, type Scope } from '../../store/replication/peers.js'
import type { Digest } from '../wire/itemSet.js'
import type { Replica } from './replica.js'

/** Maximum number of pending items counted in the greeting. */
const MAX_COUNTED = 1000

/** Builds the greeting of this side. `now` is in seconds. */
export async function makeHello(replica: Replica, product: string, instance: string, now: number): Promise<Hello> {
  const { state, sequence } = await replica.set.digest()
  // Creates the epoch of this process if there is none yet.
  await replica.feed.position()
  const [mine, yours, pendingFetch] = await Promise.all([
    replica.feed.positionOf(sequence),
    replica.receivedPosition(),
    replica.pendingFetch(MAX_COUNTED),
  ])
  const { scope } = replica
  return { type: 'hello', product, instance, now, scope, mine, digest: { state }, ...(yours === undefined ? {} : { yours }), pendingFetch: pendingFetch.length + replica.files.wanted.count }
}

/** Checks that the peer's clock and scope match. @throws ProtocolError `clock`, `scope` */
export function checkHello(mine: Hello, theirs: Hello, now: number, maxSkew: number): void {
  const skew = Math.round(theirs.now - now)
  if (!(Math.abs(skew) <= maxSkew)) {
    const off = Number.isFinite(skew) ? `${lengthOf(Math.abs(skew))} ${skew > 0 ? 'ahead' : 'behind'}` : 'unreadable'
    throw new ProtocolError('clock', `The clock of the other node is ${off}; at most ${lengthOf(maxSkew)} are allowed.`)
  }
  if (!scopesMatch(mine.scope, theirs.scope)) {
    throw new ProtocolError('scope', 'The two nodes do not agree on what they share; pair them again.')
  }
  if (mine.mine.epoch === theirs.mine.epoch) throw damaged('the feed of this node itself')
}

function lengthOf(seconds: number): string {
  if (seconds < 120) return `${seconds} seconds`
  if (seconds < 7200) return `${Math.round(seconds / 60)} minutes`
  if (seconds < 172_800) return `${Math.round(seconds / 3600)} hours`
  return `${Math.round(seconds / 86_400)} days`
}

const MIRRORED = { send: 'receive', receive: 'send', both: 'both' } as const

function scopesMatch(mine: Scope, theirs: Scope): boolean {
  if (mine.is === 'mirror' || theirs.is === 'mirror') return mine.is === theirs.is
  if (MIRRORED[mine.direction] !== theirs.direction || mine.grantor === theirs.grantor) return false
  const streams = new Set(mine.streams)
  return streams.size === new Set(theirs.streams).size && theirs.streams.every((stream) => streams.has(stream))
}

export const sameDigest = (a: Digest, b: Digest): boolean => Buffer.compare(a.state, b.state) === 0

const isEmpty = ({ state }: Digest): boolean => state.every((byte) => byte === 0)

/**
 * Checks whether the greetings alone show that both sides are in sync. In a share the digest covers only items sent so far,
 * so equal digests mean "in sync" only if both feeds are drained.
 */
export function areInSync(mine: Hello, theirs: Hello): boolean {
  if (!sameDigest(mine.digest, theirs.digest)) return false
  if (mine.scope.is === 'mirror') return true
  return mine.yours?.sequence === theirs.mine.sequence && theirs.yours?.sequence === mine.mine.sequence
}

/** Method by which this side sends, and the sequence after which its feed starts. */
export interface Plan extends Pick<Begin, 'how' | 'skip'> {
  from: number
  /** True when the peer has nothing: no entry up to the current end of the feed is skipped or only offered. */
  whole: boolean
}

/** Chooses the sending method when the digests differ. */
export function planOf(replica: Replica, mine: Hello, theirs: Hello): Plan {
  const end = mine.mine
  const nothing: Plan = { how: 'feed', from: end.sequence, skip: end, whole: false }
  if (!maySend(replica.scope)) return nothing
  const { yours } = theirs
  const isKnown = yours !== undefined && replica.feed.knows(yours)
  if (isEmpty(theirs.digest) && replica.share === undefined) {
    return { how: 'feed', from: isKnown ? yours.sequence : 0, whole: true }
  }
  if (isKnown) return { how: 'feed', from: yours.sequence, whole: false }
  if (replica.share !== undefined) return { how: 'items', from: end.sequence, whole: false }
  if (isEmpty(mine.digest)) return nothing
  return { how: 'reconcile', from: end.sequence, whole: false }
}
