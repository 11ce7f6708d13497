/**
 * The key of a sealed archive: 32 random bytes that its members are encrypted with, kept in the manifest behind a
 * passphrase. Archives of one folder share it, so that what did not change need not be written again.
 */
import { createHmac, randomBytes } from 'node:crypto'
import { hashRaw } from '@node-rs/argon2'
import sodium from 'libsodium-wrappers'
import type { Sealing } from './manifest.js'
import type { Secret } from '../model/secret.js'

export interface ArchiveKey {
  readonly sealing: Sealing
  /** Encrypts members. */
  readonly content: Uint8Array
  /** Names them: who reads the folder must not recognise a file by its digest. */
  readonly names: Uint8Array
  /** Proves the manifest. */
  readonly proof: Uint8Array
}

/** Thrown when a passphrase does not open an archive. */
export class WrongPassphrase extends Error {
  constructor() {
    super('The passphrase does not open this archive.')
  }
}

/** RFC 9106, second recommended choice: 64 MiB, three passes, four lanes. */
const COST = { memory: 65_536, passes: 3, lanes: 4 }
/** As the library counts its algorithms. */
const ARGON2ID = 2
const PLACE = 'coffer archive key'
const NONCE_BYTES = 24

/** Makes a key behind a passphrase. */
export async function newArchiveKey(passphrase: Secret<string>): Promise<ArchiveKey> {
  await sodium.ready
  const key = randomBytes(32)
  const salt = randomBytes(16)
  const nonce = randomBytes(NONCE_BYTES)
  const outer = await stretched(passphrase, salt, COST)
  const sealed = sodium.crypto_aead_xchacha20poly1305_ietf_encrypt(key, PLACE, null, nonce, outer)
  const kept = Buffer.concat([nonce, sealed]).toString('base64')
  return keysOf(key, { by: 'argon2id', salt: salt.toString('base64'), ...COST, key: kept })
}

/** @throws WrongPassphrase */
export async function openArchiveKey(sealing: Sealing, passphrase: Secret<string>): Promise<ArchiveKey> {
  await sodium.ready
  const outer = await stretched(passphrase, Buffer.from(sealing.salt, 'base64'), sealing)
  const kept = Buffer.from(sealing.key, 'base64')
  try {
    const [nonce, sealed] = [kept.subarray(0, NONCE_BYTES), kept.subarray(NONCE_BYTES)]
    return keysOf(sodium.crypto_aead_xchacha20poly1305_ietf_decrypt(null, sealed, PLACE, nonce, outer), sealing)
  } catch {
    throw new WrongPassphrase()
  }
}

function stretched(passphrase: Secret<string>, salt: Uint8Array, cost: typeof COST): Promise<Uint8Array> {
  return hashRaw(passphrase.reveal().normalize('NFC'), {
    algorithm: ARGON2ID,
    salt,
    memoryCost: cost.memory,
    timeCost: cost.passes,
    parallelism: cost.lanes,
    outputLen: 32,
  })
}

function keysOf(key: Uint8Array, sealing: Sealing): ArchiveKey {
  const part = (of: string): Uint8Array => createHmac('sha256', key).update(of).digest()
  return { sealing, content: part('content'), names: part('names'), proof: part('proof') }
}
