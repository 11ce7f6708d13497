import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { Failure, type ValidationItem } from '../../../src/store/model/failure.js'
import { MAX_ITEMS } from '../../../src/store/model/inputBounds.js'
import { checkInput, parseInput, zodItems } from '../../../src/store/model/validation.js'

function itemsOf(schema: z.ZodType, value: unknown): ValidationItem[] {
  try {
    parseInput(schema, value)
  } catch (error) {
    if (error instanceof Failure && error.id === 'invalid-parameters-format' && Array.isArray(error.data)) {
      expect(error.message).toBe(error.data[0].message)
      return error.data
    }
    throw error
  }
  throw new Error('was accepted')
}

/** Returns code, path and params of every item. */
const brief = (schema: z.ZodType, value: unknown): unknown[] =>
  itemsOf(schema, value).map(({ code, path, params }) => (params === undefined ? [code, path] : [code, path, params]))

const strict = z.strictObject({ name: z.string().min(1), list: z.array(z.strictObject({ id: z.string() })).optional() })

describe('parseInput', () => {
  it('returns the parsed value', () => {
    expect(parseInput(z.object({ a: z.number().default(3) }), { b: 1 })).toEqual({ a: 3 })
  })

  it.each<[string, z.ZodType, unknown, unknown[]]>([
    ['a missing property', strict, {}, [['OBJECT_MISSING_REQUIRED_PROPERTY', '#/', ['name']]]],
    [
      'a missing property further down',
      strict,
      { name: 'a', list: [{ id: 'x' }, {}] },
      [['OBJECT_MISSING_REQUIRED_PROPERTY', '#/list/1/', ['id']]],
    ],
    ['unknown properties', strict, { name: 'a', x: 1, y: 2 }, [['OBJECT_ADDITIONAL_PROPERTIES', '#/', [['x', 'y']]]]],
    [
      'an unknown property further down',
      strict,
      { name: 'a', list: [{ id: 'x', z: 1 }] },
      [['OBJECT_ADDITIONAL_PROPERTIES', '#/list/0', [['z']]]],
    ],
    [
      'a forbidden property',
      z.object({ a: z.never().optional() }),
      { a: 1 },
      [['OBJECT_ADDITIONAL_PROPERTIES', '#/', [['a']]]],
    ],
    [
      'several faults',
      strict,
      { name: 3, x: 1 },
      [['INVALID_TYPE', '#/name', ['string']], ['OBJECT_ADDITIONAL_PROPERTIES', '#/', [['x']]]],
    ],
    ['null for a string', strict, { name: null }, [['INVALID_TYPE', '#/name', ['string']]]],
    ['an array for an object', strict, [], [['INVALID_TYPE', '#/', ['object']]]],
    ['nothing at all', strict, undefined, [['INVALID_TYPE', '#/', ['object']]]],
    ['a fraction for an integer', z.object({ n: z.int() }), { n: 1.5 }, [['INVALID_TYPE', '#/n', ['int']]]],
    ['an empty string', strict, { name: '' }, [['MIN_LENGTH', '#/name', [1]]]],
    ['a long string', z.string().max(2), 'abc', [['MAX_LENGTH', '#/', [2]]]],
    ['a pattern', z.object({ t: z.string().regex(/^a$/) }), { t: 'b' }, [['PATTERN', '#/t', ['/^a$/']]]],
    ['a prefix', z.string().startsWith('x'), 'y', [['PATTERN', '#/']]],
    ['a format', z.object({ e: z.email() }), { e: 'b' }, [['FORMAT', '#/e', ['email']]]],
    ['a choice', z.object({ s: z.enum(['a', 'b']) }), { s: 'c' }, [['ENUM_MISMATCH', '#/s', [['a', 'b']]]]],
    ['a missing choice', z.object({ s: z.enum(['a', 'b']) }), {}, [['OBJECT_MISSING_REQUIRED_PROPERTY', '#/', ['s']]]],
    ['a constant', z.object({ s: z.literal('a') }), { s: 1 }, [['ENUM_MISMATCH', '#/s', [['a']]]]],
    ['a minimum', z.number().min(3), 2, [['MINIMUM', '#/', [3]]]],
    ['a maximum', z.number().max(3), 4, [['MAXIMUM', '#/', [3]]]],
    ['an exclusive minimum', z.number().gt(3), 3, [['MINIMUM_EXCLUSIVE', '#/', [3]]]],
    ['an exclusive maximum', z.number().lt(3), 3, [['MAXIMUM_EXCLUSIVE', '#/', [3]]]],
    ['a multiple', z.number().multipleOf(2), 3, [['MULTIPLE_OF', '#/', [2]]]],
    ['a short array', z.object({ a: z.array(z.any()).min(1) }), { a: [] }, [['ARRAY_LENGTH_SHORT', '#/a', [1]]]],
    ['a long array', z.object({ a: z.array(z.any()).max(1) }), { a: [1, 2] }, [['ARRAY_LENGTH_LONG', '#/a', [1]]]],
    [
      'types of a union',
      z.object({ u: z.union([z.string(), z.number()]) }),
      { u: true },
      [['INVALID_TYPE', '#/u', [['string', 'number']]]],
    ],
    [
      'a missing union',
      z.object({ u: z.union([z.string(), z.number()]) }),
      {},
      [['OBJECT_MISSING_REQUIRED_PROPERTY', '#/', ['u']]],
    ],
    [
      'the fitting branch of a union',
      z.object({ u: z.union([z.string(), z.strictObject({ a: z.number() })]) }),
      { u: { b: 1 } },
      [['OBJECT_MISSING_REQUIRED_PROPERTY', '#/u/', ['a']], ['OBJECT_ADDITIONAL_PROPERTIES', '#/u', [['b']]]],
    ],
    [
      'a union without fitting branch',
      z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]),
      { a: 1 },
      [['ANY_OF_MISSING', '#/']],
    ],
    [
      'an unknown variant',
      z.discriminatedUnion('t', [z.object({ t: z.literal('x') })]),
      { t: 'y' },
      [['ENUM_MISMATCH', '#/t', [['x']]]],
    ],
    [
      'a missing variant',
      z.object({ v: z.discriminatedUnion('t', [z.object({ t: z.literal('x') })]) }),
      { v: {} },
      [['OBJECT_MISSING_REQUIRED_PROPERTY', '#/v/', ['t']]],
    ],
    [
      'a key of a map',
      z.object({ m: z.record(z.string().regex(/^a/), z.any()) }),
      { m: { b: 1 } },
      [['OBJECT_ADDITIONAL_PROPERTIES', '#/m', [['b']]]],
    ],
    ['a refinement', z.object({ p: z.string().refine(() => false, 'no') }), { p: 'x' }, [['NOT_PASSED', '#/p']]],
    [
      'a refinement with its code',
      z.array(z.string()).refine(() => false, { params: { code: 'ARRAY_UNIQUE' } }),
      [],
      [['ARRAY_UNIQUE', '#/']],
    ],
    [
      'names that need escaping',
      z.object({ 'a/b~c': z.number() }),
      { 'a/b~c': 'x' },
      [['INVALID_TYPE', '#/a~1b~0c', ['number']]],
    ],
  ])('reports %s', (_, schema, value, items) => {
    expect(brief(schema, value)).toEqual(items)
  })

  it('uses the message of the schema', () => {
    const schema = z.object({ expireAfter: z.number().min(0, 'cannot be negative.') })
    expect(itemsOf(schema, { expireAfter: -1 })).toEqual([
      { code: 'MINIMUM', message: 'cannot be negative.', path: '#/expireAfter', params: [0] },
    ])
    expect(itemsOf(z.object({ a: z.string('wanted') }), {})[0]).toMatchObject({
      code: 'OBJECT_MISSING_REQUIRED_PROPERTY',
      message: 'wanted',
    })
  })

  it('never repeats a value', () => {
    const kind = z.union([z.literal(1), z.literal(2)])
    const schema = z.strictObject({ password: z.string().max(3).regex(/^a+$/), kind })
    expect(JSON.stringify(itemsOf(schema, { password: 'hunter22', kind: 'hunter22' }))).not.toContain('hunter22')
  })
})

