/** Ordered messages over a channel; messages too long for a frame are split into fragments. */
import { ChannelError, MAX_MESSAGE, type Channel } from '../channel/channel.js'
import { decode, encode } from '../wire/codec.js'
import { damaged, ProtocolError } from '../wire/protocolError.js'
import { MAX_GROUP_BYTES } from '../wire/limits.js'
import type { Message } from '../wire/message.js'

export interface MessageStream {
  /** Sends a message after the previous ones; resolves when more may be sent. Rejects once the channel is closed. */
  send(message: Message): Promise<void>
  /** Yields the messages of the peer. @throws ProtocolError for an invalid message */
  messages(): AsyncGenerator<Message, void>
}

/** Bytes reserved for the message type and the fragment flag. */
const HEAD = 16
/** Bytes of a group besides its body. */
const SLACK = 1024

export function createMessageStream(channel: Channel): MessageStream {
  let last: Promise<void> = Promise.resolve()

  async function sendBytes(bytes: Uint8Array): Promise<void> {
    if (bytes.length <= MAX_MESSAGE) return channel.send(bytes)
    const stretch = MAX_MESSAGE - HEAD
    for (let at = 0; at < bytes.length; at += stretch) {
      const part = bytes.subarray(at, at + stretch)
      await channel.send(await encode({ type: 'part', isLast: at + stretch >= bytes.length, bytes: part }))
    }
  }

  return {
    send(message) {
      // Encoding continues while earlier messages are in transit.
      const packed = encode(message)
      packed.catch(() => {})
      const sent = last.then(async () => sendBytes(await packed))
      last = sent.catch(() => {})
      return sent
    },
    async *messages() {
      let parts: Uint8Array[] = []
      let length = 0
      try {
        for await (const bytes of channel.messages) {
          const message = await decode(bytes)
          if (message.type !== 'part') {
            if (length > 0) throw damaged('a message within a fragmented message')
            yield message
            continue
          }
          length += message.bytes.length
          if (message.bytes.length === 0 || length > MAX_GROUP_BYTES + SLACK) throw damaged('a message that is too long')
          parts.push(message.bytes)
          if (!message.isLast) continue
          const whole = await decode(Buffer.concat(parts))
          parts = []
          length = 0
          if (whole.type === 'part') throw damaged('a nested fragment')
          yield whole
        }
      } catch (error) {
        throw error instanceof ChannelError ? new ProtocolError(reasonOf(error), error.message) : error
      }
    },
  }
}

const reasonOf = ({ reason }: ChannelError): 'damaged' | 'version' | 'lost' =>
  reason === 'version' ? 'version' : reason === 'timeout' || reason === 'closed' ? 'lost' : 'damaged'
