/** What help and manual pages say of the methods of the API: nothing is left out, and examples are taken by the methods. */
import { describe, expect, it } from 'vitest'
import { methodEntry, parametersOf, servedMethods, unservedTerms } from '../../src/cli/help/api/entries.js'
import { examples } from '../../src/cli/help/api/examples.js'
import { members, notation } from '../../src/cli/help/api/shape.js'
import { methods } from '../../src/server/methods.js'
import { parameterWords } from '../../src/server/parameterWords.js'
import { coffer } from './support.js'

const ids = [...new Set(servedMethods.map(({ id }) => id))]
const isBetweenNodes = (id: string): boolean =>
  servedMethods.some((each) => each.id === id && (each.summary.startsWith('Between nodes') || id.startsWith('system.delegation')))

describe('the entries of methods', () => {
  it('are there for every method, those that only refuse in a list of their own', () => {
    const told = [...ids, ...unservedTerms().map(([id]) => id)].sort()
    expect(told).toEqual([...new Set(methods.map(({ id }) => id))].sort())
    for (const id of ids) expect(methodEntry(id)?.[0], id).toEqual({ heading: id, sub: true })
  })

  it('explain every parameter', () => {
    const missing = servedMethods.flatMap((each) =>
      parametersOf(each).filter(({ path }) => parameterWords(each.id, path) === undefined).map(({ path }) => `${each.id} ${path}`),
    )
    expect(missing).toEqual([])
  })

  it('have an example, which the method takes', () => {
    expect(Object.keys(examples).sort()).toEqual(ids.filter((id) => !isBetweenNodes(id)))
    for (const each of servedMethods) {
      const { id, input } = each
      const example = examples[id]
      if (example === undefined || typeof example === 'string') continue
      const { files: _, ...params } = example as Record<string, unknown>
      expect(input.safeParse(params).error?.message, id).toBeUndefined()
      const known = parametersOf(each).map(({ path }) => path)
      for (const name of Object.keys(params)) expect(known, id).toContain(name)
    }
  })

  it('are shown by help', async () => {
    const { code, out } = await coffer('help events.get')
    expect(code).toBe(0)
    for (const said of ['GET /{username}/events', 'limit', 'A whole number, 0 to 100000', 'too-many-results (413)', 'coffer api events.get']) {
      expect(out).toContain(said)
    }
    expect((await coffer('help api events.get')).out).toBe(out)
    const wrong = await coffer('help event.get')
    expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining('coffer help events.get')])
  })
})

it.each([
  [{ type: 'string', minLength: 6, maxLength: 100 }, 'a text of 6 to 100 characters'],
  [{ type: 'integer', minimum: 0, maximum: 9007199254740991 }, 'a whole number, 0 or more'],
  [{ type: ['boolean', 'null'] }, 'true or false, or null'],
  [{ enum: ['a', 'b', 'c'] }, 'a, b or c'],
  [{ type: 'array', items: { type: 'string' }, minItems: 1 }, 'a list of texts, 1 or more'],
  [{}, 'any JSON'],
])('the form of %j is %s', (schema, form) => {
  expect(members({ properties: { it: schema } })).toEqual([{ path: 'it', form, isRequired: false }])
})

it('results are in short notation', () => {
  const schema = {
    type: 'object',
    required: ['list'],
    properties: { list: { type: 'array', items: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] } }, more: { anyOf: [{ const: 1 }, { type: 'null' }] } },
  }
  expect(notation(schema)).toEqual(['{ list: [{ id: string }], more?: 1 | null }'])
})
