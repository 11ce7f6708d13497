/** The content of an event as people and files write it: by the event's type, a number, a text, yes or no, or JSON. */
import { builtInDirectory } from '../../../store/model/eventTypes/directory.js'
import { readNumber } from './number.js'

export type ContentKind = 'number' | 'text' | 'boolean' | 'json'

const kinds: Readonly<Record<string, ContentKind>> = { number: 'number', integer: 'number', string: 'text', boolean: 'boolean' }
let types: ReturnType<typeof builtInDirectory>['types'] | undefined

/** How content of a type is written; undefined for types that the built-in directory does not hold. */
export function contentKind(type: string): ContentKind | undefined {
  types ??= builtInDirectory().types
  if (!Object.hasOwn(types, type)) return undefined
  const schema: { type?: unknown } = types[type] ?? {}
  return typeof schema.type === 'string' ? (kinds[schema.type] ?? 'json') : 'json'
}

/**
 * The content that a word stands for.
 * @throws Error saying what was expected.
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
