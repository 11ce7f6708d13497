import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Malformed, unsnap } from '../../../src/store/leveldb/encodings.js'
import { runs } from '../../support/oracles/runs.js'

/** An instruction of a compressed block. */
type Step = { literal: Uint8Array } | { back: number; length: number; form: 1 | 2 | 3 }

function varint(n: number): number[] {
  return n < 128 ? [n] : [(n & 127) | 128, ...varint(n >>> 7)]
}

function little(n: number, bytes: number): number[] {
  return Array.from({ length: bytes }, (_, i) => (n >>> (8 * i)) & 255)
}

/** Encodes steps by Snappy's format description, and applies them to an array. */
function compress(steps: Step[]): { compressed: Uint8Array; plain: number[] } {
  const plain: number[] = []
  const out: number[] = []
  for (const step of steps) {
    if ('literal' in step) {
      if (step.literal.length === 0) continue
      const n = step.literal.length - 1
      if (n < 60) out.push(n << 2)
      else if (n < 256) out.push(60 << 2, n)
      else out.push(61 << 2, ...little(n, 2))
      out.push(...step.literal)
      plain.push(...step.literal)
      continue
    }
    if (plain.length === 0) continue
    const back = 1 + (step.back % Math.min(plain.length, step.form === 1 ? 2047 : 65535))
    const length = step.form === 1 ? 4 + (step.length % 8) : 1 + (step.length % 64)
    if (step.form === 1) out.push(1 | ((length - 4) << 2) | ((back >>> 8) << 5), back & 255)
    else out.push(step.form | ((length - 1) << 2), ...little(back, step.form === 2 ? 2 : 4))
    for (let i = 0; i < length; i++) plain.push(plain[plain.length - back] ?? -1)
  }
  return { compressed: Uint8Array.from([...varint(plain.length), ...out]), plain }
}

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ literal: fc.uint8Array({ maxLength: 400 }) }),
  fc.record({ back: fc.nat(3000), length: fc.nat(100), form: fc.constantFrom<1 | 2 | 3>(1, 2, 3) }),
)

describe('unsnap', () => {
  it('applies literals and copies, also overlapping ones', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const { compressed, plain } = compress(steps)
        expect([...unsnap(compressed)]).toEqual(plain)
      }),
    )
  })

  it('refuses a block that is cut short', () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 5 }), fc.nat(), (steps, cut) => {
        const { compressed, plain } = compress(steps)
        fc.pre(plain.length > 0)
        expect(() => unsnap(compressed.subarray(0, cut % compressed.length))).toThrow(Malformed)
      }),
    )
  })

  it('decompresses or refuses any bytes, without another error', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        // A small claimed size, so that the remaining bytes are read.
        const block = Uint8Array.from([40, ...bytes])
        try {
          expect(unsnap(block)).toHaveLength(40)
        } catch (error) {
          expect(error).toBeInstanceOf(Malformed)
        }
      }),
      { numRuns: runs(1000) },
    )
  })

  it.each([
    ['a copy from before the start', [8, 0, 97, 1 | (3 << 2), 2]],
    ['a copy from distance 0', [8, 0, 97, 1 | (3 << 2), 0]],
    ['more than it claims', [3, 12, 97, 97, 97, 97]],
    ['a copy beyond its end', [3, 0, 97, 1, 1]],
    ['less than it claims', [2, 0, 97]],
  ])('refuses %s', (_, bytes) => {
    expect(() => unsnap(Uint8Array.from(bytes))).toThrow(Malformed)
  })

  it('does not allocate the size that a block claims', () => {
    expect(() => unsnap(Uint8Array.from([255, 255, 255, 255, 15]))).toThrow('too large')
  })
})
