/** What a refused token is answered with beside the failure: by which scheme to come (consent supplement 4.8, 4.11). */
import { Failure } from '../../store/model/failure.js'
import { ProofRefused } from '../guard/dpop.js'
import type { Node } from '../node.js'

/** The header `WWW-Authenticate` of a failure; undefined for those that are not about the token. */
export function wwwAuthenticate({ config }: Node, failure: Failure): string | undefined {
  if (failure.id !== 'invalid-access-token') return undefined
  if (failure instanceof ProofRefused) return 'DPoP algs="ES256", error="invalid_token"'
  const realm = `Bearer realm=${quoted(config.get('service.name'))}`
  // Whoever showed nothing is told of no error (RFC 6750, 3.1).
  if (failure.variant === 'absent') return realm
  return `${realm}, error="invalid_token", error_description=${quoted(failure.message)}`
}

/** A text in quotes, as headers can carry it. */
const quoted = (text: string): string => `"${text.replace(/[^\x20-\x7e]/gu, '?').replace(/["\\]/g, '\\$&')}"`
