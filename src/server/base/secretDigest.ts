/** Digests under which random tokens and codes are stored. */
import { hash } from 'node:crypto'

/** Returns the digest of a token or code: SHA-256, in hex. */
export const secretDigest = (secret: string): string => hash('sha256', secret, 'hex')

/** Digest of no secret. Where none is stored, a comparison with it takes the same time. */
export const NO_DIGEST = '0'.repeat(64)
