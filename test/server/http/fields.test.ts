/** Field names with brackets in query strings and forms: docs/interface/conventions.md#query-strings. */
import { describe, expect, it } from 'vitest'
import { MAX_INDEXED_ITEMS, readFields } from '../../../src/server/base/fields.js'
import { Failure } from '../../../src/store/model/failure.js'

const read = (text: string, unreadable?: 'keep'): unknown =>
  JSON.parse(JSON.stringify(readFields(new URLSearchParams(text), () => true, unreadable)))

describe('fields', () => {
  it.each<[string, unknown]>([
    ['a=x', { a: 'x' }],
    ['a=x&a=y', { a: ['x', 'y'] }],
    ['a[]=x', { a: ['x'] }],
    ['a[]=x&a[]=y', { a: ['x', 'y'] }],
    ['a[0]=x&a[1]=y', { a: ['x', 'y'] }],
    ['a%5B0%5D=x&a%5B1%5D=y', { a: ['x', 'y'] }],
    ['a[1]=y&a[0]=x', { a: ['x', 'y'] }],
    ['a[2]=x&a[10]=y', { a: ['x', 'y'] }],
    ['a[0]=x&a[]=y&a=z', { a: ['x', 'y', 'z'] }],
    ['a=x&a[]=y', { a: ['x', 'y'] }],
    ['a[0]=x&b=1&a[1]=y', { a: ['x', 'y'], b: '1' }],
    ['a[0][any][0]=x&a[0][any][1]=y&a[0][not][]=z&a[1][any]=w', { a: [{ any: ['x', 'y'], not: ['z'] }, { any: 'w' }] }],
    ['a[x]=1&a[y][z]=2', { a: { x: '1', y: { z: '2' } } }],
    ['a[0]=x&a[b]=y', { a: { 0: 'x', b: 'y' } }],
    ['a[0]=x&a[0]=y', { a: [['x', 'y']] }],
    ['a[b]=x&a[b][c]=y', { a: { b: { 0: 'x', c: 'y' } } }],
    ['a[01]=x', { a: { '01': 'x' } }],
    ['[a]=x&]=y', { '[a]': 'x', ']': 'y' }],
    ['a[__proto__][b]=x&__proto__[c]=y&constructor=z', JSON.parse('{"a":{"__proto__":{"b":"x"}},"__proto__":{"c":"y"},"constructor":"z"}')],
    ['a[0][1][2][3][4][5][6][7]=x', { a: [[[[[[[['x']]]]]]]] }],
  ])('are parsed: %s', (text, expected) => {
    expect(read(text)).toEqual(expected)
    expect(Object.prototype).not.toHaveProperty('c')
  })

  it('with indexes form lists of up to a thousand items', () => {
    const items = Array.from({ length: MAX_INDEXED_ITEMS }, (_, at) => `a[${at}]=${at}`)
    expect(read(items.join('&'))).toEqual({ a: items.map((_, at) => String(at)) })
  })

  it.each([`a[${MAX_INDEXED_ITEMS}]=x`, 'a[999999999]=x', 'a[0][1000]=x', 'a[=x', 'a[0=x', 'a[0]b=x', 'a[b[c]]=x', `a${'[b]'.repeat(9)}=x`, `a${'['.repeat(20_000)}=x`])(
    'with invalid brackets are refused, or kept unparsed: %#',
    (text) => {
      const failure = ((): unknown => {
        try {
          return read(text)
        } catch (error) {
          return error
        }
      })()
      expect(failure).toBeInstanceOf(Failure)
      expect(failure).toMatchObject({ id: 'invalid-parameters-format', data: [{ path: '#/a' }] })
      expect(read(text, 'keep')).toEqual({ [text.slice(0, -2)]: 'x' })
    },
  )
})
