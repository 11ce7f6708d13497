/** The built-in templates, by language and type. */
import { de } from './de.js'
import { en } from './en.js'
import { fr } from './fr.js'
import type { Bundled } from './page.js'

export const bundled: Readonly<Record<string, Readonly<Record<string, Bundled>>>> = { de, en, fr }
