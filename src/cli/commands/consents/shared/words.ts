/** Options for texts in several languages. */
import { usageError } from '../../../framework/exit.js'
import { list } from '../../../framework/option.js'
import type { Parameter } from '../../../framework/option.js'

/** Returns an option for texts: in English, or in the language of a code prefix. */
export const wordsOption = (summary: string, about: { required?: boolean } = {}): Parameter<string[]> =>
  list(`${summary}; prefix fr=… for a language other than English`, { placeholder: '[code=]text', ...about })

/**
 * Parses `['Study', 'fr=Étude']` as `{ en: 'Study', fr: 'Étude' }`; undefined without any.
 * @throws CommandError 2 for two texts of one language, and for an empty one
 */
export function wordsByLanguage(words: readonly string[], option: string): Record<string, string> | undefined {
  if (words.length === 0) return undefined
  const texts = new Map<string, string>()
  for (const word of words) {
    const [, language = 'en', text = word] = /^([a-z]{2,3})=(.*)$/s.exec(word) ?? []
    if (text.trim() === '') throw usageError(`${option} is empty`)
    if (texts.has(language)) throw usageError(`${option} is given twice for the language ${language}`)
    texts.set(language, text)
  }
  return Object.fromEntries(texts)
}
