/**
 * Limits how fast a client connects to namespaces over one transport. Packets are counted before socket.io reads them: each that it
 * takes makes a namespace, an admission and an answer.
 */
import type { Socket } from 'socket.io'
import { Failure } from '../../store/model/failure.js'

/** Connects that a transport may ask for at once, and how many more each second. */
export const CONNECT_BURST = 200
const CONNECTS_PER_SECOND = 50
/** Refused connects after which the transport is cut, unless it has paused for long enough to ask for all at once again. */
const MAX_REFUSED = 1000

/** The types of the packets of socket.io that ask to connect, and that refuse it. */
const CONNECT = '0'
const CONNECT_ERROR = '4'

/** The transports of the protocol before, whose namespaces carry parameters. */
const FORMER_PROTOCOL = 3

type Transport = Pick<Socket['conn'], 'protocol' | 'write' | 'close' | 'listeners' | 'removeAllListeners' | 'on'>

/**
 * Takes the place of what socket.io receives the messages of a transport by. `now` in seconds. Connects beyond the limit are refused
 * with `too-many-requests`; a client that goes on is cut.
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

/** The packet that refuses one that asks to connect: `0/ana,{"auth":"…"}`, in the former protocol `0/ana?auth=…,`. */
function refusalOf(packet: string, protocol: number): string {
  const failure = new Failure('too-many-requests', 'Too many connects to namespaces at once; try again later.', { retryAfterSeconds: 1 })
  const namespace = /^[^,?]{0,200}/.exec(packet.slice(CONNECT.length))?.[0] ?? ''
  const place = namespace === '' || !namespace.startsWith('/') ? '' : `${namespace},`
  const error = protocol === FORMER_PROTOCOL ? failure : { message: failure.message, data: failure }
  return `${CONNECT_ERROR}${place}${JSON.stringify(error)}`
}
