/** Checks of values that were parsed from JSON. */

/** Checks whether a value is a JSON object: neither null, an array nor a scalar. */
export const isJsonObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns a value if it is a JSON object; otherwise an empty one. */
export const jsonObjectOf = (value: unknown): Record<string, unknown> => (isJsonObject(value) ? value : {})

/** Parses the text of a JSON object; undefined for other texts. */
export function parseJsonObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isJsonObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
