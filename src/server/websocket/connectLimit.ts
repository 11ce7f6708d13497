/**
 * Rate limit for connects to namespaces over one transport. Counts packets before socket.io reads them, since each one creates a
 * namespace, an admission and a response.
 */
import type { Socket } from 'socket.io'
import { Failure } from '../../store/model/failure.js'

/** Burst of connects that a transport may make, and refill per second. */
export const CONNECT_BURST = 200
const CONNECTS_PER_SECOND = 50
/** Rejected connects after which the transport is closed, unless it paused for long enough to regain the full burst. */
const MAX_REFUSED = 1000

/** Socket.io packet types: connect, and connect error. */
const CONNECT = '0'
const CONNECT_ERROR = '4'

/** Engine protocol of older clients, whose namespaces carry parameters. */
const FORMER_PROTOCOL = 3

type Transport = Pick<Socket['conn'], 'protocol' | 'write' | 'close' | 'listeners' | 'removeAllListeners' | 'on'>

/**
 * Intercepts the messages of a transport before socket.io. `now` in seconds. Rejects connects above the limit with
 * `too-many-requests`; closes transports that continue.
 */
export function limitConnects(transport: Transport, now: () => number): void {
  const receivers = transport.listeners('data') as ((data: unknown) => void)[]
  let left = CONNECT_BURST
  let countedAt = now()
  let refused = 0

  function isWithinLimit(): boolean {
    const time = now()
    left = Math.min(CONNECT_BURST, left + Math.max(0, time - countedAt) * CONNECTS_PER_SECOND)
    countedAt = time
    if (left === CONNECT_BURST) refused = 0
    if (left < 1) return false
    left -= 1
    return true
  }

  transport.removeAllListeners('data')
  transport.on('data', (data: unknown) => {
    if (typeof data === 'string' && data.startsWith(CONNECT) && !isWithinLimit()) {
      refused += 1
      if (refused > MAX_REFUSED) transport.close(true)
      else transport.write(refusalOf(data, transport.protocol))
      return
    }
    for (const receive of receivers) receive(data)
  })
}

/** Returns the packet that rejects a connect packet: `0/ana,{"auth":"…"}`, in the older protocol `0/ana?auth=…,`. */
function refusalOf(packet: string, protocol: number): string {
  const failure = new Failure('too-many-requests', 'Too many connects to namespaces; try again later.', { retryAfterSeconds: 1 })
  const namespace = /^[^,?]{0,200}/.exec(packet.slice(CONNECT.length))?.[0] ?? ''
  const place = namespace === '' || !namespace.startsWith('/') ? '' : `${namespace},`
  const error = protocol === FORMER_PROTOCOL ? failure : { message: failure.message, data: failure }
  return `${CONNECT_ERROR}${place}${JSON.stringify(error)}`
}
