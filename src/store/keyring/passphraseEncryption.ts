/** Encryption of keys with a passphrase: XChaCha20-Poly1305, with a key derived by Argon2id. */
import { randomBytes } from 'node:crypto'
import sodium from 'libsodium-wrappers'
import * as z from 'zod'
import type { Secret } from '../model/secret.js'

/** Stored form of a sealed key. Bytes are in Base64. */
export const Sealing = z.object({
  by: z.literal('argon2id'),
  salt: z.string(),
  /** In KiB. */
  memory: z.number().int().min(8).max(1024 * 1024),
  passes: z.number().int().min(1).max(20),
  lanes: z.number().int().min(1).max(16),
  key: z.string(),
})
export type Sealing = z.output<typeof Sealing>

/** Error when a passphrase is wrong. */
export class WrongPassphrase extends Error {
  constructor(what: string) {
    super(`The passphrase does not open ${what}.`)
  }
}

/** RFC 9106, second recommended choice: 64 MiB, three passes, four lanes. */
const COST = { memory: 65_536, passes: 3, lanes: 4 }
/** Number of the algorithm in the library. */
const ARGON2ID = 2
const NONCE_BYTES = 24

/** Cost of Argon2id: memory in KiB, passes, lanes. */
export type Argon2Cost = Pick<Sealing, 'memory' | 'passes' | 'lanes'>

/** Seals a key with a passphrase; authenticates `place`, so that kinds of keys are not interchangeable. */
export async function sealKey(key: Uint8Array, passphrase: Secret<string>, place: string, cost: Argon2Cost = COST): Promise<Sealing> {
  await sodium.ready
  const salt = randomBytes(16)
  const nonce = randomBytes(NONCE_BYTES)
  const outer = await stretched(passphrase, salt, cost)
  const sealed = sodium.crypto_aead_xchacha20poly1305_ietf_encrypt(key, place, null, nonce, outer)
  return { by: 'argon2id', salt: salt.toString('base64'), ...cost, key: Buffer.concat([nonce, sealed]).toString('base64') }
}

/**
 * Opens a sealed key; `what` names it in messages.
 * @throws WrongPassphrase
 */
export async function unsealKey(sealing: Sealing, passphrase: Secret<string>, place: string, what: string): Promise<Uint8Array> {
  await sodium.ready
  const outer = await stretched(passphrase, Buffer.from(sealing.salt, 'base64'), sealing)
  const stored = Buffer.from(sealing.key, 'base64')
  try {
    const [nonce, sealed] = [stored.subarray(0, NONCE_BYTES), stored.subarray(NONCE_BYTES)]
    return sodium.crypto_aead_xchacha20poly1305_ietf_decrypt(null, sealed, place, nonce, outer)
  } catch {
    throw new WrongPassphrase(what)
  }
}

async function stretched(passphrase: Secret<string>, salt: Uint8Array, cost: Argon2Cost): Promise<Uint8Array> {
  // Native code, loaded on demand: most keys lie in a file.
  const { hashRaw } = await import('@node-rs/argon2')
  return hashRaw(passphrase.reveal().normalize('NFC'), {
    algorithm: ARGON2ID,
    salt,
    memoryCost: cost.memory,
    timeCost: cost.passes,
    parallelism: cost.lanes,
    outputLen: 32,
  })
}
