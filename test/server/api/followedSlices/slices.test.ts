/** Behaviour of the methods of followed slices: docs/interface/followed-slices.md#rules. */
import { expect, it } from 'vitest'
import { each } from '../../../../src/store/engine/database.js'
import { badAddresses } from '../../../support/http/badValues.js'
import { expectSound } from '../../../support/store/check.js'
import { homes } from '../../../support/nodes/home.js'
import { startTestNode } from '../../../support/nodes/node.js'
import { callThrough, describeMethod, newStage, type Row, type Stage } from '../../../support/http/methodTable.js'
import { announced, watch } from '../../../support/http/announcedChanges.js'

const bob = { name: 'Bob', url: 'https://bob.example.org/', accessToken: 'bob-token-1' }
const eve = { name: 'eve', url: 'https://eve.example.org/', accessToken: 'eve-token-1' }

const add = async (s: Stage, slice: Record<string, unknown> = bob): Promise<string> => {
  const { followedSlice } = await s.arrange('followedSlices.create', slice)
  return (followedSlice as { id: string }).id
}
const list = async (s: Stage): Promise<Record<string, unknown>[]> =>
  (await s.arrange('followedSlices.get', {}))['followedSlices'] as Record<string, unknown>[]
const bare = ({ id: _, ...slice }: Record<string, unknown>): Record<string, unknown> => slice

const app: Pick<Row, 'as' | 'gives'> = { as: [{ streamId: '*', level: 'manage' }], gives: [403, 'forbidden'] }

describeMethod('followedSlices.get', [
  { it: 'answers an empty list', gives: 200, then: (result) => expect(result['followedSlices']).toEqual([]) },
  {
    it: 'lists slices by name, whole',
    given: async (s) => {
      await add(s, eve)
      await add(s, { ...bob, name: 'Zoe', accessToken: 'other' })
      await add(s)
      return {}
    },
    gives: 200,
    then: (result) => {
      const slices = result['followedSlices'] as Record<string, unknown>[]
      expect(slices.map(bare)).toEqual([bob, { ...bob, name: 'Zoe', accessToken: 'other' }, eve])
      for (const { id } of slices) expect(id).toMatch(/^[a-z][a-z0-9]{23}$/)
    },
  },
  { it: 'refuses accesses of apps', ...app },
  { it: 'ignores parameters it does not know', send: { nope: '1' }, gives: 200 },
])

const refused = [400, 'invalid-parameters-format'] as Row['gives']

describeMethod('followedSlices.create', [
  {
    it: 'adds a slice',
    given: async (s) => (await watch(s), bob),
    gives: 201,
    then: async (result, s) => {
      const slice = result['followedSlice'] as { id: string }
      expect(bare({ ...slice })).toEqual(bob)
      expect(await list(s)).toEqual([slice])
      expect(announced(s)).toEqual([`slice create ${slice.id}`])
    },
  },
  { it: 'refuses accesses of apps', send: bob, ...app, then: async (_, s) => expect(await list(s)).toEqual([]) },
  ...(['name', 'url', 'accessToken'] as const).flatMap((field): Row[] => {
    const { [field]: _, ...rest } = bob
    return [
      { it: `refuses a slice without ${field}`, send: rest, gives: refused },
      { it: `refuses an empty ${field}`, send: { ...bob, [field]: '' }, gives: refused },
      { it: `refuses a ${field} that is no text`, send: { ...bob, [field]: 5 }, gives: refused },
      { it: `refuses a ${field} of null`, send: { ...bob, [field]: null }, gives: refused },
    ]
  }),
  ...badAddresses.map((url): Row => ({ it: `refuses the address ${JSON.stringify(url).slice(0, 60)}`, send: { ...bob, url }, gives: refused, then: async (_, s) => expect(await list(s)).toEqual([]) })),
  { it: 'refuses an id', send: { ...bob, id: 'cabcdefghijklmnopqrstuvw' }, gives: refused },
  { it: 'refuses keys it does not know', send: { ...bob, created: 1 }, gives: refused },
  {
    it: 'refuses a name that is taken',
    given: async (s) => (await add(s), await watch(s), { ...eve, name: bob.name }),
    gives: [409, 'item-already-exists'],
    data: { name: bob.name },
    then: async (_, s) => {
      expect((await list(s)).map(bare)).toEqual([bob])
      expect(announced(s)).toEqual([])
    },
  },
  {
    it: 'refuses an access that is taken',
    given: async (s) => (await add(s), { ...bob, name: 'Bobby' }),
    gives: [409, 'item-already-exists'],
    data: { url: bob.url, accessToken: bob.accessToken },
  },
  {
    it: 'takes the same url with another token, and the same token with another url',
    given: async (s) => {
      await add(s)
      await add(s, { ...bob, name: 'second', url: eve.url })
      return { ...bob, name: 'third', accessToken: 'bob-token-2' }
    },
    gives: 201,
  },
  {
    it: 'does not mistake where an url ends and a token begins',
    given: async (s) => (await add(s, { ...bob, url: `${bob.url}x","y`, accessToken: 'z' }), { name: 'b', url: `${bob.url}x`, accessToken: 'y","z' }),
    gives: 201,
  },
  {
    it: 'keeps any text as it is',
    send: { name: '\ud800', url: 'HTTP://Bob.example:80', accessToken: '\udfff"\n' },
    gives: 201,
    then: async (_, s) => expect((await list(s)).map(bare)).toEqual([{ name: '\ud800', url: 'HTTP://Bob.example:80', accessToken: '\udfff"\n' }]),
  },
])