describe('large input', () => {
  /** Returns a schema that counts the validated items. */
  function counting(): { item: z.ZodType; validatedCount: () => number } {
    let validatedCount = 0
    const item = z.custom<unknown>((value) => {
      validatedCount += 1
      return value !== 'wrong'
    }, 'Expected another item.')
    return { item, validatedCount: () => validatedCount }
  }
  const many = <T>(count: number, item: T): T[] => Array.from({ length: count }, () => item)

  it('is refused by its length before validation of an item', () => {
    const { item, validatedCount } = counting()
    expect(brief(z.object({ list: z.array(item) }), { list: many(MAX_ITEMS + 1, 'wrong') })).toEqual([['ARRAY_LENGTH_LONG', '#/list', [MAX_ITEMS]]])
    expect(brief(z.object({ list: z.array(item).max(5) }), { list: many(6, 'wrong') })).toEqual([['ARRAY_LENGTH_LONG', '#/list', [5]]])
    expect(checkInput(z.array(z.any()).min(1).max(MAX_ITEMS * 2), many(MAX_ITEMS + 1, 1))).toMatchObject({ success: true })
    const map = Object.fromEntries(many(MAX_ITEMS + 1, 0).map((_, i) => [`k${i}`, 'wrong']))
    expect(brief(z.object({ map: z.record(z.string(), item) }), { map })).toEqual([['OBJECT_PROPERTIES_MAXIMUM', '#/map', [MAX_ITEMS]]])
    expect(validatedCount()).toBe(0)
  })

  it('is refused by a length at any depth', () => {
    const { item } = counting()
    interface Tree {
      children?: Tree[] | undefined
    }
    const tree: z.ZodType<Tree> = z.lazy(() => z.object({ children: z.array(tree).max(3).optional() }))
    expect(brief(tree, { children: [{ children: many(4, {}) }] })).toEqual([['ARRAY_LENGTH_LONG', '#/children/0/children', [3]]])
    const schema = z.array(z.union([z.string(), z.object({ list: z.array(item).nullish().default([]) })]))
    expect(brief(schema, ['x', { list: many(MAX_ITEMS + 1, 1) }])).toEqual([['ARRAY_LENGTH_LONG', '#/1/list', [MAX_ITEMS]]])
  })

  it('is validated up to its first problem', () => {
    const { item, validatedCount } = counting()
    expect(brief(z.array(item), many(MAX_ITEMS, 'wrong'))).toEqual([['NOT_PASSED', '#/0']])
    expect(validatedCount()).toBe(1)
  })

  it('in free form is not counted', () => {
    const schema = z.object({ content: z.unknown(), own: z.custom(() => true) })
    const value = { content: many(MAX_ITEMS + 1, 1), own: many(MAX_ITEMS + 1, 1) }
    expect(checkInput(schema, value)).toMatchObject({ success: true })
  })

  it('has at most ten problems reported where it is small, and ten unknown members', () => {
    expect(itemsOf(z.array(z.number()), many(50, 'x'))).toHaveLength(10)
    const unknown = Object.fromEntries(many(500, 0).map((_, i) => [`${i}-${'k'.repeat(10_000)}`, 0]))
    const [item] = itemsOf(z.strictObject({}), unknown)
    expect(JSON.stringify(item).length).toBeLessThan(5000)
    expect(item?.message).toMatch(/ and 490 more$/)
  })
})

describe('zodItems', () => {
  it('puts a root before every path, and needs no input for plain types', () => {
    const { error } = strict.safeParse({ list: [{}], x: 1 })
    expect(error && zodItems(error, 'update').map(({ code, path }) => [code, path])).toEqual([
      ['OBJECT_MISSING_REQUIRED_PROPERTY', '#/update/'],
      ['OBJECT_MISSING_REQUIRED_PROPERTY', '#/update/list/0/'],
      ['OBJECT_ADDITIONAL_PROPERTIES', '#/update'],
    ])
  })
})
