/**
 * Sealing at rest: XChaCha20-Poly1305 for secrets that must be read back, keyed BLAKE2b for looking them up. Both keys
 * derive from the node key.
 */
import { randomBytes } from 'node:crypto'
import sodium from 'libsodium-wrappers'
import type { Secret } from '../model/secret.js'

export interface Seal {
  /** Seals a text; authenticates `place`, so that a sealed value cannot be moved elsewhere. */
  seal(text: string, place: string): string
  /** Opens a sealed text; throws when it was altered, moved, or sealed with another node key. */
  open(sealed: string, place: string): string
  /** Returns a lookup digest of a secret: equal for equal texts, meaningless without the node key. */
  digest(text: string): string
}

/** Random bytes, each used once. The library draws four at a time, which takes ten times longer than the encryption. */
let pool = new Uint8Array(0)
let used = 0
const POOL_BYTES = 4096

function newNonce(length: number): Uint8Array {
  if (used + length > pool.length) {
    pool = randomBytes(POOL_BYTES)
    used = 0
  }
  used += length
  return pool.subarray(used - length, used)
}

/** Creates the seal of a node. */
export async function createSeal(nodeKey: Secret<Uint8Array>): Promise<Seal> {
  await sodium.ready
  const base64 = sodium.base64_variants.URLSAFE_NO_PADDING
  const sealingKey = sodium.crypto_generichash(32, 'coffer seal', nodeKey.reveal())
  const digestKey = sodium.crypto_generichash(32, 'coffer digest', nodeKey.reveal())
  const nonceLength = sodium.crypto_aead_xchacha20poly1305_ietf_NPUBBYTES
  return {
    seal(text, place) {
      const nonce = newNonce(nonceLength)
      const sealed = sodium.crypto_aead_xchacha20poly1305_ietf_encrypt(text, place, null, nonce, sealingKey)
      return sodium.to_base64(Buffer.concat([nonce, sealed]), base64)
    },
    open(sealed, place) {
      const bytes = sodium.from_base64(sealed, base64)
      const opened = sodium.crypto_aead_xchacha20poly1305_ietf_decrypt(
        null,
        bytes.subarray(nonceLength),
        place,
        bytes.subarray(0, nonceLength),
        sealingKey,
      )
      return Buffer.from(opened).toString('utf8')
    },
    digest: (text) => sodium.to_base64(sodium.crypto_generichash(24, text, digestKey), base64),
  }
}
