/** Proof Key for Code Exchange (RFC 7636): S256 alone. */
import { hash } from 'node:crypto'
import { constantTimeEqual } from '../base/constantTimeEqual.js'

/** RFC 7636, 4.2. Of S256 only 43 characters can ever be proved; what is longer or shorter fails at the exchange. */
const CHALLENGE = /^[A-Za-z0-9._~-]{1,128}$/

/** Whether a text can be a challenge. */
export const isChallenge = (text: string): boolean => CHALLENGE.test(text)

/** Whether a verifier is the one that a challenge was made of. */
export const verifies = (verifier: string, challenge: string): boolean =>
  constantTimeEqual(hash('sha256', verifier, 'base64url'), challenge)
