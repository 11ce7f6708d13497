/** Texts as documents hold them, and which of them records and keys can hold. */
import { Failure } from '../../store/model/failure.js'

const NUL = '\0'
const halfPair = /\p{Surrogate}/u

/**
 * The scalar for a text. Half a surrogate pair has no UTF-8: texts that hold one, and those that look like this escape,
 * are written as NUL and their JSON.
 */
export function textToScalar(text: string): string {
  return text.startsWith(NUL) || halfPair.test(text) ? NUL + JSON.stringify(text) : text
}

/**
 * The text behind a scalar of `textToScalar`.
 * @throws Failure `corrupted-data` when it escapes nothing
 */
export function scalarToText(scalar: string): string {
  if (!scalar.startsWith(NUL)) return scalar
  const text = fromJson(scalar.slice(NUL.length))
  // One text has one scalar: two keys never stand for the same member.
  if (typeof text !== 'string' || textToScalar(text) !== scalar) {
    throw new Failure('corrupted-data', 'A stored text is damaged.')
  }
  return text
}

/** The value of a JSON text; undefined, which no JSON text means, when it is none. */
export function fromJson(text: unknown): unknown {
  if (typeof text !== 'string') return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Whether records can hold a text without quoting it: ids and types. */
export const isRecordText = (text: string): boolean => !/["\\\u0000-\u001f]|\p{Surrogate}/u.test(text)

/** Whether a text can be the id of a stream, which is a part of keys too. */
export const isStreamId = (text: string): boolean => isRecordText(text) && !text.includes('/')
