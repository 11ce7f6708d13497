/**
 * Behaviour of accesses.create for the owner of an account: docs/interface/accesses.md#fields,
 * docs/interface/accesses.md#creation.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { accessIntegrity } from '../../../../src/store/model/integrity.js'
import type { Access } from '../../../../src/store/model/access.js'
import { registerUser, request, startTestNode, type TestNode } from '../../../support/nodes/node.js'
import { callThrough, describeMethod, allTransports, type Stage } from '../../../support/http/methodTable.js'
import { watch, announced, announcedAll } from '../../../support/http/announcedChanges.js'

type CreateResult = { access: Access & { token: string; apiEndpoint: string } }
const accessOf = (result: Record<string, unknown>): CreateResult['access'] => (result as CreateResult).access

const shared = { name: 'Doctor', permissions: [{ streamId: 'heart', level: 'read' }] }
const app = { ...shared, type: 'app', name: 'heart-watch' }
const withStreams = (send: unknown) => async (s: Stage) => {
  await s.arrange('streams.create', { id: 'heart', name: 'Heart' })
  return send
}
const streamsOf = async (s: Stage): Promise<Record<string, unknown>[]> => {
  const { streams } = await s.arrange('streams.get', { state: 'all' })
  return (streams as Record<string, unknown>[]).filter(({ id }) => !String(id).startsWith(':'))
}
const refusedField = (field: string) => ({
  it: `refuses ${field}, and names it in the message`,
  send: { ...shared, [field]: 4 },
  gives: [400, 'invalid-parameters-format'] as [number, 'invalid-parameters-format'],
  then: (body: Record<string, unknown>) => {
    expect((body['error'] as { message: string }).message).toContain(field)
  },
})

describeMethod('accesses.create', [
  {
    it: 'creates a shared access, and returns it with token, API endpoint and integrity',
    given: async (s) => {
      await withStreams(0)(s)
      await watch(s)
      return shared
    },
    gives: 201,
    then: (result, s) => {
      const access = accessOf(result)
      const { id, token, created, createdBy } = access
      expect(access).toEqual({
        id: expect.stringMatching(/^[a-z][a-z0-9]{23}$/) as string,
        token: expect.stringMatching(/^[a-z][a-z0-9]{23}$/) as string,
        apiEndpoint: `${s.node.url.replace('://', `://${token}@`)}${s.username}/`,
        type: 'shared',
        name: 'Doctor',
        deviceName: null,
        permissions: [{ streamId: 'heart', level: 'read' }],
        created: expect.any(Number) as number,
        createdBy: expect.stringMatching(/^[a-z0-9]{24}$/) as string,
        modified: created,
        modifiedBy: createdBy,
        integrity: expect.stringMatching(/^ACCESS:0:sha256-/) as string,
      })
      expect(accessIntegrity(access, 'sha256')).toBe(access.integrity)
      expect(announcedAll(s)).toEqual([`access create ${id}`])
    },
  },
  {
    it: 'stores the fields of an app access, and overwrites read-only ones',
    send: {
      ...app,
      deviceName: 'phone',
      token: 'My Tökén!',
      expireAfter: 60,
      clientData: {},
      alias: 'r-22222222',
      apiEndpoint: 'x',
      lastUsed: 5,
      integrity: 'x',
      created: 1,
      createdBy: 'me',
      modified: 1,
      modifiedBy: 'me',
    },
    gives: 201,
    then: (result) => {
      const access = accessOf(result)
      expect(access).toMatchObject({ type: 'app', name: 'heart-watch', deviceName: 'phone', token: 'My-Token', clientData: {} })
      expect(access.created).toBeGreaterThan(1)
      expect(access.expires).toBeCloseTo(access.created + 60)
      for (const absent of ['alias', 'lastUsed', 'calls', 'deleted']) expect(access).not.toHaveProperty(absent)
      expect(access.createdBy).not.toBe('me')
    },
  },
  {
    it: 'stores nested client data',
    send: { ...shared, clientData: { 'app:a': { b: [1, null, 'x'] } } },
    gives: 201,
    result: { access: { clientData: { 'app:a': { b: [1, null, 'x'] } } } },
  },
  {
    it: 'omits client data keys with null',
    send: { ...shared, clientData: { b: 1, a: null } },
    gives: 201,
    then: (result) => expect((result['access'] as Access).clientData).toEqual({ b: 1 }),
  },
  { it: 'refuses null as client data', send: { ...shared, clientData: null }, gives: [400, 'invalid-parameters-format'] },
  { it: 'refuses the reserved client data key', send: { ...shared, clientData: { dpop: 1 } }, gives: [403, 'forbidden'] },
  {
    it: 'creates an access that is already expired',
    send: { ...shared, expireAfter: 0 },
    gives: 201,
    then: (result) => expect(accessOf(result).expires).toBe(accessOf(result).created),
  },
  {
    it: 'refuses a negative lifetime',
    send: { ...shared, expireAfter: -1 },
    gives: [400, 'invalid-parameters-format'],
    then: (body) => {
      expect((body['error'] as { message: string }).message).toBe('expireAfter cannot be negative.')
    },
  },
  refusedField('id'),
  refusedField('deleted'),
  refusedField('expires'),
  refusedField('surprise'),
  { it: 'refuses a personal access', send: { ...shared, type: 'personal' }, gives: [403, 'forbidden'] },
  { it: 'refuses an unknown type', send: { ...shared, type: 'other' }, gives: [400, 'invalid-parameters-format'] },
  { it: 'refuses an empty name', send: { ...shared, name: '' }, gives: [400, 'invalid-parameters-format'] },
  { it: 'requires permissions', send: { name: 'x' }, gives: [400, 'invalid-parameters-format'] },
  {
    it: 'refuses an unknown level',
    send: { ...shared, permissions: [{ streamId: 'heart', level: 'own' }] },
    gives: [400, 'invalid-parameters-format'],
  },
  {
    it: 'refuses an unknown field of a permission',
    send: { ...shared, permissions: [{ streamId: 'heart', level: 'read', more: 1 }] },
    gives: [400, 'invalid-parameters-format'],
  },
  {
    it: 'refuses an unknown feature',
    send: { ...shared, permissions: [{ feature: 'selfRevok', setting: 'forbidden' }] },
    gives: [400, 'invalid-parameters-format'],
  },
  {
    it: 'refuses an unknown setting of a feature',
    send: { ...shared, permissions: [{ feature: 'selfRevoke', setting: 'perhaps' }] },
    gives: [400, 'invalid-parameters-format'],
  },
  {
    it: 'refuses streams in a feature without streams',
    send: { ...shared, permissions: [{ feature: 'selfRevoke', setting: 'forbidden', streams: ['a'] }] },
    gives: [400, 'invalid-parameters-format'],
  },
  ...(['none', 'create-only'] as const).map((level) => ({
    it: `refuses the level ${level} for a tag`,
    send: { ...shared, permissions: [{ tag: 'work', level }] },
    gives: [400, 'invalid-parameters-format'] as [number, 'invalid-parameters-format'],
  })),
  {
    it: 'accepts every kind of permission, and null as *',
    send: {
      ...shared,
      permissions: [
        { streamId: null, level: 'read', defaultName: 'All', name: 'All' },
        { streamId: 'a', level: 'none' },
        { streamId: 'b', level: 'create-only' },
        { tag: 'work', level: 'manage' },
        { tag: '*', level: 'read' },
        { feature: 'selfRevoke', setting: 'forbidden' },
        { feature: 'selfAudit', setting: 'allowed' },
        { feature: 'forcedStreams', setting: 'allowed', streams: ['a'] },
      ],
    },
    gives: 201,
    result: {
      access: {
        permissions: [
          { streamId: '*', level: 'read' },
          { streamId: 'a', level: 'none' },
          { streamId: 'b', level: 'create-only' },
          { tag: 'work', level: 'manage' },
          { tag: '*', level: 'read' },
          { feature: 'selfRevoke', setting: 'forbidden' },
          { feature: 'selfAudit', setting: 'allowed' },
          { feature: 'forcedStreams', setting: 'allowed', streams: ['a'] },
        ],
      },
    },
    then: async (_, s) => expect(await streamsOf(s)).toEqual([]),
  },
  { it: 'refuses a device for a shared access', send: { ...shared, deviceName: 'x' }, gives: [400, 'invalid-parameters-format'] },
  { it: 'accepts null as the device of a shared access', send: { ...shared, deviceName: null }, gives: 201 },
  {
    it: 'refuses a token that is already in use',
    given: async (s) => {
      await s.arrange('accesses.create', { ...shared, token: 'one' })
      return { ...shared, name: 'Other', token: 'one' }
    },
    gives: [409, 'item-already-exists'],
    data: { token: '(hidden)' },
  },
  {
    it: 'allows the same token in different accounts',
    given: async (s) => {
      const other = await registerUser(s.node, `${s.username}-other`)
      const body = { ...shared, token: `same-${s.username}` }
      const { status } = await request(`${s.node.url}${s.username}-other/accesses`, { token: other, body })
      expect(status).toBe(201)
      return body
    },
    gives: 201,
    then: async (result, s) => {
      const { token } = accessOf(result)
      for (const name of [s.username, `${s.username}-other`]) {
        const { body } = await request(`${s.node.url}${name}/access-info`, { token })
        expect(body).toMatchObject({ token, user: { username: name } })
      }
    },
  },
  ...['null', '*', 'undefined', ' null ', '__proto__', 'constructor', 'toString', 'prototype'].map((token) => ({
    it: `refuses the reserved token ${JSON.stringify(token)}`,
    send: { ...shared, token },
    gives: [400, 'invalid-item-id'] as [number, 'invalid-item-id'],
  })),
  { it: 'refuses an empty token', send: { ...shared, token: '' }, gives: [400, 'invalid-parameters-format'] },
  {
    it: 'refuses the name of another shared access',
    given: async (s) => {
      await s.arrange('accesses.create', shared)
      return shared
    },
    gives: [409, 'item-already-exists'],
    data: { type: 'shared', name: 'Doctor', deviceName: null },
  },
  {
    it: 'replaces an expired access of the same name',
    given: async (s) => {
      await s.arrange('accesses.create', { ...shared, token: 'the-token', expireAfter: 0 })
      return { ...shared, token: 'the-token' }
    },
    gives: 201,
    result: { access: { name: 'Doctor', token: 'the-token' } },
    then: async (result, s) => {
      const { id } = accessOf(result)
      const { accesses, accessDeletions } = await s.arrange('accesses.get', { includeExpired: true, includeDeletions: true })
      const named = (list: unknown): string[] => (list as { id: string; name: string }[]).filter(({ name }) => name === 'Doctor').map((each) => each.id)
      expect(named(accesses)).toEqual([id])
      expect(named(accessDeletions)).toEqual([expect.not.stringContaining(id)])
      expect((await request(`${s.node.url}${s.username}/access-info`, { token: 'the-token' })).body).toMatchObject({ id })
    },
  },
  {
    it: 'replaces the expired access of an app only on the same device',
    given: async (s) => {
      for (const deviceName of ['phone', 'watch']) await s.arrange('accesses.create', { ...app, deviceName, expireAfter: 0 })
      return { ...app, deviceName: 'phone' }
    },
    gives: 201,
    then: async (_, s) => {
      const { accesses } = await s.arrange('accesses.get', { includeExpired: true })
      expect((accesses as { deviceName?: string }[]).flatMap(({ deviceName }) => deviceName ?? []).sort()).toEqual(['phone', 'watch'])
    },
  },
  {
    it: 'replaces no expired access that the app did not create',
    as: [{ streamId: 'diary', level: 'manage' }],
    given: async (s) => {
      await s.arrange('accesses.create', { ...shared, expireAfter: 0 })
      return { ...shared, permissions: [{ streamId: 'diary', level: 'read' }] }
    },
    gives: [409, 'item-already-exists'],
  },
  {
    it: 'refuses the name of another app access on the same device',
    given: async (s) => {
      await s.arrange('accesses.create', { ...app, deviceName: 'phone' })
      return { ...app, deviceName: 'phone' }
    },
    gives: [409, 'item-already-exists'],
    data: { type: 'app', name: 'heart-watch', deviceName: 'phone' },
  },
  {
    it: 'accepts the name of an access on another device or of another type',
    given: async (s) => {
      await s.arrange('accesses.create', { ...app, deviceName: 'phone' })
      await s.arrange('accesses.create', { ...app, type: 'shared' })
      await s.arrange('accesses.create', app)
      return { ...app, deviceName: 'watch' }
    },
    gives: 201,
  },
  {
    it: 'accepts names with any characters, and distinguishes them',
    only: allTransports,
    given: async (s) => {
      await s.arrange('accesses.create', { ...shared, name: 'a/b', type: 'app', deviceName: 'c' })
      return { ...shared, name: 'a', type: 'app', deviceName: 'b/c' }
    },
    gives: 201,
  },
  {
    it: 'accepts the name of a deleted access',
    given: async (s) => {
      const { id } = accessOf(await s.arrange('accesses.create', shared))
      await s.arrange('accesses.delete', { id })
      return shared
    },
    gives: 201,
  },
  {
    it: 'creates missing streams and restores trashed ones',
    given: async (s) => {
      await s.arrange('streams.create', { id: 'heart', name: 'Heart', trashed: true })
      await s.arrange('streams.create', { id: 'diary', name: 'Journal' })
      await watch(s)
      const permissions = [
        { streamId: 'heart', level: 'read', defaultName: 'Other' },
        { streamId: 'diary', level: 'contribute', defaultName: 'Diary', name: 'x' },
        { streamId: 'new-one', level: 'manage', defaultName: 'New' },
        { streamId: 'new-one', level: 'read', defaultName: 'New' },
        { streamId: 'elsewhere', level: 'read' },
        { streamId: '*', level: 'read', defaultName: 'All' },
      ]
      return { ...app, permissions }
    },
    gives: 201,
    then: async (result, s) => {
      expect(accessOf(result).permissions).toEqual([
        { streamId: 'heart', level: 'read' },
        { streamId: 'diary', level: 'contribute' },
        { streamId: 'new-one', level: 'manage' },
        { streamId: 'new-one', level: 'read' },
        { streamId: 'elsewhere', level: 'read' },
        { streamId: '*', level: 'read' },
      ])
      const { createdBy } = accessOf(result)
      const streams = await streamsOf(s)
      expect(streams.map(({ id, name, trashed }) => [id, name, trashed])).toEqual([
        ['heart', 'Heart', undefined],
        ['diary', 'Journal', undefined],
        ['new-one', 'New', undefined],
      ])
      expect(streams[2]).toMatchObject({ parentId: null, createdBy })
      expect(announced(s)).toEqual(['stream update heart', 'stream create new-one'])
    },
  },
  {
    it: 'does not restore a trashed stream if the permission has no default name',
    given: async (s) => {
      await s.arrange('streams.create', { id: 'heart', name: 'Heart', trashed: true })
      return app
    },
    gives: 201,
    then: async (_, s) => expect(await streamsOf(s)).toMatchObject([{ id: 'heart', trashed: true }]),
  },
  {
    it: 'refuses a new stream with the name of another, and creates nothing',
    given: async (s) => {
      await s.arrange('streams.create', { id: 'heart', name: 'Heart' })
      const permissions = [
        { streamId: 'first', level: 'read', defaultName: 'First' },
        { streamId: 'new', level: 'read', defaultName: 'Heart' },
      ]
      return { ...app, permissions }
    },
    gives: [409, 'item-already-exists'],
    data: { name: 'Heart' },
    then: async (_, s) => expect((await streamsOf(s)).map(({ id }) => id)).toEqual(['heart']),
  },
  {
    it: 'refuses two new streams with the same name',
    send: {
      ...app,
      permissions: [
        { streamId: 'a', level: 'read', defaultName: 'Same' },
        { streamId: 'b', level: 'read', defaultName: 'Same' },
      ],
    },
    gives: [409, 'item-already-exists'],
    data: { name: 'Same' },
  },
  ...['', ' ', '!'].map((defaultName) => ({
    it: `refuses ${JSON.stringify(defaultName)} as the name of a stream`,
    send: { ...app, permissions: [{ streamId: 'a', level: 'read', defaultName }] },
    gives: [400, 'invalid-parameters-format'] as [number, 'invalid-parameters-format'],
  })),
  {
    it: 'accepts stream names in any script',
    send: { ...app, permissions: [{ streamId: 'a', level: 'read', defaultName: '日記' }] },
    gives: 201,
  },
  ...['Caps', 'a_b', 'a b', 'x'.repeat(101), ':_cmc:x', 'ok!'].map((streamId) => ({
    it: `refuses to create a stream with id ${streamId.slice(0, 10)}`,
    send: { ...app, permissions: [{ streamId, level: 'read', defaultName: 'Name' }] },
    gives: [400, 'invalid-request-structure'] as [number, 'invalid-request-structure'],
  })),
  {
    it: 'refuses to create a stream with a reserved id',
    send: { ...app, permissions: [{ streamId: 'null', level: 'read', defaultName: 'Name' }] },
    gives: [400, 'invalid-item-id'],
  },
  ...['"', "'", '\\', '\0', '\b', '\t', '\n', '\r', '\u001a'].map((character) => ({
    it: `refuses the character ${JSON.stringify(character)} in a stream id`,
    send: { ...app, permissions: [{ streamId: `a${character}`, level: 'read' }] },
    gives: [400, 'invalid-request-structure'] as [number, 'invalid-request-structure'],
  })),
  {
    it: 'accepts streams of other stores',
    send: { ...app, permissions: [{ streamId: ':other:x', level: 'read' }] },
    gives: 201,
  },
  {
    it: 'refuses to create streams in other stores',
    send: { ...app, permissions: [{ streamId: ':other:x', level: 'read', defaultName: 'X' }] },
    gives: [501, 'api-unavailable'],
    then: (body) => {
      expect((body['error'] as { message: string }).message).toBe('streams.create')
    },
  },
  ...(['read', 'create-only', 'contribute'] as const).map((level) => ({
    it: `grants ${level} on visible account streams`,
    send: {
      ...app,
      permissions: [
        { streamId: ':_system:account', level, defaultName: 'x' },
        { streamId: ':system:email', level },
      ],
    },
    gives: 201,
  })),
  ...[':_system:account', ':system:email', ':_system:storageUsed'].map((streamId) => ({
    it: `refuses manage on ${streamId}`,
    send: { ...app, permissions: [{ streamId, level: 'manage' }] },
    gives: [400, 'invalid-operation'] as [number, 'invalid-operation'],
    data: { param: streamId },
  })),
  {
    it: 'refuses a hidden account stream',
    send: { ...app, permissions: [{ streamId: ':_system:appId', level: 'read' }] },
    gives: [400, 'invalid-operation'],
    data: { param: ':_system:appId' },
  },
  ...[':_system:nothing', ':system:nothing'].map((streamId) => ({
    it: `refuses the unknown account stream ${streamId}`,
    send: { ...app, permissions: [{ streamId, level: 'read' }] },
    gives: [403, 'forbidden'] as [number, 'forbidden'],
  })),
])

describe('accesses.create', () => {
  let node: TestNode
  let owner: string
  beforeAll(async () => {
    node = await startTestNode()
    owner = await registerUser(node, 'alice')
  })
  afterAll(() => node.stop())

  it('accepts one of several concurrent calls with the same name or token', async () => {
    const ask = (body: object): Promise<{ status: number }> =>
      request(`${node.url}alice/accesses`, { token: owner, body: { permissions: [], ...body } })
    const sameName = await Promise.all(Array.from({ length: 8 }, () => ask({ name: 'one' })))
    const sameToken = await Promise.all(Array.from({ length: 8 }, (_, n) => ask({ name: `n${n}`, token: 'one' })))
    for (const answers of [sameName, sameToken]) {
      expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array.from({ length: 7 }, () => 409)])
    }
  })

  it('adds the caller id to tracking fields', async () => {
    const stage = { node, username: 'alice' }
    const { body } = await callThrough('http', stage, `${owner} me and you`, 'accesses.create', {
      name: 'tracked',
      permissions: [],
    })
    expect(accessOf(body).createdBy).toMatch(/^[a-z0-9]{24} me and you$/)
  })

  it('omits the integrity if it is disabled', async () => {
    const plain = await startTestNode({ 'integrity.isActive.accesses': false })
    try {
      const token = await registerUser(plain, 'alice')
      const { body } = await request(`${plain.url}alice/accesses`, { token, body: { name: 'x', permissions: [] } })
      expect(accessOf(body)).not.toHaveProperty('integrity')
    } finally {
      await plain.stop()
    }
  })
})
