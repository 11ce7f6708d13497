/**
 * Behaviour of accesses.create for the owner of an account: docs/interface/accesses.md#fields,
 * docs/interface/accesses.md#creation.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { accessIntegrity } from '../../../../src/store/model/integrity.js'
import type { Access } from '../../../../src/store/model/access.js'
import { registerUser, request, startTestNode, type TestNode } from '../../../support/nodes/node.js'
import { callThrough, describeMethod, everyDoor, type Stage } from '../../../support/http/methodTable.js'
import { watch, announced, announcedAll } from '../../../support/http/announcedChanges.js'

type Made = { access: Access & { token: string; apiEndpoint: string } }
const accessOf = (result: Record<string, unknown>): Made['access'] => (result as Made).access

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
  it: `refuses ${field}, naming it`,
  send: { ...shared, [field]: 4 },
  gives: [400, 'invalid-parameters-format'] as [number, 'invalid-parameters-format'],
  then: (body: Record<string, unknown>) => {
    expect((body['error'] as { message: string }).message).toContain(field)
  },
})

describeMethod('accesses.create', [
  {
    it: 'shares, and answers the access with token, address and integrity',
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
    it: 'keeps what an app is given, and overwrites what is read-only',
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
    it: 'keeps complex client data',
    send: { ...shared, clientData: { 'app:a': { b: [1, null, 'x'] } } },
    gives: 201,
    result: { access: { clientData: { 'app:a': { b: [1, null, 'x'] } } } },
  },
  {
    it: 'leaves out keys of client data that are null',
    send: { ...shared, clientData: { b: 1, a: null } },
    gives: 201,
    then: (result) => expect((result['access'] as Access).clientData).toEqual({ b: 1 }),
  },
  { it: 'refuses null as client data', send: { ...shared, clientData: null }, gives: [400, 'invalid-parameters-format'] },
  { it: 'refuses the reserved key of client data', send: { ...shared, clientData: { dpop: 1 } }, gives: [403, 'forbidden'] },
  {
    it: 'makes an access that has expired already',
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
  { it: 'refuses to be without permissions', send: { name: 'x' }, gives: [400, 'invalid-parameters-format'] },
  {
    it: 'refuses an unknown level',
    send: { ...shared, permissions: [{ streamId: 'heart', level: 'own' }] },
    gives: [400, 'invalid-parameters-format'],
  },
  {
    it: 'refuses an unknown member of a permission',
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
    it: 'refuses streams of a feature that has none',
    send: { ...shared, permissions: [{ feature: 'selfRevoke', setting: 'forbidden', streams: ['a'] }] },
    gives: [400, 'invalid-parameters-format'],
  },
  ...(['none', 'create-only'] as const).map((level) => ({
    it: `refuses the level ${level} for a tag`,
    send: { ...shared, permissions: [{ tag: 'work', level }] },
    gives: [400, 'invalid-parameters-format'] as [number, 'invalid-parameters-format'],
  })),
  {
    it: 'takes every kind of permission, and * as null',
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
  { it: 'takes null as the device of a shared access', send: { ...shared, deviceName: null }, gives: 201 },
  {
    it: 'refuses a token that is taken',
    given: async (s) => {
      await s.arrange('accesses.create', { ...shared, token: 'one' })
      return { ...shared, name: 'Other', token: 'one' }
    },
    gives: [409, 'item-already-exists'],
    data: { token: '(hidden)' },
  },
  {
    it: 'lets accounts have the same token, each for itself',
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
    it: 'refuses a name that a shared access has',
    given: async (s) => {
      await s.arrange('accesses.create', shared)
      return shared
    },
    gives: [409, 'item-already-exists'],
    data: { type: 'shared', name: 'Doctor', deviceName: null },
  },
  {
    it: 'replaces the expired access of its name',
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
    it: 'replaces the expired access of an app on its device alone',
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
    it: 'replaces no expired access that the app did not make',
    as: [{ streamId: 'diary', level: 'manage' }],
    given: async (s) => {
      await s.arrange('accesses.create', { ...shared, expireAfter: 0 })
      return { ...shared, permissions: [{ streamId: 'diary', level: 'read' }] }
    },
    gives: [409, 'item-already-exists'],
  },
  {
    it: 'refuses a name that an app has on the same device',
    given: async (s) => {
      await s.arrange('accesses.create', { ...app, deviceName: 'phone' })
      return { ...app, deviceName: 'phone' }
    },
    gives: [409, 'item-already-exists'],
    data: { type: 'app', name: 'heart-watch', deviceName: 'phone' },
  },
  {
    it: 'takes a name that an app has on another device, and one that another type has',
    given: async (s) => {
      await s.arrange('accesses.create', { ...app, deviceName: 'phone' })
      await s.arrange('accesses.create', { ...app, type: 'shared' })
      await s.arrange('accesses.create', app)
      return { ...app, deviceName: 'watch' }
    },
    gives: 201,
  },
  {
    it: 'takes a name of any characters, and tells such names apart',
    only: everyDoor,
    given: async (s) => {
      await s.arrange('accesses.create', { ...shared, name: 'a/b', type: 'app', deviceName: 'c' })
      return { ...shared, name: 'a', type: 'app', deviceName: 'b/c' }
    },
    gives: 201,
  },
  {
    it: 'takes the name of a deleted access',
    given: async (s) => {
      const { id } = accessOf(await s.arrange('accesses.create', shared))
      await s.arrange('accesses.delete', { id })
      return shared
    },
    gives: 201,
  },
  {
    it: 'makes missing streams and restores trashed ones',
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
      const made = await streamsOf(s)
      expect(made.map(({ id, name, trashed }) => [id, name, trashed])).toEqual([
        ['heart', 'Heart', undefined],
        ['diary', 'Journal', undefined],
        ['new-one', 'New', undefined],
      ])
      expect(made[2]).toMatchObject({ parentId: null, createdBy })
      expect(announced(s)).toEqual(['stream update heart', 'stream create new-one'])
    },
  },
  {
    it: 'leaves a trashed stream without a name to make it in the trash',
    given: async (s) => {
      await s.arrange('streams.create', { id: 'heart', name: 'Heart', trashed: true })
      return app
    },
    gives: 201,
    then: async (_, s) => expect(await streamsOf(s)).toMatchObject([{ id: 'heart', trashed: true }]),
  },
  {
    it: 'refuses a new stream of a name that is taken, and then makes nothing',
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
    it: 'refuses two new streams of one name',
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
    it: 'takes names of streams in any script',
    send: { ...app, permissions: [{ streamId: 'a', level: 'read', defaultName: '日記' }] },
    gives: 201,
  },
  ...['Caps', 'a_b', 'a b', 'x'.repeat(101), ':_cmc:x', 'ok!'].map((streamId) => ({
    it: `refuses to make a stream ${streamId.slice(0, 10)}`,
    send: { ...app, permissions: [{ streamId, level: 'read', defaultName: 'Name' }] },
    gives: [400, 'invalid-request-structure'] as [number, 'invalid-request-structure'],
  })),
  {
    it: 'refuses to make a stream of a reserved id',
    send: { ...app, permissions: [{ streamId: 'null', level: 'read', defaultName: 'Name' }] },
    gives: [400, 'invalid-item-id'],
  },
  ...['"', "'", '\\', '\0', '\b', '\t', '\n', '\r', '\u001a'].map((character) => ({
    it: `refuses the character ${JSON.stringify(character)} in a stream id`,
    send: { ...app, permissions: [{ streamId: `a${character}`, level: 'read' }] },
    gives: [400, 'invalid-request-structure'] as [number, 'invalid-request-structure'],
  })),
  {
    it: 'takes streams of other stores, and makes none there',
    send: { ...app, permissions: [{ streamId: ':other:x', level: 'read' }] },
    gives: 201,
  },
  {
    it: 'refuses to make streams of other stores',
    send: { ...app, permissions: [{ streamId: ':other:x', level: 'read', defaultName: 'X' }] },
    gives: [501, 'api-unavailable'],
    then: (body) => {
      expect((body['error'] as { message: string }).message).toBe('streams.create')
    },
  },
  ...(['read', 'create-only', 'contribute'] as const).map((level) => ({
    it: `gives ${level} on account streams that are shown`,
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
    it: 'refuses an account stream that is not shown',
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

  it('gives one name and one token to one of many that ask at once', async () => {
    const ask = (body: object): Promise<{ status: number }> =>
      request(`${node.url}alice/accesses`, { token: owner, body: { permissions: [], ...body } })
    const sameName = await Promise.all(Array.from({ length: 8 }, () => ask({ name: 'one' })))
    const sameToken = await Promise.all(Array.from({ length: 8 }, (_, n) => ask({ name: `n${n}`, token: 'one' })))
    for (const answers of [sameName, sameToken]) {
      expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array.from({ length: 7 }, () => 409)])
    }
  })

  it('tells in tracking fields who called, with the caller id', async () => {
    const stage = { node, username: 'alice' }
    const { body } = await callThrough('http', stage, `${owner} me and you`, 'accesses.create', {
      name: 'tracked',
      permissions: [],
    })
    expect(accessOf(body).createdBy).toMatch(/^[a-z0-9]{24} me and you$/)
  })

  it('has no integrity where that is switched off', async () => {
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
