/** Authentication challenges of rejected tokens (docs/interface/oauth.md#dpop, docs/interface/oauth.md#records). */
import { Failure } from '../../store/model/failure.js'
import { ProofRefused } from '../auth/dpopBinding.js'
import type { Node } from '../index.js'

/** Returns the header `WWW-Authenticate` of a failure; undefined for those unrelated to the token. */
export function wwwAuthenticate({ config }: Node, failure: Failure): string | undefined {
  if (failure.id !== 'invalid-access-token') return undefined
  if (failure instanceof ProofRefused) return 'DPoP algs="ES256", error="invalid_token"'
  const realm = `Bearer realm=${quoted(config.get('service.name'))}`
  // A request without credentials gets no error code (RFC 6750, 3.1).
  if (failure.variant === 'absent') return realm
  return `${realm}, error="invalid_token", error_description=${quoted(failure.message)}`
}

/** Formats a quoted string for a header. */
const quoted = (text: string): string => `"${text.replace(/[^\x20-\x7e]/gu, '?').replace(/["\\]/g, '\\$&')}"`
