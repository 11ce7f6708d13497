/**
 * Fingerprints: a node's public key in a form that people compare and type.
 *
 * The first 80 bits of the BLAKE2b hash of the key, in an alphabet of 32 digits and letters without I, L, O and U, as
 * four groups of four; each group ends with a fifth character that checks it (Luhn mod 32, begun with the number of the
 * group). Any one wrong character, an exchange of two groups, and every exchange of two neighbours but 0 and Z is
 * noticed, and said where. What is typed may be in small letters, with other separators, and with O for 0, I or L for 1.
 */
import sodium from 'libsodium-wrappers'

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const GROUPS = 4
/** Characters of a group, the last of which checks it. */
const GROUP = 5

/** Thrown for a text that is no fingerprint; the message says where it is wrong. */
export class FingerprintError extends Error {
  constructor(
    message: string,
    /** The wrong group, from 1; undefined when the length is wrong. */
    readonly group?: number,
  ) {
    super(message)
    this.name = 'FingerprintError'
  }
}

/** The check value of a group: every second value from the right is doubled, and digits to the base 32 are summed up. */
function checkOf(values: readonly number[], group: number): number {
  let sum = group
  values.forEach((value, at) => {
    const addend = (values.length - at) % 2 === 1 ? value * 2 : value
    sum += Math.floor(addend / 32) + (addend % 32)
  })
  return (32 - (sum % 32)) % 32
}

/** The fingerprint of a public key, 23 characters: `7KQ2V-M3XA1-…`. libsodium must be ready. */
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

/**
 * A typed fingerprint in the form in which fingerprints are shown.
 * @throws FingerprintError
 */
export function parseFingerprint(text: string): string {
  const plain = text.toUpperCase().replace(/[\s\-.:_]/g, '').replace(/O/g, '0').replace(/[IL]/g, '1')
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
