/** Generated ids, tokens and aliases. Ids and tokens: 24 lower-case letters and digits, the first a letter (data supplement 1.10). */
import { randomFillSync } from 'node:crypto'

const LETTERS = 'abcdefghijklmnopqrstuvwxyz'
const SYMBOLS = LETTERS + '0123456789'
const LENGTH = 24

const pool = new Uint8Array(4096)
let at = pool.length

function nextByte(): number {
  if (at === pool.length) {
    randomFillSync(pool)
    at = 0
  }
  return pool[at++] ?? 0
}

/** A fresh id: 124 bits from the system's randomness, of which a block is drawn at a time. */
export function newId(): string {
  let byte = nextByte()
  while (byte >= 234) byte = nextByte() // 9 × 26: what lies above would favour the first letters
  let id = LETTERS.charAt(byte % 26)
  while (id.length < LENGTH) {
    byte = nextByte()
    if (byte < 252) id += SYMBOLS.charAt(byte % 36) // 7 × 36
  }
  return id
}

/** Characters that are told apart when they are read aloud or copied by hand. */
const CLEAR = /[a-hjkmnp-z2-9]/g
const ALIAS_LENGTH = 8

/** A fresh alias of an access, `r-` and 8 characters, from the randomness of fresh ids. */
export function newAlias(fresh: () => string): string {
  let symbols = ''
  // The first character of an id is always a letter: taking it would favour letters.
  while (symbols.length < ALIAS_LENGTH) symbols += (fresh().slice(1).match(CLEAR) ?? []).join('')
  return `r-${symbols.slice(0, ALIAS_LENGTH)}`
}
