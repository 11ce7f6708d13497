/**
 * Secrets of the platform in the store of a core. The platform key is the same on all cores: names in the registry are hashed with
 * it. The key of the certificate authority is on the core that issues certificates only.
 *
 * Both are sealed with the node key, in place of files of mode 0600: a stolen copy of the home without the node key opens neither,
 * a passphrase or keychain that protects the node key protects them too, and backups contain them.
 */
import { randomBytes } from 'node:crypto'
import { putRecord, readRecord, removeRecord } from '../../../store/engine/platformRecords.js'
import type { Store } from '../../../store/index.js'
import { Secret } from '../../../store/model/secret.js'
import type { CertificatePair } from './certificates.js'

/** The parts of a store that hold the secrets. */
export type SecretStore = Pick<Store, 'db' | 'seal' | 'platform'>

/** The platform key with the id of the platform that it belongs to. */
export interface PlatformKey {
  /** Id of the platform, as in the setting `platform.id`. */
  platform: string
  /** 32 bytes. */
  key: Secret<Uint8Array>
}

/** An acknowledgement that a core has yet to send (ackClient.ts). */
export interface PendingAck {
  coreId: string
  ackUrl: string
  token: Secret<string>
  /** Certificate authority of the platform, in PEM, to trust besides those of the system. */
  caPem: string
}

const PLATFORM_KEY_BYTES = 32

const KEY_FAMILY = 'platform-key'
const AUTHORITY_FAMILY = 'platform-authority'
const ACK_FAMILY = 'platform-ack'
/** Each family has one record. */
const ID = 'own'

/** Creates a platform key with a random id; stores nothing. */
export const createPlatformKey = (): PlatformKey => ({
  platform: randomBytes(8).toString('hex'),
  key: new Secret<Uint8Array>(randomBytes(PLATFORM_KEY_BYTES)),
})

/** Returns the platform key of this core with the id of its platform; undefined on a node that never belonged to a platform. */
export function readPlatformIdentity(store: SecretStore): PlatformKey | undefined {
  const stored = read<{ platform: string; key: string }>(store, KEY_FAMILY)
  return stored === undefined ? undefined : { platform: stored.platform, key: new Secret<Uint8Array>(Buffer.from(stored.key, 'base64url')) }
}

/** Returns the platform key of this core: 32 bytes; undefined on a node that never belonged to a platform. */
export const readPlatformKey = (store: SecretStore): Secret<Uint8Array> | undefined => readPlatformIdentity(store)?.key

/** Stores the platform key of this core, in place of an earlier one. */
export const writePlatformKey = (store: SecretStore, { platform, key }: PlatformKey): Promise<void> =>
  write(store, KEY_FAMILY, { platform, key: Buffer.from(key.reveal()).toString('base64url') })

/** Returns the certificate authority; undefined on cores that do not issue certificates. */
export function readAuthority(store: SecretStore): CertificatePair | undefined {
  const stored = read<{ certPem: string; keyPem: string }>(store, AUTHORITY_FAMILY)
  return stored === undefined ? undefined : { certPem: stored.certPem, keyPem: new Secret(stored.keyPem) }
}

/** Stores the certificate authority, in place of an earlier one. */
export const writeAuthority = (store: SecretStore, { certPem, keyPem }: CertificatePair): Promise<void> =>
  write(store, AUTHORITY_FAMILY, { certPem, keyPem: keyPem.reveal() })

/** Returns the acknowledgement that this core has yet to send. */
export function readPendingAck(store: SecretStore): PendingAck | undefined {
  const stored = read<Omit<PendingAck, 'token'> & { token: string }>(store, ACK_FAMILY)
  return stored === undefined ? undefined : { ...stored, token: new Secret(stored.token) }
}

/** Stores the acknowledgement to send, or removes it once it was sent. */
export function writePendingAck(store: SecretStore, pending: PendingAck | undefined): Promise<void> {
  if (pending === undefined) return store.platform.write((t) => removeRecord(t, ACK_FAMILY, ID))
  return write(store, ACK_FAMILY, { ...pending, token: pending.token.reveal() })
}

function read<T>({ db, seal }: SecretStore, family: string): T | undefined {
  const sealed = readRecord(db, family, ID, 0)
  return typeof sealed === 'string' ? (JSON.parse(seal.open(sealed, family)) as T) : undefined
}

function write({ seal, platform }: SecretStore, family: string, value: object): Promise<void> {
  return platform.write((t) => putRecord(t, family, ID, seal.seal(JSON.stringify(value), family)))
}
