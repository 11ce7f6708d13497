/** Tests of the entries of API methods in help and manual pages: complete, with valid examples. */
import { describe, expect, it } from 'vitest'
import { methodEntry, servedMethods, unservedTerms } from '../../../src/cli/help/api/entries.js'
import { parametersOf } from '../../../src/server/api/reference/reference.js'
import { members, notation } from '../../../src/server/api/reference/shape.js'
import { methods } from '../../../src/server/api/methods.js'
import { coffer } from '../support/testTerminal.js'

const ids = [...new Set(servedMethods.map(({ id }) => id))]

describe('the entries of methods', () => {
  it('exist for every method, or it is listed as unserved', () => {
    const listed = [...ids, ...unservedTerms().map(([id]) => id)].sort()
    expect(listed).toEqual([...new Set(methods.map(({ id }) => id))].sort())
    for (const id of ids) expect(methodEntry(id)?.[0], id).toEqual({ heading: id, sub: true })
  })

  it('describe every parameter, and contain an example', () => {
    const missing = servedMethods.flatMap((each) =>
      parametersOf(each).filter(({ description }) => description === '').map(({ path }) => `${each.id} ${path}`),
    )
    expect(missing).toEqual([])
    for (const id of ids) {
      const blocks = methodEntry(id) ?? []
      const at = blocks.findIndex((block) => 'text' in block && block.text === 'For example:')
      const shown = blocks[at + 1]
      expect(shown !== undefined && 'code' in shown ? shown.code[0] : undefined, id).toMatch(/^(coffer api|curl) /)
    }
  })

  it('state callers, members that only the node sets, and errors of other protocols', () => {
    const textOf = (id: string): string => JSON.stringify(methodEntry(id))
    for (const id of ['reg.setRecords', 'reg.deleteRecords', 'system.users']) expect(textOf(id)).toContain('Caller: The operator; over HTTP with the admin key')
    expect(textOf('streams.update')).toMatch(/update\.created, .*: Set by the node; rejected, or ignored if the setting/)
    expect(textOf('streams.create')).toMatch(/created, .*: Set by the node; a given value is ignored\./)
    expect(textOf('auth.ssoStart')).not.toContain('OAuth')
    expect(textOf('oauth.token')).toContain('errors are those of OAuth 2.0')
  })

  it('are shown by help', async () => {
    const { code, out } = await coffer('help events.get')
    expect(code).toBe(0)
    for (const text of ['GET /{username}/events', 'limit', 'A whole number, 0 to 100000', 'too-many-results (413)', 'coffer api events.get']) {
      expect(out).toContain(text)
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
  [{ enum: ['a', 'b', 'c'] }, 'one of a, b, c'],
  [{ type: 'array', items: { type: 'string' }, minItems: 1 }, 'a list of texts, 1 or more'],
  [{}, 'any JSON'],
])('members describe %j as %s', (schema, form) => {
  expect(members({ properties: { it: schema } })).toMatchObject([{ path: 'it', form, isRequired: false }])
})

it('results are described in a short notation', () => {
  const schema = {
    type: 'object',
    required: ['list'],
    properties: { list: { type: 'array', items: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] } }, more: { anyOf: [{ const: 1 }, { type: 'null' }] } },
  }
  expect(notation(schema)).toEqual(['{ list: [{ id: string }], more?: 1 | null }'])
})
