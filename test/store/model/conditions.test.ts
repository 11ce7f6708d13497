import { describe, expect, it } from 'vitest'
import { matchesConditions, parseConditions } from '../../../src/store/model/conditions.js'
import { Failure } from '../../../src/store/model/failure.js'

const meets = (condition: unknown, value: unknown): boolean =>
  matchesConditions(parseConditions([condition], 'content'), value)

function refusalOf(raw: unknown, parameter: 'content' | 'clientData' = 'content'): Failure {
  try {
    parseConditions(raw, parameter)
  } catch (error) {
    if (error instanceof Failure) return error
    throw error
  }
  throw new Error('was accepted')
}

describe('parseConditions', () => {
  it('parses arrays and their JSON text equally', () => {
    const list = [{ path: 'a.b-c_d:e.0', eq: 'x' }, { path: '$', in: [1, true, 'x'] }]
    const parsed = [
      { path: ['a', 'b-c_d:e', '0'], operator: 'eq', value: 'x' },
      { path: [], operator: 'in', value: [1, true, 'x'] },
    ]
    expect(parseConditions(list, 'content')).toEqual(parsed)
    expect(parseConditions(JSON.stringify(list), 'content')).toEqual(parsed)
  })

  it('reads an absent or empty parameter as no condition', () => {
    expect([parseConditions(undefined, 'content'), parseConditions('[]', 'clientData')]).toEqual([[], []])
    expect(matchesConditions([], undefined)).toBe(true)
  })

  it('accepts the maximum numbers of conditions and values', () => {
    const values = Array.from({ length: 100 }, (_, i) => i)
    expect(parseConditions(Array.from({ length: 10 }, () => ({ path: 'a', in: values })), 'content')).toHaveLength(10)
  })

  it.each<[string, unknown]>([
    ['an object', { path: 'a', eq: 1 }],
    ['broken JSON', '[{"path":'],
    ['text that is no JSON', 'x'],
    ['null', null],
    ['eleven conditions', Array.from({ length: 11 }, () => ({ path: 'a', eq: 1 }))],
  ])('refuses %s', (_, raw) => {
    const failure = refusalOf(raw, 'clientData')
    expect(failure.id).toBe('invalid-parameters-format')
    expect(failure.message).toContain("'clientData'")
    expect(failure.data).toEqual([expect.objectContaining({ path: '#/clientData' })])
  })

  it.each<[string, unknown]>([
    ['null', null],
    ['an array', [1]],
    ['no path', { eq: 1 }],
    ['a path that is no string', { path: 1, eq: 1 }],
    ['an empty path', { path: '', eq: 1 }],
    ['an empty segment', { path: 'a..b', eq: 1 }],
    ['a final dot', { path: 'a.', eq: 1 }],
    ['a strange character', { path: 'a b', eq: 1 }],
    ['a final line break', { path: 'a\n', eq: 1 }],
    ['$ within a path', { path: '$.a', eq: 1 }],
    ['no operator', { path: 'a' }],
    ['two operators', { path: 'a', gt: 1, lt: 2 }],
    ['an unknown operator', { path: 'a', regex: 'x' }],
    ['an inherited name as operator', { path: 'a', constructor: 'x' }],
    ['eq null', { path: 'a', eq: null }],
    ['eq object', { path: 'a', eq: {} }],
    ['neq null', { path: 'a', neq: null }],
    ['a number that is not finite', JSON.parse('{"path":"a","eq":1e999}')],
    ['in without values', { path: 'a', in: [] }],
    ['in with 101 values', { path: 'a', in: Array.from({ length: 101 }, () => 1) }],
    ['in with null', { path: 'a', in: [1, null] }],
    ['in with one value', { path: 'a', in: 1 }],
    ['exists with text', { path: 'a', exists: 'true' }],
    ['gt with text', { path: 'a', gt: '1' }],
    ['lte with infinity', JSON.parse('{"path":"a","lte":-1e999}')],
    ['an empty prefix', { path: 'a', prefix: '' }],
    ['prefix with a number', { path: 'a', prefix: 1 }],
  ])('refuses a condition with %s and names its position', (_, condition) => {
    const failure = refusalOf([{ path: 'fine', exists: true }, condition])
    expect(failure.id).toBe('invalid-parameters-format')
    expect(failure.message).toContain("'content' parameter, condition 2")
    expect(failure.data).toEqual([expect.objectContaining({ path: '#/content/1', message: failure.message })])
  })
})

