/** Behaviour of the profile methods: docs/interface/profile.md#sets. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { grantAccess } from '../../../support/people/access.js'
import { expectSound } from '../../../support/store/check.js'
import { homes } from '../../../support/nodes/home.js'
import { registerUser, request, startTestNode, type TestNode } from '../../../support/nodes/node.js'
import { callThrough, describeMethod, allTransports, type Row, type Stage } from '../../../support/http/methodTable.js'
import { announced, watch } from '../../../support/http/announcedChanges.js'

const set = (s: Stage, id: 'Public' | 'Private', update: unknown): Promise<unknown> =>
  s.arrange(`profile.update${id}`, { update })

/** Rows of reading a set; `id` is its name in paths, `Id` in methods. */
const readRows = (id: 'public' | 'private', Id: 'Public' | 'Private'): Row[] => [
  { it: 'returns an empty set initially', gives: 200, result: { profile: {} } },
  {
    it: 'returns the values of an update',
    given: (s) => set(s, Id, { name: 'Ana', deep: { list: [1, null, { a: 'é' }] }, no: false }),
    gives: 200,
    then: (result) => {
      expect(result['profile']).toEqual({ name: 'Ana', deep: { list: [1, null, { a: 'é' }] }, no: false })
    },
  },
  {
    it: 'excludes values of the other set',
    given: (s) => set(s, id === 'public' ? 'Private' : 'Public', { other: 1 }),
    gives: 200,
    then: (result) => expect(result['profile']).toEqual({}),
  },
  { it: 'ignores unknown parameters', send: { nope: '1' }, gives: 200 },
]

/** Replaces the result of `given` by empty parameters: `set` returns the result of `arrange`. */
const withoutParams = (rows: Row[]): Row[] =>
  rows.map((row) => {
    const { given } = row
    return given === undefined ? row : { ...row, given: async (s: Stage) => (await given(s), {}) }
  })

describeMethod('profile.getPublic', [
  ...withoutParams(readRows('public', 'Public')),
  {
    it: 'allows any access, even one without permissions',
    given: async (s) => (await set(s, 'Public', { name: 'Ana' }), {}),
    as: [],
    gives: 200,
    result: { profile: { name: 'Ana' } },
  },
])

describeMethod('profile.getPrivate', [
  ...withoutParams(readRows('private', 'Private')),
  { it: 'refuses accesses of apps', as: [{ streamId: '*', level: 'manage' }], gives: [403, 'forbidden'] },
])

const updateRows = (id: 'public' | 'private', Id: 'Public' | 'Private'): Row[] => [
  {
    it: 'creates a missing set',
    given: async (s) => (await watch(s), { update: { name: 'Ana' } }),
    gives: 200,
    then: async (result, s) => {
      expect(result['profile']).toEqual({ name: 'Ana' })
      expect(announced(s)).toEqual([`profile create ${id}`])
      expect(await s.arrange(`profile.get${Id}`, {})).toMatchObject({ profile: { name: 'Ana' } })
    },
  },
  {
    it: 'adds, changes and removes keys, and leaves the others unchanged',
    given: async (s) => {
      await set(s, Id, { stays: { a: [1] }, changes: 1, goes: 'x' })
      await watch(s)
      return { update: { changes: { b: null }, goes: null, comes: 'y', never: null } }
    },
    gives: 200,
    then: async (result, s) => {
      const profile = { stays: { a: [1] }, changes: { b: null }, comes: 'y' }
      expect(result['profile']).toEqual(profile)
      expect((await s.arrange(`profile.get${Id}`, {}))['profile']).toEqual(profile)
      expect(announced(s)).toEqual([`profile update ${id}`])
    },
  },
  {
    it: 'creates an empty set from an empty update',
    send: { update: {} },
    gives: 200,
    then: (result) => expect(result['profile']).toEqual({}),
  },
  {
    it: 'accepts keys like __proto__, empty texts and lone surrogates',
    only: allTransports,
    given: () => ({ update: JSON.parse('{"__proto__":{"x":1},"constructor":2,"\\ud800":3,"":4,"\\u0000a\\n":5}') as unknown }),
    gives: 200,
    then: async (result, s) => {
      const keys = ['', '\0a\n', '__proto__', 'constructor', '\ud800']
      expect(Object.keys(result['profile'] as object).sort()).toEqual(keys)
      const stored = (await s.arrange(`profile.get${Id}`, {}))['profile'] as object
      expect(Object.keys(stored).sort()).toEqual(keys)
      expect(Object.getOwnPropertyDescriptor(stored, '__proto__')?.value).toEqual({ x: 1 })
    },
  },
  ...[[], [{ a: 1 }], 5, true, null].map(
    (body): Row => ({
      it: `refuses the body ${JSON.stringify(body)}`,
      only: allTransports,
      given: () => ({ update: body }),
      gives: [400, 'invalid-parameters-format'],
      then: async (_, s) => expect((await s.arrange(`profile.get${Id}`, {}))['profile']).toEqual({}),
    }),
  ),
  {
    it: 'refuses accesses of apps',
    as: [{ streamId: '*', level: 'manage' }],
    send: { update: { a: 1 } },
    gives: [403, 'forbidden'],
    then: async (_, s) => expect((await s.arrange(`profile.get${Id}`, {}))['profile']).toEqual({}),
  },
]

