/** Example calls by method id. Loaded only for documents. */
import { accountExamples } from './accounts.js'
import { dataExamples } from './data.js'
import { deviceExamples } from './devices.js'
import type { Example, Examples } from './example.js'
import { serviceExamples } from './service.js'
import { sharingExamples } from './sharing.js'

export const examples: Examples = { ...accountExamples, ...dataExamples, ...deviceExamples, ...serviceExamples, ...sharingExamples }

/** Finds the example of a method; undefined for methods that always fail. */
export const exampleOf = (id: string): Example | undefined => (Object.hasOwn(examples, id) ? examples[id] : undefined)
