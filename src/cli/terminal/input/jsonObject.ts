/** JSON objects as options and on stdin. */
import { usageError } from '../../framework/exit.js'
import { text } from '../../framework/option.js'
import type { Parameter } from '../../framework/option.js'

/** An option that takes a JSON object. */
export function jsonObject(summary: string): Parameter<Record<string, unknown> | undefined> {
  return {
    ...text(summary),
    placeholder: 'json',
    read: (given) => {
      const word = given?.[given.length - 1]
      if (word === undefined) return undefined
      const value = objectOf(word)
      if (value === undefined) throw new Error('a JSON object')
      return value
    },
  }
}

/**
 * The JSON object of an argument.
 * @param displayed what a person types for it.
 * @throws CommandError 2 when it is none.
 */
export function readObject(displayed: string, json: string): Record<string, unknown> {
  const value = objectOf(json)
  if (value === undefined) throw usageError(`${displayed} takes a JSON object`)
  return value
}

function objectOf(json: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(json)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined
  } catch {
    return undefined
  }
}
