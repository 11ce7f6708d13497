/** Texts of the operator's pages. */
import type { InLanguages } from '../../../base/words.js'
import { operatorWordsDe } from './wordsDe.js'
import { operatorWordsEn } from './wordsEn.js'
import { operatorWordsFr } from './wordsFr.js'
import type { OperatorWords } from './wordsType.js'

export const operatorWords: InLanguages<OperatorWords> = { en: operatorWordsEn, fr: operatorWordsFr, de: operatorWordsDe }
