/** Decrypting an event as clients do (consent and OAuth supplement, 3.1 and 3.3). Pure: nothing is read or written. */
import { recordOf } from '../client/answer.js'
import type { Record_ } from '../client/answer.js'
import { fromBase64, readKey } from './keys.js'
import { methods, openBytes } from './methods.js'
import type { Method } from './methods.js'

/** A key as it is kept, and where: the words stand in messages. */
export interface StoredKey {
  bytes: Buffer
  from: string
}

/** Why an event did not open. `why` completes "The key …" or "What was encrypted …". */
export type Problem =
  | { is: 'unknown method' }
  | { is: 'malformed' }
  | { is: 'unfit key'; key: StoredKey; why: string }
  | { is: 'refused'; key: StoredKey; method: Method }
  | { is: 'no event inside' }

/** An event that is readable again, and what opened it, which opens its files too. */
export interface Decrypted {
  event: Record_
  method: Method
  key: Buffer
}

const PREFIX = 'encrypted/'

export function isEncrypted(event: Record_): boolean {
  return String(event['type']).startsWith(PREFIX)
}

/** The name of its key, if it tells one. */
export function keyRefOf(event: Record_): string | undefined {
  const { keyRef } = recordOf(event['content'])
  return typeof keyRef === 'string' ? keyRef : undefined
}

/** The method of an encrypted event; undefined when it is none of those known. */
export function methodOf(event: Record_): Method | undefined {
  return methods.find((each) => event['type'] === `${PREFIX}${each}`)
}

/**
 * The event with its real `type` and `content`, and `decryptedFrom`, the event as it was. Never throws: what keeps it
 * shut is answered.
 */
export function decryptEvent(event: Record_, stored: StoredKey): Decrypted | { problem: Problem } {
  const method = methodOf(event)
  if (method === undefined) return { problem: { is: 'unknown method' } }
  const { payload } = recordOf(event['content'])
  const bytes = typeof payload === 'string' ? fromBase64(payload) : undefined
  if (bytes === undefined) return { problem: { is: 'malformed' } }
  const key = readKey(method, stored.bytes)
  if ('why' in key) return { problem: { is: 'unfit key', key: stored, why: key.why } }
  const opened = openBytes(method, bytes, key)
  if ('fault' in opened) {
    return { problem: opened.fault === 'malformed' ? { is: 'malformed' } : { is: 'refused', key: stored, method } }
  }
  const real = realOf(opened.plain)
  // The legacy method proves nothing: a wrong passphrase now and then leaves bytes behind.
  if (real === undefined && method === 'aes-text-base64') return { problem: { is: 'refused', key: stored, method } }
  if (real === undefined) return { problem: { is: 'no event inside' } }
  return { event: { ...event, ...real, decryptedFrom: event }, method, key }
}

/** The type and content that were encrypted. */
function realOf(plain: Buffer): { type: string; content: unknown } | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(plain)
    const { type, content } = recordOf(JSON.parse(text))
    if (typeof type !== 'string' || content === undefined || content === null) return undefined
    return { type, content }
  } catch {
    return undefined
  }
}
