/** Helpers for reading JSON responses of a node, typed unknown. */
import { isJsonObject } from '../../store/model/json.js'

export type Record_ = Readonly<Record<string, unknown>>

export function recordOf(value: unknown): Record_ {
  return isJsonObject(value) ? { ...value } : {}
}

export const listOf = (value: unknown): Record_[] => (Array.isArray(value) ? value.map(recordOf) : [])

/** Returns a text, or a number as text; empty for all other values. */
export const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : typeof value === 'number' ? String(value) : ''

/** Returns the texts of a list. */
export const textsOf = (value: unknown): string[] => (Array.isArray(value) ? value.map(textOf) : [])

export const numberOf = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined)
