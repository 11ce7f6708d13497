/** The languages in which the node speaks to people: its pages, its consent texts. */

export const languages = ['en', 'fr', 'de'] as const
export type Language = (typeof languages)[number]

/** Texts in every language; total, so that a language without one does not compile. */
export type InLanguages<T> = Readonly<Record<Language, T>>

/** The first language asked for that the node speaks, by its two letters; `fr-CH` asks for `fr`. Else English. */
export function languageAmong(input: readonly (string | undefined)[]): Language {
  for (const tag of input) {
    const code = tag?.slice(0, 2).toLowerCase()
    const found = languages.find((language) => language === code)
    if (found !== undefined) return found
  }
  return 'en'
}
