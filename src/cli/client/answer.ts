/** Reading what a node answered, which is JSON: unknown until looked at. */

export type Record_ = Readonly<Record<string, unknown>>

export function recordOf(value: unknown): Record_ {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}
}

export const listOf = (value: unknown): Record_[] => (Array.isArray(value) ? value.map(recordOf) : [])

/** A text, or a number as text; empty for everything else. */
export const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : typeof value === 'number' ? String(value) : ''

export const numberOf = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined)
