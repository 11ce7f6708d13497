/** Generated ids and tokens: 24 lower-case letters and digits, the first a letter (data supplement 1.10). */
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
