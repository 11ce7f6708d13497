/** A conversation of two nodes that know who the other is; what an untrusted network sees of it is its length. */

/** What carries frames: a websocket, or two queues in a test. */
export interface Wire {
  /** Hands a frame on, behind those handed on before; resolves when more may be sent. Rejects once closed. */
  send(frame: Uint8Array): Promise<void>
  /**
   * Frames that arrive, each whole, for one reader; ends when the wire is closed. What arrived before the other end
   * closed it is still given; what had not been read when this end did is not.
   */
  readonly frames: AsyncIterable<Uint8Array>
  /** Closes the wire, behind the frames handed on; `reason` is at most 120 characters, and anybody may read it. */
  close(reason?: string): void
  /** Bytes on the wire so far, framing left out. */
  readonly sent: number
  readonly received: number
}

export interface Channel {
  /** Ed25519 public key of the other node, base64url. */
  readonly node: string
  /** 32 bytes that both ends of this very conversation know, and nobody else can choose. */
  readonly binding: Uint8Array
  /** Encrypts and sends a message of at most MOST_MESSAGE bytes; resolves when more may be sent. Rejects once closed. */
  send(message: Uint8Array): Promise<void>
  /**
   * Messages in the order in which they were sent, none twice; ends when the channel was closed from either side, and
   * throws ChannelError when what arrived was not sent by the other node in this conversation, `closed` when the wire
   * was lost before either side had closed the channel. For one reader; leaving a loop over them does not close the
   * channel, and the next loop goes on where this one stopped. What is not read waits on the wire.
   */
  readonly messages: AsyncIterable<Uint8Array>
  /** What the other node gave as its reason for closing; undefined as long as it has not closed. */
  readonly closeReason: string | undefined
  /** Closes the channel behind the messages sent; the other node learns the reason, of at most 120 characters. */
  close(reason?: string): void
  readonly sent: number
  readonly received: number
}

/** The longest message, before it is encrypted. */
export const MAX_MESSAGE = 1024 * 1024

export type ChannelErrorReason =
  | 'version'
  | 'identity'
  | 'damaged'
  | 'too-large'
  | 'timeout'
  | 'closed'

export class ChannelError extends Error {
  constructor(
    readonly reason: ChannelErrorReason,
    message: string,
  ) {
    super(message)
    this.name = 'ChannelError'
  }
}
