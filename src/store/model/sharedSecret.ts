/**
 * Shared secrets: one value, handed over once, by a key (specification, "Shared secrets"; consent supplement 5). They are
 * read as events of a reserved stream and kept apart from events: they stay with their node, and nothing of a value
 * outlasts its handing over.
 */
import type { Event, Seconds } from './event.js'

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
  /** The last change, and the id of the access that made it; a redeemer has none, and leaves the one before. */
  modified: Seconds
  modifiedBy: string
  createdBy: string
  /** Absent while the secret is pending: it tells of the value, and is kept with it. */
  integrity?: string
}

/** What goes when a secret is not pending any more. */
export interface SharedSecretContent {
  /** Any JSON but null. */
  secret: unknown
  /** What a proof is compared with. */
  signatureValue?: string
  /** The integrity of the event that the pending secret is read as. */
  integrity?: string
}

/** What redeems a secret: `<id>.<half>`, of which the half is kept nowhere. */
export interface SecretKey {
  id: string
  /** The random half. */
  half: string
}

/** Random bytes of a half that is made here; it is their base64url. */
export const RANDOM_BYTES = 24

/** The form of a key (consent supplement 5.3). */
export const SECRET_KEY = /^([A-Za-z0-9_-]{1,64})\.([A-Za-z0-9_-]{32,128})$/

/** The parts of a key; undefined for anything that is none. */
export function parseSecretKey(key: unknown): SecretKey | undefined {
  const [, id, half] = (typeof key === 'string' ? SECRET_KEY.exec(key) : null) ?? []
  return id === undefined || half === undefined ? undefined : { id, half }
}

/** The last moment at which a secret can be redeemed. */
export const expiresOf = ({ time, duration }: Pick<SharedSecret, 'time' | 'duration'>): Seconds => time + duration

/** Whether the time of a secret is over; the moment of its end still belongs to it. */
export const isOver = (secret: Pick<SharedSecret, 'time' | 'duration'>, now: Seconds): boolean => now > expiresOf(secret)

/**
 * A pending secret after its end. `by` is the id of the access that ended it; absent for somebody without one. Its
 * integrity is that of another event: whoever keeps the secret sets it.
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

/** The event that a secret is read as; `content` is there as long as it is pending (consent supplement 5.1). */
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

/** The reserved stream above all secrets, and what its children begin with. */
export const SECRETS_ROOT = ':_shared-secrets:'

export const SECRET_TYPE = 'shared-secret/item'

/** The reserved stream of the secrets of an access, by its base id. */
export const secretsStreamOf = (accessId: string): string => SECRETS_ROOT + accessId

/** Whether a stream id belongs to secrets. */
export const isSecretsStream = (id: string): boolean => id.startsWith(SECRETS_ROOT)

/** The access whose secrets a stream holds; undefined for the root and for streams of other areas. */
export const accessOfSecretsStream = (id: string): string | undefined =>
  isSecretsStream(id) && id.length > SECRETS_ROOT.length ? id.slice(SECRETS_ROOT.length) : undefined
