/** Short codes that people type to pair two nodes of one network: 8 characters of 32, which are 40 random bits. */
import { randomBytes } from 'node:crypto'
import { Secret } from '../../store/model/secret.js'
import { ALPHABET, canonicalBase32 } from '../pairing/base32.js'

const CHARACTERS = 8
const GROUP = 4

/** Error for text that is no code; the message says why. */
export class PairingCodeError extends Error {}

/** Creates a random code, in the form that people are shown: `7KQM-2XWD`. */
export function createPairingCode(): Secret<string> {
  // 256 is a multiple of 32, so that all characters are equally likely.
  const characters = [...randomBytes(CHARACTERS)].map((byte) => ALPHABET[byte % ALPHABET.length]).join('')
  return new Secret(grouped(characters))
}

/** Returns a typed code in canonical form; small letters, other separators and look-alike characters are accepted. @throws PairingCodeError */
export function parsePairingCode(text: string): Secret<string> {
  const plain = canonicalBase32(text)
  const odd = [...plain].find((character) => !ALPHABET.includes(character))
  if (odd !== undefined) throw new PairingCodeError(`A code has no character ${JSON.stringify(odd)}.`)
  if (plain.length !== CHARACTERS) throw new PairingCodeError(`A code has ${CHARACTERS} characters, such as 7KQM-2XWD; this has ${plain.length}.`)
  return new Secret(grouped(plain))
}

const grouped = (characters: string): string => `${characters.slice(0, GROUP)}-${characters.slice(GROUP)}`
