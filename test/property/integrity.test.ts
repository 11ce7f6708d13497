import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { stableText } from '../../src/store/model/integrity.js'
import { runs } from '../support/oracles/runs.js'

/** The rules once more, slowly: clean, sort, serialise with JSON.stringify, then escape the rest. */
function naive(value: unknown): string {
  const ranges = '7f-9f ad-ad 600-604 70f-70f 17b4-17b5 200c-200f 2028-202f 2060-206f feff-feff fff0-ffff'
  const bounds = ranges.split(' ').map((range) => range.split('-').map((hex) => parseInt(hex, 16)))
  const isHidden = (code: number) => bounds.some(([low = 0, high = 0]) => code >= low && code <= high)
  const tidy = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(tidy)
    if (typeof part !== 'object' || part === null) return part
    const kept = Object.entries(part).filter(([, member]) => member !== null && member !== undefined)
    // Integer-like keys come first in an object, so members are written one by one.
    return { members: kept.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, member]) => [key, tidy(member)] as const) }
  }
  const write = (part: unknown): string => {
    if (Array.isArray(part)) return `[${part.map(write).join()}]`
    if (typeof part !== 'object' || part === null) return JSON.stringify(part)
    const { members } = part as { members: [string, unknown][] }
    return `{${members.map(([key, member]) => JSON.stringify(key) + ':' + write(member)).join()}}`
  }
  return [...write(tidy(value))]
    .map((c) => (isHidden(c.charCodeAt(0)) ? '\\u' + c.charCodeAt(0).toString(16).padStart(4, '0') : c))
    .join('')
}

const text = fc.oneof(
  fc.string(),
  fc.string({ unit: 'grapheme' }),
  fc
    .array(fc.oneof(fc.integer({ min: 0, max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0xffff })))
    .map((codes) => String.fromCharCode(...codes)),
  fc.array(fc.integer({ min: 0x2000, max: 0x2080 })).map((codes) => String.fromCharCode(...codes)),
)
const json = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constant(null),
    fc.boolean(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    text,
    fc.array(tie('value'), { maxLength: 5 }),
    fc.dictionary(text, tie('value'), { maxKeys: 6 }),
  ),
})).value

describe('stableText', () => {
  it('agrees with a naive version', () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(stableText(value)).toBe(naive(value))
      }),
      { numRuns: runs(1000) },
    )
  })

  it('does not depend on the order of keys', () => {
    fc.assert(
      fc.property(fc.dictionary(text, json), (value) => {
        expect(stableText(Object.fromEntries(Object.entries(value).reverse()))).toBe(stableText(value))
      }),
    )
  })
})
