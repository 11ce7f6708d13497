/** Texts of the settings. */
import type { InLanguages } from '../../../base/words.js'
import { settingsWordsDe } from './wordsDe.js'
import { settingsWordsEn } from './wordsEn.js'
import { settingsWordsFr } from './wordsFr.js'
import type { SettingsWords } from './wordsType.js'

export const settingsWords: InLanguages<SettingsWords> = { en: settingsWordsEn, fr: settingsWordsFr, de: settingsWordsDe }