const changing = (update: unknown) => async (s: Stage) => {
  const id = await add(s)
  await add(s, eve)
  await watch(s)
  return { id, update }
}

describeMethod('followedSlices.update', [
  {
    it: 'renames a slice, and frees its former name',
    given: changing({ name: 'Robert' }),
    gives: 200,
    then: async (result, s) => {
      const slice = result['followedSlice'] as { id: string }
      expect(bare({ ...slice })).toEqual({ ...bob, name: 'Robert' })
      expect((await list(s)).map(bare)).toEqual([{ ...bob, name: 'Robert' }, eve])
      expect(announced(s)).toEqual([`slice update ${slice.id}`])
      await add(s, { ...bob, url: 'https://else.example.org/' })
      const again = await callThrough('http', s, s.owner, 'followedSlices.create', { ...eve, name: 'Robert' })
      expect(again.status).toBe(409)
    },
  },
  { it: 'takes the name that it has', given: changing({ name: bob.name }), gives: 200, result: { followedSlice: bob } },
  { it: 'takes an id along', given: changing({ id: 'x', name: 'Robert' }), gives: 200, result: { followedSlice: { name: 'Robert' } } },
  { it: 'changes nothing when nothing is asked', given: changing({}), gives: 200, result: { followedSlice: bob } },
  { it: 'refuses a url', given: changing({ url: 'https://x' }), gives: refused },
  { it: 'refuses an access token', given: changing({ name: 'x', accessToken: 'y' }), gives: refused },
  { it: 'refuses an empty name', given: changing({ name: '' }), gives: refused },
  { it: 'refuses a name that is no text', given: changing({ name: null }), gives: refused },
  {
    it: 'refuses a name that is taken',
    given: changing({ name: eve.name }),
    gives: [409, 'item-already-exists'],
    data: { name: eve.name },
    then: async (_, s) => expect((await list(s)).map(bare)).toEqual([bob, eve]),
  },
  { it: 'does not find an unknown slice', send: { id: 'nope', update: { name: 'x' } }, gives: [404, 'unknown-resource'] },
  { it: 'refuses accesses of apps', given: changing({ name: 'x' }), ...app },
])

describeMethod('followedSlices.delete', [
  {
    it: 'deletes a slice, and frees what it claimed',
    given: async (s) => ({ id: await add(s) }),
    gives: 200,
    then: async (result, s) => {
      expect(result['followedSliceDeletion']).toEqual({ id: expect.any(String) as string })
      expect(await list(s)).toEqual([])
      await add(s)
    },
  },
  {
    it: 'announces it',
    given: async (s) => {
      const id = await add(s)
      await watch(s)
      return { id }
    },
    gives: 200,
    then: ({ followedSliceDeletion }, s) => {
      expect(announced(s)).toEqual([`slice delete ${(followedSliceDeletion as { id: string }).id}`])
    },
  },
  { it: 'does not find an unknown slice', send: { id: 'nope' }, gives: [404, 'unknown-resource'] },
  {
    it: 'does not find a slice of another account',
    given: async (s) => ({ id: await add(await newStage(s.node)) }),
    gives: [404, 'unknown-resource'],
  },
  { it: 'refuses accesses of apps', given: async (s) => ({ id: await add(s) }), ...app },
])

const { home } = homes()

it('a store tells neither the tokens of slices nor whether two accounts follow the same', async () => {
  const places = await home()
  const node = await startTestNode({}, { home: places.home })
  const first = await newStage(node)
  const second = await newStage(node)
  await add(first)
  await add(second)
  await first.arrange('followedSlices.update', { id: await add(first, eve), update: { name: 'Eva' } })
  await second.arrange('followedSlices.delete', { id: await add(second, eve) })
  const claims: string[] = []
  for await (const [key, bytes] of each(node.node.store.db.byteEntries({ gte: '' }))) {
    const entry = key + Buffer.from(bytes).toString('latin1')
    expect(entry).not.toContain('token-1')
    if (key.includes('/W/')) claims.push(key.slice(key.indexOf('/W/')))
  }
  expect(claims).toHaveLength(6)
  expect(new Set(claims).size).toBe(6)
  await node.stop()
  const { checked } = await expectSound(places)
  expect([checked['followed slices'], checked['slice claims']]).toEqual([3, 6])
})
