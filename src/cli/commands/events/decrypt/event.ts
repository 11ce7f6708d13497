/**
 * Decrypts an event as clients do (docs/interface/encryption.md#content, docs/interface/encryption.md#decryption). Pure: reads
 * and writes nothing.
 */
import { recordOf } from '../../../client/answer.js'
import type { Record_ } from '../../../client/answer.js'
import { fromBase64, readKey } from './keys.js'
import { methods, openBytes } from './methods.js'
import type { Method } from './methods.js'

/** The bytes of a key, and its origin for messages. */
export interface StoredKey {
  bytes: Buffer
  from: string
}

/** The reason why an event cannot be decrypted. `why` completes "The key …" or "The encrypted content …". */
export type Problem =
  | { is: 'unknown method' }
  | { is: 'malformed' }
  | { is: 'unusable key'; key: StoredKey; why: string }
  | { is: 'refused'; key: StoredKey; method: Method }
  | { is: 'no event inside' }

/** A decrypted event and its key, which decrypts its files too. */
export interface Decrypted {
  event: Record_
  method: Method
  key: Buffer
}

const PREFIX = 'encrypted/'

export function isEncrypted(event: Record_): boolean {
  return String(event['type']).startsWith(PREFIX)
}

/** Returns the key name of an encrypted event, if it has one. */
export function keyRefOf(event: Record_): string | undefined {
  const { keyRef } = recordOf(event['content'])
  return typeof keyRef === 'string' ? keyRef : undefined
}

/** Returns the method of an encrypted event; undefined for an unknown method. */
export function methodOf(event: Record_): Method | undefined {
  return methods.find((each) => event['type'] === `${PREFIX}${each}`)
}

/**
 * Returns the event with its real `type` and `content`, and `decryptedFrom`, the encrypted event. Never throws; returns
 * a problem instead.
 */
export function decryptEvent(event: Record_, stored: StoredKey): Decrypted | { problem: Problem } {
  const method = methodOf(event)
  if (method === undefined) return { problem: { is: 'unknown method' } }
  const { payload } = recordOf(event['content'])
  const bytes = typeof payload === 'string' ? fromBase64(payload) : undefined
  if (bytes === undefined) return { problem: { is: 'malformed' } }
  const key = readKey(method, stored.bytes)
  if ('why' in key) return { problem: { is: 'unusable key', key: stored, why: key.why } }
  const opened = openBytes(method, bytes, key)
  if ('fault' in opened) {
    return { problem: opened.fault === 'malformed' ? { is: 'malformed' } : { is: 'refused', key: stored, method } }
  }
  const plainFields = parsePlain(opened.plain)
  // The legacy method has no authentication: a wrong passphrase sometimes yields bytes.
  if (plainFields === undefined && method === 'aes-text-base64') return { problem: { is: 'refused', key: stored, method } }
  if (plainFields === undefined) return { problem: { is: 'no event inside' } }
  return { event: { ...event, ...plainFields, decryptedFrom: event }, method, key }
}

/** Parses the decrypted type and content. */
function parsePlain(plain: Buffer): { type: string; content: unknown } | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(plain)
    const { type, content } = recordOf(JSON.parse(text))
    if (typeof type !== 'string' || content === undefined || content === null) return undefined
    return { type, content }
  } catch {
    return undefined
  }
}
