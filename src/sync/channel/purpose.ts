/** What a conversation is about: the first message of whoever calls. */

export type Purpose =
  /** A pairing is to be agreed on. */
  | { is: 'pair' }
  /** What the nodes of a pairing have is to be exchanged. */
  | { is: 'session'; pairing: string }

/** Names of pairings: 16 bytes, base64url. */
const PAIRING = /^[A-Za-z0-9_-]{22}$/

/** The first message of a conversation. */
export function purposeMessage(purpose: Purpose): Uint8Array {
  return new TextEncoder().encode(purpose.is === 'pair' ? 'pair' : `session ${purpose.pairing}`)
}

/** What a first message says; undefined when it says nothing that is known. */
export function parsePurpose(message: Uint8Array): Purpose | undefined {
  if (message.length > 64) return undefined
  const [is, pairing, ...rest] = new TextDecoder().decode(message).split(' ')
  if (is === 'pair' && pairing === undefined) return { is }
  if (is === 'session' && pairing !== undefined && PAIRING.test(pairing) && rest.length === 0) return { is, pairing }
  return undefined
}
