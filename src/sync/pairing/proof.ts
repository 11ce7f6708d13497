/** Proving that one holds the secret of a link, without telling it. libsodium must be ready. */
import { timingSafeEqual } from 'node:crypto'
import sodium from 'libsodium-wrappers'
import type { Secret } from '../../store/model/secret.js'

/** What names an offer to those who hold its secret, and says nothing about it: base64url of 16 bytes. */
export const offerId = (secret: Secret<Uint8Array>): string =>
  Buffer.from(sodium.crypto_generichash(16, 'coffer pairing offer', secret.reveal())).toString('base64url')

/** The proof for one conversation: 32 bytes. Of no use in another one, whose binding differs. */
export const proofOf = (secret: Secret<Uint8Array>, binding: Uint8Array, node: string): Uint8Array =>
  sodium.crypto_generichash(32, Buffer.concat([Buffer.from('coffer pairing proof\0'), binding, Buffer.from(node)]), secret.reveal())

/** Compares in a time that tells nothing. */
export const isSame = (a: Uint8Array, b: Uint8Array): boolean => a.length === b.length && timingSafeEqual(a, b)
