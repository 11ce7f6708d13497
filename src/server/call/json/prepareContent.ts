/** Prepares large content before the transaction that stores it, to keep the transaction short. */
import { createHash } from 'node:crypto'
import { setImmediate as yieldTurn } from 'node:timers/promises'
import { invalidFormat } from '../../../store/model/failure.js'
import { CONTENT_FIRST, type IntegrityAlgorithm } from '../../../store/model/integrity.js'
import { JsonText } from '../../../store/model/jsonText.js'
import type { EventTypes } from '../../../store/model/eventTypes/types.js'
import { createYielder } from '../../../store/engine/yield.js'
import type { Context } from '../context.js'
import { inThread, noteDeferral } from './largeJsonThread.js'

/** Bytes hashed between two checks of the clock: half a millisecond. */
const HASHED_AT_ONCE = 512 * 1024
const TURN_MS = 5

/**
 * Validates large content of a new event in the thread, and hashes it for the integrity of the event, yielding regularly.
 * Returns undefined when there is nothing to wait for.
 * @throws Failure `invalid-parameters-format`
 */
export function prepareContent({ eventTypes, config }: Pick<Context, 'eventTypes' | 'config'>, type: string, content: unknown): Promise<void> | undefined {
  if (!(content instanceof JsonText)) return undefined
  const checking = checkLarge(eventTypes, type, content)
  const algorithm = config.get('integrity.isActive.events') ? config.get('integrity.algorithm') : undefined
  if (algorithm === undefined || content.stableBytes === undefined) return checking
  return checking === undefined ? hashLarge(content, algorithm) : checking.then(() => hashLarge(content, algorithm))
}

/** Decodes large content before a change that compares its text, yielding before and after. */
export async function decodeContent(content: unknown): Promise<void> {
  if (!(content instanceof JsonText) || content.bytes === undefined) return
  noteDeferral()
  await yieldTurn()
  void content.text
  await yieldTurn()
}

function checkLarge({ directory, knows }: EventTypes, type: string, content: JsonText): Promise<void> | undefined {
  if (content.fits === type || !knows(type)) return undefined
  const schema = directory.types[type]
  if (schema === undefined) return undefined
  return inThread({ kind: 'check', type, schema, text: content.source }).then((items) => {
    if (items !== undefined) throw invalidFormat(items)
    content.fits = type
  })
}

async function hashLarge(content: JsonText, algorithm: IntegrityAlgorithm): Promise<void> {
  const bytes = content.stableBytes
  if (bytes === undefined) return
  noteDeferral()
  const state = createHash(algorithm).update(CONTENT_FIRST)
  const pause = createYielder(TURN_MS)
  for (let at = 0; at < bytes.length; at += HASHED_AT_ONCE) {
    state.update(bytes.subarray(at, at + HASHED_AT_ONCE))
    const due = pause()
    if (due !== undefined) await due
  }
  content.hashed = { algorithm, state }
}
