/** Reading JSON from clients: bounded in depth, and never a number that JSON cannot give back. */
import { Failure } from '../../store/model/failure.js'

/** Most levels of nesting. */
export const DEEPEST = 64
/** Text without an exponent of three digits or a run of 300 digits holds no number beyond the range of doubles. */
const HUGE_NUMBER = /\d[eE]\+?\d{3}|\d{300}/

const refused = (message: string): Failure => new Failure('invalid-request-structure', message)

/** The value of a JSON text. Throws `invalid-request-structure`. */
export function readJson(text: string): unknown {
  if (text.length > DEEPEST * 2) refuseDepth(text)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw refused('The body is not valid JSON.')
  }
  if (HUGE_NUMBER.test(text)) refuseInfinite(value)
  return value
}

const QUOTE = 0x22
const BACKSLASH = 0x5c

function refuseDepth(text: string): void {
  let depth = 0
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === QUOTE) {
      i = endOfString(text, i)
    } else if (code === 0x5b || code === 0x7b) {
      depth += 1
      if (depth > DEEPEST) throw refused(`The body is nested more than ${DEEPEST} levels deep.`)
    } else if (code === 0x5d || code === 0x7d) {
      depth -= 1
    }
  }
}

function endOfString(text: string, start: number): number {
  let at = start
  for (;;) {
    at = text.indexOf('"', at + 1)
    if (at < 0) return text.length
    let backslashes = 0
    while (text.charCodeAt(at - 1 - backslashes) === BACKSLASH) backslashes++
    if (backslashes % 2 === 0) return at
  }
}

function refuseInfinite(value: unknown): void {
  const queue = [value]
  for (let item = queue.pop(); queue.length > 0 || item !== undefined; item = queue.pop()) {
    if (typeof item === 'number' && !Number.isFinite(item)) throw refused('The body holds a number that is too large.')
    if (typeof item === 'object' && item !== null) for (const part of Object.values(item)) queue.push(part)
  }
}
