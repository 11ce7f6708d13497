/**
 * Fingerprints: short form of a node's public key for people to compare and type. The first 80 bits of the BLAKE2b hash of
 * the key, in an alphabet of 32 digits and letters without I, L, O and U, as four groups of four. Each group ends with a
 * fifth check character (Luhn mod 32, starting with the number of the group). It detects and locates every wrong character,
 * every exchange of two groups, and every exchange of two neighbours except 0 and Z. Input may have small letters, other
 * separators, O for 0, and I or L for 1.
 */
import sodium from 'libsodium-wrappers'
import { ALPHABET, canonicalBase32 } from './base32.js'

const GROUPS = 4
/** Characters per group, including the check character. */
const GROUP = 5

/** Error for an invalid fingerprint; the message says where it is wrong. */
class FingerprintError extends Error {
  constructor(
    message: string,
    /** Wrong group, from 1; undefined when the length is wrong. */
    readonly group?: number,
  ) {
    super(message)
    this.name = 'FingerprintError'
  }
}

/** Returns the check value of a group: doubles every second value from the right, and sums the base-32 digits. */
function checkOf(values: readonly number[], group: number): number {
  let sum = group
  values.forEach((value, at) => {
    const addend = (values.length - at) % 2 === 1 ? value * 2 : value
    sum += Math.floor(addend / 32) + (addend % 32)
  })
  return (32 - (sum % 32)) % 32
}

/** Returns the fingerprint of a public key, 23 characters: `7KQ2V-M3XA1-…`. Requires libsodium to be ready. */
export function fingerprintOf(node: Uint8Array): string {
  const hash = sodium.crypto_generichash(16, node, 'coffer node fingerprint').subarray(0, 10)
  let bits = hash.reduce((all, byte) => (all << 8n) | BigInt(byte), 0n)
  const values: number[] = []
  while (values.length < GROUPS * (GROUP - 1)) {
    values.unshift(Number(bits & 31n))
    bits >>= 5n
  }
  const groups = Array.from({ length: GROUPS }, (_, at) => {
    const group = values.slice(at * (GROUP - 1), (at + 1) * (GROUP - 1))
    return [...group, checkOf(group, at)].map((value) => ALPHABET[value]).join('')
  })
  return groups.join('-')
}

/** Returns a typed fingerprint in canonical form. @throws FingerprintError */
export function parseFingerprint(text: string): string {
  const plain = canonicalBase32(text)
  if (plain.length !== GROUPS * GROUP) {
    const much = plain.length < GROUPS * GROUP ? 'few' : 'many'
    throw new FingerprintError(`The fingerprint has too ${much} characters: ${plain.length} where there are ${GROUPS * GROUP}.`)
  }
  const groups = Array.from({ length: GROUPS }, (_, at) => plain.slice(at * GROUP, (at + 1) * GROUP))
  groups.forEach((group, at) => {
    const values = [...group].map((character) => ALPHABET.indexOf(character))
    const check = values.pop()
    if (values.includes(-1) || check !== checkOf(values, at)) {
      throw new FingerprintError(`Group ${at + 1} of the fingerprint, ${group}, is mistyped.`, at + 1)
    }
  })
  return groups.join('-')
}
