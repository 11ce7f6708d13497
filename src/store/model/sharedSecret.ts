/**
 * Shared secrets: values redeemed once with a key (docs/interface/shared-secrets.md). Read as events of a reserved stream but
 * stored separately: they are never replicated, and redeeming one erases its value.
 */
import type { Event, Seconds } from './event.js'

export type SharedSecretStatus = 'pending' | 'consumed' | 'discarded'

/** Reason of a discard, as listed in the history. */
export type SharedSecretInfo = 'expired' | 'deleted' | 'Secret does not match'

interface SharedSecretTurn {
  status: SharedSecretStatus
  time: Seconds
  info?: SharedSecretInfo
}

/** A stored secret; the values of secret and proof are stored separately, encrypted, while it is pending. */
export interface SharedSecret {
  id: string
  /** Base id of the access that created it. */
  accessId: string
  /** Creation time. */
  time: Seconds
  /** Its `ttl`. */
  duration: Seconds
  /** Lower-case hexadecimal SHA-256 of the random half of its key. */
  keyHash: string
  title: string
  status: SharedSecretStatus
  /** Starts with `pending`. */
  statusHistory: SharedSecretTurn[]
  onConsumed: { message: string; returnUrl?: string }
  signatureType?: 'secret' | 'hmac-sha256'
  /** Last change, and the id of the access that made it; redeeming has no access and keeps the previous id. */
  modified: Seconds
  modifiedBy: string
  createdBy: string
  /** Absent while the secret is pending: it depends on the value and is stored with it. */
  integrity?: string
}

/** The part of a secret that is erased when it is no longer pending. */
export interface SharedSecretContent {
  /** Any JSON but null. */
  secret: unknown
  /** Value that a proof is compared with. */
  signatureValue?: string
  /** Integrity of the event for the pending secret. */
  integrity?: string
}

/** Parsed key of a secret: `<id>.<half>`; the random half is not stored. */
interface SecretKey {
  id: string
  /** The random half. */
  half: string
}

/** Number of random bytes in a generated half; encoded as base64url. */
export const RANDOM_BYTES = 24

/** Format of a key (docs/interface/shared-secrets.md#keys). */
export const SECRET_KEY = /^([A-Za-z0-9_-]{1,64})\.([A-Za-z0-9_-]{32,128})$/

/** Parses a key; undefined when malformed. */
export function parseSecretKey(key: unknown): SecretKey | undefined {
  const [, id, half] = (typeof key === 'string' ? SECRET_KEY.exec(key) : null) ?? []
  return id === undefined || half === undefined ? undefined : { id, half }
}

/** Returns the last time at which a secret can be redeemed. */
export const expiresOf = ({ time, duration }: Pick<SharedSecret, 'time' | 'duration'>): Seconds => time + duration

/** Checks whether a secret has expired; it is still valid at its exact expiry time. */
export const isOver = (secret: Pick<SharedSecret, 'time' | 'duration'>, now: Seconds): boolean => now > expiresOf(secret)

/**
 * Ends a pending secret. `by` is the id of the access that ended it; absent for callers without one. The caller sets the
 * integrity, since the event differs.
 */
export function ended(
  secret: SharedSecret,
  { status, time, info, by }: { status: 'consumed' | 'discarded'; time: Seconds; info?: SharedSecretInfo; by?: string },
): SharedSecret {
  const { integrity: _, ...stored } = secret
  const turn: SharedSecretTurn = info === undefined ? { status, time } : { status, time, info }
  return {
    ...stored,
    status,
    statusHistory: [...secret.statusHistory, turn],
    modified: time,
    modifiedBy: by ?? secret.modifiedBy,
  }
}

/**
 * Converts a secret to the event that reads return; `content` only while it is pending (docs/interface/shared-secrets.md#events).
 */
export function secretToEvent(secret: SharedSecret, content?: SharedSecretContent): Event {
  const { signatureType, keyHash, title, status, statusHistory, onConsumed } = secret
  const value = content?.signatureValue
  const signature = { type: signatureType, ...(value === undefined ? {} : { value }) }
  const integrity = content === undefined ? secret.integrity : content.integrity
  return {
    id: secret.id,
    streamIds: [secretsStreamOf(secret.accessId)],
    type: SECRET_TYPE,
    time: secret.time,
    duration: secret.duration,
    content: {
      keyHash,
      title,
      status,
      statusHistory,
      onConsumed,
      ...(signatureType === undefined ? {} : { signature }),
      ...(content === undefined ? {} : { secret: content.secret }),
    },
    tags: [],
    ...(status === 'pending' ? {} : { trashed: true }),
    created: secret.time,
    createdBy: secret.createdBy,
    modified: secret.modified,
    modifiedBy: secret.modifiedBy,
    ...(integrity === undefined ? {} : { integrity }),
  }
}

/** Root of the reserved streams of secrets, and prefix of its children. */
export const SECRETS_ROOT = ':_shared-secrets:'

export const SECRET_TYPE = 'shared-secret/item'

/** Returns the reserved stream for the secrets of an access, by its base id. */
export const secretsStreamOf = (accessId: string): string => SECRETS_ROOT + accessId

/** Checks whether a stream id belongs to secrets. */
export const isSecretsStream = (id: string): boolean => id.startsWith(SECRETS_ROOT)

/** Returns the access whose secrets a stream contains; undefined for the root and for other streams. */
export const accessOfSecretsStream = (id: string): string | undefined =>
  isSecretsStream(id) && id.length > SECRETS_ROOT.length ? id.slice(SECRETS_ROOT.length) : undefined
