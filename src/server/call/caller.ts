/** Authenticated callers: an access with its token and compiled permissions. */
import type { Access } from '../../store/model/access.js'
import type { Scope } from '../../store/model/permission.js'
import type { Secret } from '../../store/model/secret.js'

/** The access of a call, with its compiled permissions. */
export interface Caller {
  readonly access: Access
  readonly token: Secret<string>
  readonly scope: Scope
}

/** A caller as cached for later calls. */
export interface Authenticated extends Caller {
  /** Expiry in seconds of the access or of the app that manages it, whichever is first. */
  expires?: number
  /** Expiry of the session of a personal access, in seconds. */
  sessionExpires?: number
  /** Restrictions of an access of an OAuth client. */
  boundAccess?: BoundAccess
}

/** An access of a client, to be checked for revocation. */
export interface BoundAccess {
  /** Client of the access, and creation time of the access in seconds. */
  client?: { id: string; since: number }
  /** Thumbprint of the key that the access is bound to. */
  jkt?: string
}

/** Revoked OAuth clients and DPoP keys. */
export interface Revocations {
  /** Checks whether the client was revoked after the access was created. */
  isClientRevoked(access: BoundAccess): boolean
  isKeyRevoked(jkt: string): boolean
  /** Calls back on further revocations. Returns a stop function. */
  follow(listener: () => void): () => void
  stop(): void
}
