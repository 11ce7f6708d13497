/**
 * Generates ids, tokens and aliases. Ids and tokens: 24 lower-case letters and digits, the first a letter
 * (docs/interface/conventions.md#ids-and-times).
 */
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

/** Generates an id: 124 random bits, drawn in blocks from the system's generator. */
export function newId(): string {
  let byte = nextByte()
  while (byte >= 234) byte = nextByte() // reject bytes from 9 × 26 on, which would bias towards the first letters
  let id = LETTERS.charAt(byte % 26)
  while (id.length < LENGTH) {
    byte = nextByte()
    if (byte < 252) id += SYMBOLS.charAt(byte % 36) // 7 × 36
  }
  return id
}

/** Characters that are unambiguous when read aloud or copied by hand. */
const CLEAR = /[a-hjkmnp-z2-9]/g
const ALIAS_LENGTH = 8

/** Generates an alias of an access: `r-` and 8 characters taken from fresh ids. */
export function newAlias(fresh: () => string): string {
  let symbols = ''
  // Skip the first character of an id: it is always a letter and would bias the alias.
  while (symbols.length < ALIAS_LENGTH) symbols += (fresh().slice(1).match(CLEAR) ?? []).join('')
  return `r-${symbols.slice(0, ALIAS_LENGTH)}`
}
