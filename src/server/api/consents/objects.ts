/** Reads members of untrusted values. */
import { plainValue } from '../../../store/model/jsonText.js'

/** Returns the value as a plain object; an empty one for other values. */
export function objectOf(value: unknown): Record<string, unknown> {
  const plain = plainValue(value)
  return typeof plain === 'object' && plain !== null && !Array.isArray(plain) ? (plain as Record<string, unknown>) : {}
}

/** Returns the value if it is a non-empty text; otherwise undefined. */
export const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined
