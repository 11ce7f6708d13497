/** Purpose of a channel: the first message of the caller. */

type Purpose =
  /** Negotiation of a pairing. */
  | { is: 'pair' }
  /** Session of an existing pairing. */
  | { is: 'session'; pairing: string }

/** Form of pairing ids: 16 bytes, base64url. */
const PAIRING = /^[A-Za-z0-9_-]{22}$/

/** Encodes the first message of a channel. */
export function purposeMessage(purpose: Purpose): Uint8Array {
  return new TextEncoder().encode(purpose.is === 'pair' ? 'pair' : `session ${purpose.pairing}`)
}

/** Parses a first message; undefined for an unknown purpose. */
export function parsePurpose(message: Uint8Array): Purpose | undefined {
  if (message.length > 64) return undefined
  const [is, pairing, ...rest] = new TextDecoder().decode(message).split(' ')
  if (is === 'pair' && pairing === undefined) return { is }
  if (is === 'session' && pairing !== undefined && PAIRING.test(pairing) && rest.length === 0) return { is, pairing }
  return undefined
}
