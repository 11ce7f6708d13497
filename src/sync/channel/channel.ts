/**
 * Authenticated and encrypted channel between two nodes (`Channel`) over a connection of any kind (`Wire`); an observer of the
 * network sees only the lengths of frames. Both nodes prove their Ed25519 keys, so TLS is optional.
 *
 * open.ts opens channels: it runs the handshake (handshake.ts), then carries messages in encrypted frames (framedTransport.ts).
 * purpose.ts distinguishes a sync from a pairing. signer.ts signs for this node.
 */

/** Transport of frames: a websocket, or two queues in a test. */
export interface Wire {
  /** Sends a frame after the previous ones; resolves when more may be sent. Rejects once closed. */
  send(frame: Uint8Array): Promise<void>
  /**
   * Received frames, each complete, for one reader; ends when the wire is closed. Frames received before the other end
   * closed it are still delivered; unread ones are dropped when this end closes it.
   */
  readonly frames: AsyncIterable<Uint8Array>
  /** Closes the wire after the frames sent; `reason` has at most 120 characters and is not encrypted. */
  close(reason?: string): void
  /** Bytes on the wire so far, without framing. */
  readonly sent: number
  readonly received: number
}

export interface Channel {
  /** Ed25519 public key of the other node, base64url. */
  readonly node: string
  /** 32 bytes unique to this channel that both ends know and a third party cannot choose. */
  readonly binding: Uint8Array
  /** Encrypts and sends a message of at most MAX_MESSAGE bytes; resolves when more may be sent. Rejects once closed. */
  send(message: Uint8Array): Promise<void>
  /**
   * Received messages, in order and without duplicates, for one reader. Ends when either side has closed the channel. Throws
   * ChannelError for data that the other node did not send on this channel, and `closed` when the wire was lost before
   * either side closed the channel. Leaving a loop over them does not close the channel: the next loop continues where it
   * stopped. Unread messages wait on the wire.
   */
  readonly messages: AsyncIterable<Uint8Array>
  /** Reason with which the other node closed the channel; undefined until then. */
  readonly closeReason: string | undefined
  /** Closes the channel after the messages sent; the reason, of at most 120 characters, is sent to the other node. */
  close(reason?: string): void
  readonly sent: number
  readonly received: number
}

/** Maximum length of a message before encryption. */
export const MAX_MESSAGE = 1024 * 1024

type ChannelErrorReason =
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
