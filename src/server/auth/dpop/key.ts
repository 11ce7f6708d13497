/** Public P-256 keys in JWK format. Pure. */
import { createHash, createPublicKey, type KeyObject } from 'node:crypto'

interface Point {
  x: string
  y: string
}

/** Checks for 32 bytes in canonical base64url: a coordinate, or a thumbprint. */
export const isThirtyTwoBytes = (text: string): boolean =>
  text.length === 43 && Buffer.from(text, 'base64url').toString('base64url') === text

/** Returns a verification key; undefined for coordinates that are not on the curve. */
export function keyAt({ x, y }: Point): KeyObject | undefined {
  try {
    return createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' })
  } catch {
    return undefined
  }
}

/** Returns the thumbprint of a key (RFC 7638). */
export const thumbprint = ({ x, y }: Point): string =>
  createHash('sha256').update(`{"crv":"P-256","kty":"EC","x":"${x}","y":"${y}"}`).digest('base64url')
