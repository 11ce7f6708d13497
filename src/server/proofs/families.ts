/** Families of the platform's records that say what OAuth clients and keys are good for (consent supplement 4.9). */

export const CLIENTS = 'oauth-client'
/** `{ revokedAt }`, in milliseconds: by client id, and by the thumbprint of a key. */
export const REVOKED_CLIENTS = 'oauth-client-revoked'
export const REVOKED_KEYS = 'dpop-jkt-revoked'
/** Which proofs were used, by the thumbprint of their key and the hash of their id, for twice the skew. */
export const USED_PROOFS = 'dpop-jti'
