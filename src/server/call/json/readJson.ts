/** Parses JSON from clients; limits the depth, and rejects numbers beyond the range of doubles. */
import { Failure } from '../../../store/model/failure.js'
import { MAX_JSON_DEPTH } from '../../../store/model/jsonDepth.js'
import { closingQuote } from '../../../store/model/jsonText.js'

const refused = (message: string): Failure => new Failure('invalid-request-structure', message)

/** Returns the value of a JSON text. Throws `invalid-request-structure`. */
export function readJson(text: string): unknown {
  const mayBeInfinite = text.length > MAX_JSON_DEPTH * 2 ? examine(text) : HUGE_EXPONENT.test(text)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw refused('The body is not valid JSON.')
  }
  if (mayBeInfinite) assertFinite(value)
  return value
}

/** Numbers beyond the range of doubles have an exponent of three digits, or hundreds of digits. */
const HUGE_EXPONENT = /\d[eE]\+?\d{3}/
const MAX_DIGITS = 300

const QUOTE = 0x22
const NINE = 0x39

/**
 * Throws for excessive nesting; returns true when a number may be too large for a double. Most of a long text are digits and
 * separators, which a single comparison skips.
 */
function examine(text: string): boolean {
  let depth = 0
  let hasExponent = false
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code <= NINE && code !== QUOTE) continue
    if (code === QUOTE) {
      i = closingQuote(text, i)
    } else if (code === 0x5b || code === 0x7b) {
      depth += 1
      if (depth > MAX_JSON_DEPTH) throw refused(`The body is nested more than ${MAX_JSON_DEPTH} levels deep.`)
    } else if (code === 0x5d || code === 0x7d) {
      depth -= 1
    } else if (code === 0x65 || code === 0x45) {
      hasExponent = true
    }
  }
  return (hasExponent && HUGE_EXPONENT.test(text)) || hasLongDigits(text)
}

/** Checks for a run of at least MAX_DIGITS digits, which must cover one of the sampled places. */
function hasLongDigits(text: string): boolean {
  const isDigit = (at: number): boolean => {
    const code = text.charCodeAt(at)
    return code >= 0x30 && code <= NINE
  }
  for (let place = MAX_DIGITS - 1; place < text.length; place += MAX_DIGITS) {
    let from = place
    let to = place
    while (place - from < MAX_DIGITS && isDigit(from)) from -= 1
    while (to - place < MAX_DIGITS && isDigit(to)) to += 1
    if (to - from > MAX_DIGITS) return true
  }
  return false
}

function assertFinite(value: unknown): void {
  const queue = [value]
  for (let item = queue.pop(); queue.length > 0 || item !== undefined; item = queue.pop()) {
    if (typeof item === 'number' && !Number.isFinite(item)) throw refused('The body contains a number that is too large.')
    if (typeof item === 'object' && item !== null) for (const part of Object.values(item)) queue.push(part)
  }
}
