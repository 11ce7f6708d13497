/** Passphrases of join bundles. They are generated, so that a stolen bundle cannot be opened by guessing. */
import { randomInt } from 'node:crypto'
import { Secret } from '../../../store/model/secret.js'

/** Crockford's base32: without i, l, o and u, which are misread. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
const GROUPS = 6
const GROUP_LENGTH = 5

/** Generates a passphrase of 150 random bits: `k7f2m-0qx8r-…`, six groups of five characters. */
export function newPassphrase(): Secret<string> {
  const group = (): string => Array.from({ length: GROUP_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')
  return new Secret(Array.from({ length: GROUPS }, group).join('-'))
}

/** Returns the characters of a typed passphrase that count: case, hyphens and spaces are ignored, and o, i, l read as 0, 1, 1. */
export const normalPassphrase = (passphrase: Secret<string>): Secret<string> =>
  new Secret(passphrase.reveal().toLowerCase().replace(/[\s-]/g, '').replaceAll('o', '0').replace(/[il]/g, '1'))
