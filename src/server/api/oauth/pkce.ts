/** Proof Key for Code Exchange (RFC 7636): S256 only. */
import { hash } from 'node:crypto'
import { constantTimeEqual } from '../../../store/model/constantTimeEqual.js'

/** Characters of RFC 7636, 4.2. An S256 challenge has 43 characters; other lengths fail at the exchange. */
const CHALLENGE = /^[A-Za-z0-9._~-]{1,128}$/

/** Checks the format of a challenge. */
export const isChallenge = (text: string): boolean => CHALLENGE.test(text)

/** Checks whether a verifier matches a challenge. */
export const verifies = (verifier: string, challenge: string): boolean =>
  constantTimeEqual(hash('sha256', verifier, 'base64url'), challenge)
