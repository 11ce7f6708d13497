/** Checks large content of known event types in the thread, before the transaction that stores it. */
import { invalidFormat } from '../../store/model/failure.js'
import { JsonText } from '../../store/model/jsonText.js'
import type { EventTypes } from '../../store/model/eventTypes/types.js'
import { inThread } from './largeJsonThread.js'

/**
 * Checks content against the schema of its type, and notes that it fits; undefined where there is nothing to wait for.
 * @throws Failure `invalid-parameters-format`
 */
export function checkLargeContent({ directory, knows }: EventTypes, type: string, content: unknown): Promise<void> | undefined {
  if (!(content instanceof JsonText) || content.fits === type || !knows(type)) return undefined
  const schema = directory.types[type]
  if (schema === undefined) return undefined
  return inThread({ kind: 'check', type, schema, text: content.text }).then((items) => {
    if (items !== undefined) throw invalidFormat(items)
    content.fits = type
  })
}
