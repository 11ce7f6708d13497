/** Languages of pages and consent texts. */

export const languages = ['en', 'fr', 'de'] as const
export type Language = (typeof languages)[number]

/** Texts in every language; a missing one is a compile error. */
export type InLanguages<T> = Readonly<Record<Language, T>>

/** Picks the first supported language by its two-letter code (`fr-CH` matches `fr`), else English. */
export function languageAmong(input: readonly (string | undefined)[]): Language {
  for (const tag of input) {
    const code = tag?.slice(0, 2).toLowerCase()
    const found = languages.find((language) => language === code)
    if (found !== undefined) return found
  }
  return 'en'
}
