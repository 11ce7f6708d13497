/** Messages over a wire, once both ends have agreed on how frames are sealed. */
import { ChannelError, MAX_MESSAGE, type Channel, type Wire } from './channel.js'

/** How messages of one conversation become frames, and frames messages. */
export interface Codec {
  /** The frame of a message; of the last one, which ends the conversation, the message is the reason. */
  seal(message: Uint8Array, isLast: boolean): Uint8Array
  /** The message of a frame; undefined when the other end did not make it as the next one of this conversation. */
  open(frame: Uint8Array): { message: Uint8Array; isLast: boolean } | undefined
  /** Forgets the keys; neither is called after it. */
  release(): void
}

export interface Ends {
  /** Ed25519 public key of the other node, base64url. */
  node: string
  binding: Uint8Array
  /** Bytes by which a frame is longer than its message. */
  overhead: number
}

/** The longest reason for closing, in characters. */
const MAX_REASON_LENGTH = 120

/** The channel of an agreed conversation. `frames` reads the wire, which may have been read from before. */
export function createFramedTransport(wire: Wire, frames: AsyncIterator<Uint8Array>, codec: Codec, { node, binding, overhead }: Ends): Channel {
  let isOpen = true
  let failed: ChannelError | undefined
  let peerReason: string | undefined

  /** Ends this side. The other side is told why, if the wire still takes it. */
  function shut(reason: string | undefined): void {
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
    // A lost wire takes nothing any more.
    shut(reason === 'closed' ? undefined : reason)
    return failed
  }

  async function next(): Promise<IteratorResult<Uint8Array, undefined>> {
    if (failed !== undefined) throw failed
    if (!isOpen) return { done: true, value: undefined }
    const arrived = await frames.next()
    if (failed !== undefined) throw failed
    if (!isOpen) return { done: true, value: undefined }
    if (arrived.done === true) throw fail('closed', 'The connection was lost before the other node ended the conversation.')
    const frame = arrived.value
    if (frame.length > MAX_MESSAGE + overhead) throw fail('too-large', `A message is longer than ${MAX_MESSAGE} bytes.`)
    const opened = codec.open(frame)
    if (opened === undefined) throw fail('damaged', 'What arrived was altered, repeated or left out on its way.')
    if (!opened.isLast) return { done: false, value: opened.message }
    peerReason = new TextDecoder().decode(opened.message).slice(0, MAX_REASON_LENGTH)
    shut(undefined)
    return { done: true, value: undefined }
  }

  const iterator: AsyncIterator<Uint8Array, undefined> = { next }
  return {
    node,
    binding,
    async send(message) {
      if (message.length > MAX_MESSAGE) throw new ChannelError('too-large', `A message has at most ${MAX_MESSAGE} bytes.`)
      if (!isOpen) throw failed ?? new ChannelError('closed', 'The conversation has ended.')
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
    close: (reason = '') => shut(reason),
    get sent() {
      return wire.sent
    },
    get received() {
      return wire.received
    },
  }
}
