/** Why a session with another node cannot go on. */

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

/** The reasons in the order of their numbers on the wire. */
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

/** Ends the session in which it is thrown. `message` is one sentence for people. */
export class ProtocolError extends Error {
  constructor(
    readonly reason: EndReason,
    message: string,
  ) {
    super(message)
    this.name = 'SessionFault'
  }
}

/** What arrived is not what a node of this protocol sends. */
export const damaged = (what: string): ProtocolError => new ProtocolError('damaged', `The other node sent ${what}.`)
