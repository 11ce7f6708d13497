/** A conversation of two nodes that know who the other is; what an untrusted network sees of it is its length. */

/** What carries frames: a websocket, or two queues in a test. */
export interface Wire {
  /** Hands a frame on; resolves when more may be sent. */
  send(frame: Uint8Array): Promise<void>
  /** Frames that arrive, each whole; ends when the wire is closed. */
  readonly frames: AsyncIterable<Uint8Array>
  /** Closes the wire; `reason` is at most 120 characters. */
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
   * throws ChannelError when what arrived was not sent by the other node in this conversation.
   */
  readonly messages: AsyncIterable<Uint8Array>
  close(reason?: string): void
  readonly sent: number
  readonly received: number
}

/** The longest message, before it is encrypted. */
export const MOST_MESSAGE = 1024 * 1024

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
