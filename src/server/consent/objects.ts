/** Members of what came from elsewhere, as far as they are what they should be. */

/** A value as an object with members; an empty one for what is none. */
export const objectOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {}

/** A value as text that is not empty; undefined for what is none. */
export const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined
