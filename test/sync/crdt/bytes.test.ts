/** Readers and writers of numbers and texts in changes. */
import { describe, expect, it } from 'vitest'
import {
  putSigned,
  putUnsigned,
  readerOf,
  signedLength,
  skipBytes,
  skipNumber,
  takeByte,
  takeBytes,
  takeHex,
  takePart,
  takeSigned,
  takeText,
  takeUnsigned,
  unsignedLength,
  writerFor,
  type Reader,
} from '../../../src/sync/crdt/bytes.js'

describe('a reader of a part', () => {
  const reads: [string, (r: Reader) => unknown][] = [
    ['takeByte', takeByte],
    ['takeUnsigned', takeUnsigned],
    ['takeSigned', takeSigned],
    ['skipNumber', skipNumber],
    ['skipBytes', (r) => skipBytes(r, 1)],
    ['takeBytes', (r) => takeBytes(r, 1)],
    ['takeText', (r) => takeText(r, 1)],
    ['takeHex', (r) => takeHex(r, 1)],
    ['takePart', (r) => takePart(r, 1)],
  ]

  it.each(reads)('ends with the part, although the buffer goes on: %s', (_, read) => {
    const whole = readerOf(Uint8Array.from([1, 2, 3, 4]))
    const part = takePart(whole, 2)
    expect([takeByte(part), takeByte(part)]).toEqual([1, 2])
    expect(() => read(part)).toThrow(expect.objectContaining({ id: 'corrupted-data' }))
    expect(takeByte(whole)).toBe(3)
  })

  it('reads a number to its last byte only within the part', () => {
    const part = takePart(readerOf(Uint8Array.from([0x80, 0x80, 0x01])), 2)
    expect(() => takeUnsigned(part)).toThrow(expect.objectContaining({ id: 'corrupted-data' }))
  })
})

const BOUNDS = [0, 1, 2 ** 6, 2 ** 7, 2 ** 13, 2 ** 14, 2 ** 31, 2 ** 32, 2 ** 49, 2 ** 53 - 2]
const NUMBERS = BOUNDS.flatMap((bound) => [bound - 1, bound, bound + 1])

it.each(NUMBERS.filter((value) => value >= 0))('the length of the unsigned number %i is that of its bytes', (value) => {
  const w = writerFor(16)
  putUnsigned(w, value)
  expect(unsignedLength(value)).toBe(w.at)
  expect(takeUnsigned(readerOf(Uint8Array.from(w.bytes.subarray(0, w.at))))).toBe(value)
})

it.each(NUMBERS.flatMap((value) => [value, -value]))('the length of the signed number %i is that of its bytes', (value) => {
  const w = writerFor(16)
  putSigned(w, value)
  expect(signedLength(value)).toBe(w.at)
  expect(takeSigned(readerOf(Uint8Array.from(w.bytes.subarray(0, w.at))))).toBe(value + 0)
})
