/** Proof of knowing the secret of a link without revealing it. Requires libsodium to be ready. */
import { timingSafeEqual } from 'node:crypto'
import sodium from 'libsodium-wrappers'
import type { Secret } from '../../store/model/secret.js'

/** Returns the id of an offer, derived from its secret without revealing it: base64url of 16 bytes. */
export const offerId = (secret: Secret<Uint8Array>): string =>
  Buffer.from(sodium.crypto_generichash(16, 'coffer pairing offer', secret.reveal())).toString('base64url')

/** Returns the proof for one channel: 32 bytes. Useless on another one, whose binding differs. */
export const proofOf = (secret: Secret<Uint8Array>, binding: Uint8Array, node: string): Uint8Array =>
  sodium.crypto_generichash(32, Buffer.concat([Buffer.from('coffer pairing proof\0'), binding, Buffer.from(node)]), secret.reveal())

/** Compares bytes in constant time. */
export const isSame = (a: Uint8Array, b: Uint8Array): boolean => a.length === b.length && timingSafeEqual(a, b)
