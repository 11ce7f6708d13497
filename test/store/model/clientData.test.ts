import { describe, expect, it } from 'vitest'
import { mergeKeys } from '../../../src/store/model/clientData.js'

describe('mergeKeys', () => {
  it.each([
    ['sets, replaces and keeps keys', { a: 1, b: 2 }, { b: 3, c: { d: null } }, { a: 1, b: 3, c: { d: null } }],
    ['deletes keys that are null', { a: 1, b: 2 }, { a: null }, { b: 2 }],
    ['ignores the deletion of an absent key', { a: 1 }, { z: null }, { a: 1 }],
    ['replaces objects as a whole', { a: { x: 1 } }, { a: { y: 2 } }, { a: { y: 2 } }],
    ['clears everything for null', { a: 1 }, null, undefined],
    ['starts from undefined', undefined, { a: 1, b: null }, { a: 1 }],
    ['returns undefined when the last key is removed', { a: 1 }, { a: null }, undefined],
    ['keeps all for an empty update', { a: 1 }, {}, { a: 1 }],
  ])('%s', (_, existing, update, merged) => {
    expect(mergeKeys(existing, update)).toEqual(merged)
  })

  it('changes neither argument', () => {
    const existing = Object.freeze({ a: 1 })
    const update = Object.freeze({ b: 2, a: null })
    expect(mergeKeys(existing, update)).toEqual({ b: 2 })
  })

  it('treats __proto__ as any other key', () => {
    const merged = mergeKeys({ constructor: 1 }, JSON.parse('{"__proto__":{"polluted":true}}'))
    expect(Object.keys(merged ?? {})).toEqual(['__proto__', 'constructor'])
    expect(Object.getPrototypeOf(merged)).toBe(Object.prototype)
    expect(merged && 'polluted' in merged).toBe(false)
    expect(JSON.stringify(mergeKeys(merged, JSON.parse('{"__proto__":null}')))).toBe('{"constructor":1}')
  })
})
