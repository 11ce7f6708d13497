/** Members of what came from elsewhere, as far as they are what they should be. */
import { plainValue } from '../../store/model/jsonText.js'

/** A value as an object with members; an empty one for what is none. */
export function objectOf(value: unknown): Record<string, unknown> {
  const plain = plainValue(value)
  return typeof plain === 'object' && plain !== null && !Array.isArray(plain) ? (plain as Record<string, unknown>) : {}
}

/** A value as text that is not empty; undefined for what is none. */
export const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined
