/**
 * Three words that people compare on both screens: 24 bits that both nodes derive on their own, equal only without a man in
 * the middle. Since 24 bits are quickly searched, an attacker could try keys until the words of both sides match. Therefore
 * each side contributes a number: the accepting side commits to its number before it learns the other's, and reveals it
 * afterwards. An attacker then has one guess in 16 million.
 */
import sodium from 'libsodium-wrappers'
import { WORDS } from './wordList.js'

export const NONCE_BYTES = 16

export type Words = [string, string, string]

/** Returns the commitment to a number without revealing it: 32 bytes. Requires libsodium to be ready. */
export const commitmentOf = (nonce: Uint8Array): Uint8Array =>
  sodium.crypto_generichash(32, nonce, 'coffer pairing commitment')

/** Returns the words of a pairing: `accepter` and `offerer` are the numbers of the two sides. */
export function wordsOf(binding: Uint8Array, accepter: Uint8Array, offerer: Uint8Array): Words {
  const hash = sodium.crypto_generichash(16, Buffer.concat([binding, accepter, offerer]), 'coffer pairing words')
  const word = (at: number): string => WORDS[hash[at] ?? 0] ?? ''
  return [word(0), word(1), word(2)]
}
