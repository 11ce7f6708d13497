/** Public keys on P-256, as JWKs have them. Pure. */
import { createHash, createPublicKey, type KeyObject } from 'node:crypto'

interface Point {
  x: string
  y: string
}

/** 32 bytes in base64url in the one spelling that they have: a coordinate, or a thumbprint. */
export const isThirtyTwoBytes = (text: string): boolean =>
  text.length === 43 && Buffer.from(text, 'base64url').toString('base64url') === text

/** A key to verify with; undefined for what is no point of the curve. */
export function keyAt({ x, y }: Point): KeyObject | undefined {
  try {
    return createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' })
  } catch {
    return undefined
  }
}

/** The thumbprint of a key (RFC 7638). */
export const thumbprint = ({ x, y }: Point): string =>
  createHash('sha256').update(`{"crv":"P-256","kty":"EC","x":"${x}","y":"${y}"}`).digest('base64url')
