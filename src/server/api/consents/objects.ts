/** Reads members of untrusted values. */
import { jsonObjectOf } from '../../../store/model/json.js'
import { plainValue } from '../../../store/model/jsonText.js'

/** Returns the value as a plain object; an empty one for other values. */
export const objectOf = (value: unknown): Record<string, unknown> => jsonObjectOf(plainValue(value))

/** Returns the value if it is a non-empty text; otherwise undefined. */
export const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined
