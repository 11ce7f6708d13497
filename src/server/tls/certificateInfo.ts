/** Certificate details for the operator. */
import type { CertificateFacts } from './certificate.js'
import { DAY_MS } from './expiry.js'
import { isFor, type Pair } from './pair.js'

/** Returns the details of a pair. `now` in milliseconds since 1970. */
export function certificateInfo(pair: Pair, publicBase: string, now: number): CertificateFacts {
  const host = new URL(publicBase).hostname
  const hostname = isFor(pair, host) ? host : (pair.names[0] ?? '')
  return { hostname, issuedAt: pair.issuedAt, expiresAt: pair.expiresAt, daysUntilExpiry: Math.round((pair.expiresAt - now) / DAY_MS) }
}
