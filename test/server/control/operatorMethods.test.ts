/** Schemas of operator methods: documented, closed, and compared with every result in tests. */
import * as z from 'zod'
import { describe, expect, it } from 'vitest'
import { assertReadable } from '../../../src/cli/client/otherVersion.js'
import { describedOperatorMethods, operatorEntries, operatorEntry } from '../../../src/cli/help/api/operatorEntries.js'
import { schemaOf } from '../../../src/server/api/reference/jsonSchema.js'
import { members } from '../../../src/server/api/reference/shape.js'
import { methods } from '../../../src/server/api/methods.js'
import { productVersion } from '../../../src/server/base/version.js'
import { assertDeclared } from '../../support/nodes/operatorMethods.js'

describe('operator methods', () => {
  it('have unique ids', () => {
    const ids = [...new Set(methods.map(({ id }) => id)), ...describedOperatorMethods.map(({ id }) => id)]
    expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([])
  })

  it.each(describedOperatorMethods.map((method) => [method.id, method] as const))('%s describes each parameter and member of its result', (id, { summary, input, output }) => {
    expect(summary).toMatch(/^[A-Z].*\.$/)
    for (const schema of [schemaOf(input, 'input'), schemaOf(output(), 'output')]) {
      expect(members(schema).filter(({ description }) => description === '').map(({ path }) => path)).toEqual([])
    }
    expect(operatorEntry(id)?.[0]).toEqual({ heading: id, sub: true })
  })

  it('refuse undeclared parameters', () => {
    const open = describedOperatorMethods.filter(({ input }) => input.safeParse({ undeclared: true }).error?.issues.every(({ code }) => code !== 'unrecognized_keys') ?? true)
    // These two validate parameters themselves, with other error ids.
    expect(open.map(({ id }) => id)).toEqual(['mail.test', 'users.create'])
  })

  it('are all in the manual', () => {
    const headings = operatorEntries().flatMap((block) => ('heading' in block ? [block.heading] : []))
    expect(headings.slice(1)).toEqual(describedOperatorMethods.map(({ id }) => id))
  })
})

describe('check of results', () => {
  const method = { id: 'test.method', output: () => z.object({ list: z.array(z.object({ id: z.string(), note: z.string().optional() })) }) }

  it('accepts declared members', () => {
    expect(() => assertDeclared(method, { list: [{ id: 'a' }, { id: 'b', note: 'c' }] })).not.toThrow()
  })

  it.each([
    [{ list: [{ id: 'a', extra: 1 }] }, 'does not declare: /list/0/extra'],
    [{ list: [], more: [] }, 'does not declare: /more'],
    [{ list: [{}] }, 'differs from its schema'],
    [{}, 'differs from its schema'],
  ])('fails for %j', (result, message) => {
    expect(() => assertDeclared(method, result)).toThrow(message)
  })
})

describe('results of a node of another version', () => {
  const invitation = { id: 'a', createdAt: 1, createdBy: 'admin', description: '' }

  it('are accepted if they have all members, even with additional ones', async () => {
    await assertReadable('invitations.list', { invitations: [{ ...invitation, newer: true }], required: true }, '99.0.0')
    await assertReadable('events.get', {}, '99.0.0')
  })

  it('are refused without a member that commands read', async () => {
    const result = { invitations: [{ ...invitation, createdAt: undefined }], required: true }
    await expect(assertReadable('invitations.list', result, '99.0.0')).rejects.toMatchObject({
      message: 'The node answered invitations.list without a valid "invitations.0.createdAt".',
      hint: expect.stringContaining('coffer 99.0.0') as string,
    })
    await expect(assertReadable('invitations.list', result, undefined)).rejects.toThrow('without a valid')
    await assertReadable('invitations.list', result, productVersion())
  })
})
