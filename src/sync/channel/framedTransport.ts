/** Encrypted messages over a wire, after the handshake. */
import { ChannelError, MAX_MESSAGE, type Channel, type Wire } from './channel.js'

/** Encryption of messages to frames, and decryption, on one channel. */
export interface Codec {
  /** Encrypts a message; the last one ends the channel and contains the reason. */
  seal(message: Uint8Array, isLast: boolean): Uint8Array
  /** Decrypts a frame; undefined when it is not the next one of the other end on this channel. */
  open(frame: Uint8Array): { message: Uint8Array; isLast: boolean } | undefined
  /** Erases the keys; neither function may be called afterwards. */
  release(): void
}

interface FramingOptions {
  /** Ed25519 public key of the other node, base64url. */
  node: string
  binding: Uint8Array
  /** Bytes by which a frame is longer than its message. */
  overhead: number
}

/** Maximum length of a reason for closing, in characters. */
const MAX_REASON_LENGTH = 120

/** Creates a channel after the handshake. `frames` continues reading the wire. */
export function createFramedTransport(wire: Wire, frames: AsyncIterator<Uint8Array>, codec: Codec, { node, binding, overhead }: FramingOptions): Channel {
  let isOpen = true
  let failed: ChannelError | undefined
  let peerReason: string | undefined

  /** Closes this side, and sends the reason if the wire still accepts it. */
  function closeOnce(reason: string | undefined): void {
    if (!isOpen) return
    isOpen = false
    if (reason !== undefined) {
      const last = codec.seal(new TextEncoder().encode(reason.slice(0, MAX_REASON_LENGTH)), true)
      wire.send(last).catch(() => {})
    }
    codec.release()
    wire.close()
  }

  function fail(reason: ChannelError['reason'], message: string): ChannelError {
    failed = new ChannelError(reason, message)
    // A lost wire accepts no more frames.
    closeOnce(reason === 'closed' ? undefined : reason)
    return failed
  }

  async function next(): Promise<IteratorResult<Uint8Array, undefined>> {
    if (failed !== undefined) throw failed
    if (!isOpen) return { done: true, value: undefined }
    const arrived = await frames.next()
    if (failed !== undefined) throw failed
    if (!isOpen) return { done: true, value: undefined }
    if (arrived.done === true) throw fail('closed', 'The connection was lost before the other node closed the channel.')
    const frame = arrived.value
    if (frame.length > MAX_MESSAGE + overhead) throw fail('too-large', `A message is longer than ${MAX_MESSAGE} bytes.`)
    const opened = codec.open(frame)
    if (opened === undefined) throw fail('damaged', 'A message was altered, repeated or lost in transit.')
    if (!opened.isLast) return { done: false, value: opened.message }
    peerReason = new TextDecoder().decode(opened.message).slice(0, MAX_REASON_LENGTH)
    closeOnce(undefined)
    return { done: true, value: undefined }
  }

  const iterator: AsyncIterator<Uint8Array, undefined> = { next }
  return {
    node,
    binding,
    async send(message) {
      if (message.length > MAX_MESSAGE) throw new ChannelError('too-large', `A message has at most ${MAX_MESSAGE} bytes.`)
      if (!isOpen) throw failed ?? new ChannelError('closed', 'The channel is closed.')
      try {
        await wire.send(codec.seal(message, false))
      } catch {
        throw failed ?? new ChannelError('closed', 'The connection was lost.')
      }
    },
    messages: { [Symbol.asyncIterator]: () => iterator },
    get closeReason() {
      return peerReason
    },
    close: (reason = '') => closeOnce(reason),
    get sent() {
      return wire.sent
    },
    get received() {
      return wire.received
    },
  }
}