describeMethod('profile.updatePublic', [
  ...updateRows('public', 'Public'),
  { it: 'accepts any key', send: { update: { mfa: 1 } }, gives: 200, result: { profile: { mfa: 1 } } },
])

describeMethod('profile.updatePrivate', [
  ...updateRows('private', 'Private'),
  ...['mfa', 'mfaThrottle'].flatMap((key): Row[] =>
    [{ a: 1 }, null].map((value) => ({
      it: `refuses ${value === null ? 'to remove' : 'to set'} ${key}, and changes no other key`,
      given: async (s) => (await watch(s), { update: { beside: 1, [key]: value } }),
      gives: [400, 'invalid-operation'],
      data: { key },
      then: async (_, s) => {
        expect(announced(s)).toEqual([])
        expect((await s.arrange('profile.getPrivate', {}))['profile']).toEqual({})
      },
    })),
  ),
])

describeMethod('profile.getApp', [
  { it: 'returns an empty set initially', as: [], gives: 200, result: { profile: {} } },
  { it: 'refuses personal accesses', gives: [400, 'invalid-operation'] },
])

describeMethod('profile.updateApp', [
  {
    it: 'adds, changes and removes keys',
    as: [],
    send: { update: { a: 1, b: null } },
    gives: 200,
    then: (result) => expect(result['profile']).toEqual({ a: 1 }),
  },
  { it: 'accepts any key', as: [], send: { update: { mfa: 1 } }, gives: 200, result: { profile: { mfa: 1 } } },
  { it: 'refuses a body that is not an object', as: [], send: { update: [] }, gives: [400, 'invalid-parameters-format'] },
  { it: 'refuses personal accesses', send: { update: { a: 1 } }, gives: [400, 'invalid-operation'] },
])

describeMethod('profile.get', [
  {
    it: 'returns the set of the id',
    given: async (s) => (await set(s, 'Private', { name: 'Ana' }), { id: 'private' }),
    gives: 200,
    result: { profile: { name: 'Ana' } },
  },
  { it: 'refuses the private set for apps', as: [], send: { id: 'private' }, gives: [403, 'forbidden'] },
  { it: 'returns the set of the calling app', as: [], send: { id: 'app' }, gives: 200, result: { profile: {} } },
  ...['nope', 'Public', 'app:x', '__proto__'].map(
    (id): Row => ({ it: `fails for the unknown set ${id}`, send: { id }, gives: [404, 'unknown-resource'] }),
  ),
])

describeMethod('profile.update', [
  {
    it: 'updates the set of the id',
    send: { id: 'public', update: { name: 'Ana' } },
    gives: 200,
    then: async (_, s) => expect((await s.arrange('profile.getPublic', {}))['profile']).toEqual({ name: 'Ana' }),
  },
  { it: 'protects keys of the private set', send: { id: 'private', update: { mfa: 1 } }, gives: [400, 'invalid-operation'] },
  { it: 'refuses the public set for apps', as: [], send: { id: 'public', update: {} }, gives: [403, 'forbidden'] },
  { it: 'fails for an unknown set', send: { id: 'nope', update: {} }, gives: [404, 'unknown-resource'] },
])

