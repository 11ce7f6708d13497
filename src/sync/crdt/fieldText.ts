/** Conversion of texts to document scalars, and checks of texts for records and keys. */
import { Failure } from '../../store/model/failure.js'

const NUL = '\0'
const halfPair = /\p{Surrogate}/u

/**
 * Returns the scalar of a text. Unpaired surrogates have no UTF-8: texts that contain one, and those that look like this
 * escape, are written as NUL and their JSON.
 */
export function textToScalar(text: string): string {
  return text.startsWith(NUL) || halfPair.test(text) ? NUL + JSON.stringify(text) : text
}

/**
 * Returns the text of a scalar of `textToScalar`.
 * @throws Failure `corrupted-data` for an invalid escape
 */
export function scalarToText(scalar: string): string {
  if (!scalar.startsWith(NUL)) return scalar
  const text = fromJson(scalar.slice(NUL.length))
  // Each text has exactly one scalar: two keys never stand for the same member.
  if (typeof text !== 'string' || textToScalar(text) !== scalar) {
    throw new Failure('corrupted-data', 'A stored text is damaged.')
  }
  return text
}

/** Parses a JSON text; undefined for other values, since no JSON text stands for undefined. */
export function fromJson(text: unknown): unknown {
  if (typeof text !== 'string') return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Checks whether records can hold a text without quoting, as ids and types. */
export const isRecordText = (text: string): boolean => !/["\\\u0000-\u001f]|\p{Surrogate}/u.test(text)

/** Checks whether a text can be a stream id, which is also part of keys. */
export const isStreamId = (text: string): boolean => isRecordText(text) && !text.includes('/')