describe('matchesConditions', () => {
  const scalars = { systolic: 140, unit: 'mmHg', off: false, gone: null, 'a:b-c_d': 0 }
  const content = { ...scalars, deep: { er: { x: 1 } }, list: [{ x: 1 }] }

  it.each<[unknown, boolean]>([
    [{ path: 'systolic', eq: 140 }, true],
    [{ path: 'systolic', eq: '140' }, false],
    [{ path: 'off', eq: false }, true],
    [{ path: 'off', eq: 0 }, false],
    [{ path: 'systolic', neq: '140' }, true],
    [{ path: 'systolic', neq: 140 }, false],
    [{ path: 'gone', neq: 'x' }, true],
    [{ path: 'missing', neq: 'x' }, false],
    [{ path: 'deep', neq: 'x' }, true],
    [{ path: 'unit', in: ['kPa', 'mmHg'] }, true],
    [{ path: 'systolic', in: ['140', true] }, false],
    [{ path: 'missing', in: ['x'] }, false],
    [{ path: 'gone', exists: true }, true],
    [{ path: 'gone', exists: false }, false],
    [{ path: 'missing', exists: false }, true],
    [{ path: 'missing', exists: true }, false],
    [{ path: 'systolic', gt: 139.9 }, true],
    [{ path: 'systolic', gt: 140 }, false],
    [{ path: 'systolic', gte: 140 }, true],
    [{ path: 'systolic', lt: 140 }, false],
    [{ path: 'systolic', lte: 140 }, true],
    [{ path: 'unit', gt: -1 }, false],
    [{ path: 'off', gte: 0 }, false],
    [{ path: 'gone', lte: 0 }, false],
    [{ path: 'unit', prefix: 'mm' }, true],
    [{ path: 'unit', prefix: 'MM' }, false],
    [{ path: 'systolic', prefix: '1' }, false],
    [{ path: 'deep.er.x', eq: 1 }, true],
    [{ path: 'deep.er.x.y', exists: false }, true],
    [{ path: 'a:b-c_d', eq: 0 }, true],
    [{ path: 'list.0.x', exists: true }, false],
    [{ path: 'list.length', exists: true }, false],
    [{ path: 'list', exists: true }, true],
    [{ path: 'unit.length', exists: true }, false],
    [{ path: 'constructor', exists: true }, false],
    [{ path: '__proto__', exists: true }, false],
    [{ path: 'deep.toString', exists: true }, false],
  ])('%j on an object: %s', (condition, expected) => {
    expect(meets(condition, content)).toBe(expected)
  })

  it.each<[unknown, unknown, boolean]>([
    [{ path: '$', gte: 70 }, 72.4, true],
    [{ path: '$', eq: 'x' }, 'x', true],
    [{ path: '$', exists: false }, undefined, true],
    [{ path: '$', exists: true }, null, true],
    [{ path: '$', prefix: 'a' }, 'abc', true],
    [{ path: 'x', exists: true }, undefined, false],
    [{ path: 'x', exists: false }, 5, true],
    [{ path: '__proto__', eq: 1 }, JSON.parse('{"__proto__":1}'), true],
  ])('%j on %j: %s', (condition, value, expected) => {
    expect(meets(condition, value)).toBe(expected)
  })

  it('requires every condition', () => {
    const both = parseConditions([{ path: 'systolic', gt: 100 }, { path: 'unit', eq: 'kPa' }], 'content')
    expect(matchesConditions(both, content)).toBe(false)
  })
})