describe('profile sets of apps', () => {
  const { home } = homes()
  let node: TestNode
  let stage: Pick<Stage, 'node' | 'username'>
  beforeAll(async () => {
    const places = await home()
    node = await startTestNode({}, { home: places.home })
    await registerUser(node, 'alice')
    stage = { node, username: 'alice' }
  })
  afterAll(async () => {
    await node.stop()
    // Checks also that each set equals the result of its changes.
    await expectSound(node.places)
  })

  let devices = 0
  const app = async (name: string, more = {}): Promise<string> => {
    const deviceName = `device ${++devices}`
    return (await grantAccess(node, 'alice', [], { name, deviceName, ...more })).token
  }
  const put = async (token: string, update: unknown): Promise<{ status: number; body: Record<string, unknown> }> =>
    callThrough('http', stage, token, 'profile.updateApp', { update })
  const read = async (token: string): Promise<unknown> =>
    (await callThrough('http', stage, token, 'profile.getApp', {})).body['profile']

  it('belong to the name of an access, regardless of the device', async () => {
    const phone = await app('diary', { deviceName: 'phone' })
    const laptop = await app('diary', { deviceName: 'laptop' })
    await put(phone, { theme: 'dark', size: 2 })
    expect((await put(laptop, { size: null, font: 'x' })).body['profile']).toEqual({ theme: 'dark', font: 'x' })
    expect(await read(phone)).toEqual({ theme: 'dark', font: 'x' })
    expect(await read(await app('diary2'))).toEqual({})
  })

  it.each(['a/b', 'a%002fb', 'A', 'a', ' a', 'é', '\ud800', '\udfff', 'x\ny', '\0', '*', '..', ''])(
    'are separate for the name %j',
    async (name) => {
      const token = await app(name)
      expect(await read(token)).toEqual({})
      expect((await put(token, { name })).status).toBe(200)
      expect((await put(token, { again: 1 })).body['profile']).toEqual({ name, again: 1 })
    },
  )

  it.each(['public', 'private'])('do not exist for the name %s', async (name) => {
    const token = await app(name)
    expect(await put(token, { a: 1 })).toMatchObject({ status: 400, body: { error: { id: 'invalid-operation' } } })
    const answer = await callThrough('http', stage, token, 'profile.getApp', {})
    expect(answer).toMatchObject({ status: 400, body: { error: { id: 'invalid-operation' } } })
  })

  it('are refused for shared accesses', async () => {
    const token = await app('shared one', { type: 'shared' })
    expect(await put(token, { a: 1 })).toMatchObject({ status: 400, body: { error: { id: 'invalid-operation' } } })
    const answer = await callThrough('http', stage, token, 'profile.getApp', {})
    expect(answer).toMatchObject({ status: 400, body: { error: { id: 'invalid-operation' } } })
  })

  it.each([
    ['GET', 'profile/nope'],
    ['PUT', 'profile/nope'],
    ['GET', 'profile/app/nope'],
    ['PUT', 'profile'],
    ['GET', 'profile'],
  ])('have no method for %s %s', async (method, path) => {
    const token = await app('diary')
    const body = method === 'PUT' ? { body: {} } : {}
    const { status, body: answer } = await request(`${node.url}alice/${path}`, { method, token, ...body })
    expect([status, answer['error']]).toMatchObject([404, { id: 'unknown-resource' }])
  })
})

describe('a PUT without a body', () => {
  let node: TestNode
  beforeAll(async () => {
    node = await startTestNode()
  })
  afterAll(() => node.stop())

  it('changes nothing', async () => {
    const token = await registerUser(node, 'alice')
    const { status, body } = await request(`${node.url}alice/profile/public`, { method: 'PUT', token })
    expect([status, body['profile']]).toEqual([200, {}])
  })
})
