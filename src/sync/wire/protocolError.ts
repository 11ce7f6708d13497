/** Reasons for which a session with another node ends. */

export type EndReason =
  | 'closed'
  | 'lost'
  | 'clock'
  | 'scope'
  | 'unpaired'
  | 'paused'
  | 'damaged'
  | 'unknown-pairing'
  | 'version'
  | 'no-space'
  | 'copied'

/** End reasons, in the order of their numbers on the wire. */
export const END_REASONS: readonly EndReason[] = [
  'closed',
  'lost',
  'clock',
  'scope',
  'unpaired',
  'paused',
  'damaged',
  'unknown-pairing',
  'version',
  'no-space',
  'copied',
]

/** Error that ends the session in which it is thrown. `message` is one sentence for people. */
export class ProtocolError extends Error {
  constructor(
    readonly reason: EndReason,
    message: string,
  ) {
    super(message)
    this.name = 'SessionFault'
  }
}

/** Creates the error for received data that violates the protocol. */
export const damaged = (what: string): ProtocolError => new ProtocolError('damaged', `The other node sent ${what}.`)
