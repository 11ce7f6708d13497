/**
 * Shared secrets: one value, handed over once, by a key (specification, "Shared secrets"; consent supplement 5). They are
 * read as events of a reserved stream and kept apart from events: they stay with their node, and nothing of a value
 * outlasts its handing over.
 */
import type { Seconds } from './event.js'

export type SharedSecretStatus = 'pending' | 'consumed' | 'discarded'

/** Why a secret was discarded, as its history tells. */
export type SharedSecretInfo = 'expired' | 'deleted' | 'Secret does not match'

export interface SharedSecretTurn {
  status: SharedSecretStatus
  time: Seconds
  info?: SharedSecretInfo
}

/** What is kept of a secret; its value and that of its proof are kept apart, sealed, while it is pending. */
export interface SharedSecret {
  id: string
  /** Base id of the access that made it. */
  accessId: string
  /** When it was made. */
  time: Seconds
  /** Its `ttl`. */
  duration: Seconds
  /** Lower-case hexadecimal SHA-256 of the random half of its key. */
  keyHash: string
  title: string
  status: SharedSecretStatus
  /** Beginning with `pending`. */
  statusHistory: SharedSecretTurn[]
  onConsumed: { message: string; returnUrl?: string }
  signatureType?: 'secret' | 'hmac-sha256'
  /** The last change, and the id of the access that made it. */
  modified: Seconds
  modifiedBy: string
  createdBy: string
  integrity?: string
}

/** What goes when a secret is not pending any more. */
export interface SharedSecretContent {
  /** Any JSON but null. */
  secret: unknown
  /** What a proof is compared with. */
  signatureValue?: string
}

/** The reserved stream above all secrets, and what its children begin with. */
export const SECRETS_ROOT = ':_shared-secrets:'

export const SECRET_TYPE = 'shared-secret/item'

/** The reserved stream of the secrets of an access, by its base id. */
export const secretsStreamOf = (accessId: string): string => SECRETS_ROOT + accessId

/** Whether a stream id belongs to secrets. */
export const isSecretsStream = (id: string): boolean => id.startsWith(SECRETS_ROOT)
