/**
 * The three words that people compare on both screens: 24 bits that both nodes come to alone, the same only when nobody
 * stands between them.
 *
 * Whoever stood in between could try out keys until the words of both sides agree, since 24 bits are soon tried. So each
 * side adds a number: the accepting one commits itself to its number before it learns the other's, and shows it after.
 * Then whoever is in between has one guess in 16 million.
 */
import sodium from 'libsodium-wrappers'
import { WORDS } from './wordList.js'

export const NONCE_BYTES = 16

export type Words = [string, string, string]

/** What binds a side to its number without telling it: 32 bytes. libsodium must be ready. */
export const commitmentOf = (nonce: Uint8Array): Uint8Array =>
  sodium.crypto_generichash(32, nonce, 'coffer pairing commitment')

/** The words of a conversation: `accepter` and `offerer` are the numbers of the two sides. */
export function wordsOf(binding: Uint8Array, accepter: Uint8Array, offerer: Uint8Array): Words {
  const hash = sodium.crypto_generichash(16, Buffer.concat([binding, accepter, offerer]), 'coffer pairing words')
  const word = (at: number): string => WORDS[hash[at] ?? 0] ?? ''
  return [word(0), word(1), word(2)]
}
