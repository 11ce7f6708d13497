/**
 * Families of platform records about revoked OAuth clients and keys, and used proofs (docs/interface/oauth.md#clients,
 * docs/interface/oauth.md#dpop).
 */

export const CLIENTS = 'oauth-client'
/** Revocations, `{ revokedAt }` in milliseconds: by client id, and by the thumbprint of a key. */
export const REVOKED_CLIENTS = 'oauth-client-revoked'
export const REVOKED_KEYS = 'dpop-jkt-revoked'
/** Used proofs, by the thumbprint of their key and the hash of their id, kept for twice the skew. */
export const USED_PROOFS = 'dpop-jti'
