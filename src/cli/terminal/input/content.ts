/** Parses typed event content by event type: a number, a text, true or false, or JSON. */
import { builtInDirectory } from '../../../store/model/eventTypes/directory.js'
import { readNumber } from './number.js'

export type ContentKind = 'number' | 'text' | 'boolean' | 'json'

const kinds: Readonly<Record<string, ContentKind>> = { number: 'number', integer: 'number', string: 'text', boolean: 'boolean' }
let types: ReturnType<typeof builtInDirectory>['types'] | undefined

/** Returns the kind of content of a type; undefined for types outside the built-in directory. */
export function contentKind(type: string): ContentKind | undefined {
  types ??= builtInDirectory().types
  if (!Object.hasOwn(types, type)) return undefined
  const schema: { type?: unknown } = types[type] ?? {}
  return typeof schema.type === 'string' ? (kinds[schema.type] ?? 'json') : 'json'
}

/**
 * Parses a word as content.
 * @throws Error that states what was expected
 */
export function readContent(word: string, kind: ContentKind): unknown {
  if (kind === 'text') return word
  const trimmed = word.trim()
  if (kind === 'number') {
    const value = readNumber(trimmed)
    if (value === undefined) throw new Error('a number')
    return value
  }
  if (kind === 'boolean') {
    if (trimmed !== 'true' && trimmed !== 'false') throw new Error('true or false')
    return trimmed === 'true'
  }
  try {
    return JSON.parse(trimmed)
  } catch {
    throw new Error('JSON')
  }
}
