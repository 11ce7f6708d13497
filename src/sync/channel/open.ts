/** Opens authenticated channels over wires. */
import sodium from 'libsodium-wrappers'
import { ChannelError, type Channel, type Wire } from './channel.js'
import { createFramedTransport } from './framedTransport.js'
import { respondToHandshake, initiateHandshake, MAX_HANDSHAKE, type Agreement, type HandshakeWire } from './handshake.js'
import type { Signer } from './signer.js'
import { STREAM_OVERHEAD } from '../../store/keyring/streamCipher.js'

/** Timer functions: real ones, or those of a test. */
export interface Timers {
  /** Runs a function once after some milliseconds. Returns a function that cancels it. */
  after(ms: number, run: () => void): () => void
}

interface OpenOptions {
  signer: Signer
  timers: Timers
  /** 10,000 by default. */
  timeoutMs?: number
}

const TIMEOUT_MS = 10_000

/**
 * Opens a channel as the initiator. With `expected`, the base64url public key of a node, refuses any other. Closes the wire
 * on failure. Rejects with ChannelError: `version`, `identity`, `damaged`, `too-large`, `timeout` or `closed`.
 */
export function initiate(wire: Wire, options: OpenOptions & { expected?: string }): Promise<Channel> {
  return open(wire, options, (handshake) => initiateHandshake(options.signer, handshake, options.expected))
}

/** Opens a channel as the responder; otherwise like `initiate`. */
export function respond(wire: Wire, options: OpenOptions): Promise<Channel> {
  return open(wire, options, (handshake) => respondToHandshake(options.signer, handshake))
}

async function open(
  wire: Wire,
  { timers, timeoutMs = TIMEOUT_MS }: OpenOptions,
  agree: (wire: HandshakeWire) => Promise<Agreement>,
): Promise<Channel> {
  let isLate = false
  const stop = timers.after(timeoutMs, () => {
    isLate = true
    wire.close('timeout')
  })
  const frames = wire.frames[Symbol.asyncIterator]()
  const handshake: HandshakeWire = {
    send: (frame) => wire.send(frame),
    async read() {
      const arrived = await frames.next()
      if (arrived.done === true) throw lost()
      if (arrived.value.length > MAX_HANDSHAKE) {
        throw new ChannelError('too-large', `The first frame of the other end has more than ${MAX_HANDSHAKE} bytes.`)
      }
      return arrived.value
    },
  }
  try {
    await sodium.ready
    const { node, binding, sealing, opening } = await agree(handshake)
    if (isLate) {
      sealing.release()
      opening.release()
      throw lost()
    }
    const codec = {
      seal: (message: Uint8Array, isLast: boolean) => sealing.seal(message, isLast),
      open: (frame: Uint8Array) => opening.open(frame),
      release() {
        sealing.release()
        opening.release()
      },
    }
    return createFramedTransport(wire, frames, codec, { node, binding, overhead: STREAM_OVERHEAD })
  } catch (error) {
    const refused = isLate
      ? new ChannelError('timeout', `The other end did not prove its identity within ${timeoutMs / 1000} seconds.`)
      : error instanceof ChannelError
        ? error
        : lost()
    wire.close(refused.reason)
    throw refused
  } finally {
    stop()
  }
}

const lost = (): ChannelError => new ChannelError('closed', 'The connection ended during the handshake.')
