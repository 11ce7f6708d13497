/** JSON objects in options and on stdin. */
import { parseJsonObject } from '../../../store/model/json.js'
import { usageError } from '../../framework/exit.js'
import { text } from '../../framework/option.js'
import type { Parameter } from '../../framework/option.js'

/** Creates an option that takes a JSON object. */
export function jsonObject(summary: string): Parameter<Record<string, unknown> | undefined> {
  return {
    ...text(summary),
    placeholder: 'json',
    read: (words) => {
      const word = words?.[words.length - 1]
      if (word === undefined) return undefined
      const value = parseJsonObject(word)
      if (value === undefined) throw new Error('a JSON object')
      return value
    },
  }
}

/**
 * Parses an argument as a JSON object.
 * @param syntax the typed form of the argument
 * @throws CommandError 2 for other values
 */
export function readObject(syntax: string, json: string): Record<string, unknown> {
  const value = parseJsonObject(json)
  if (value === undefined) throw usageError(`${syntax} takes a JSON object`)
  return value
}
