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
const withoutId = ({ id: _, ...slice }: Record<string, unknown>): Record<string, unknown> => slice

const app: Pick<Row, 'as' | 'gives'> = { as: [{ streamId: '*', level: 'manage' }], gives: [403, 'forbidden'] }

describeMethod('followedSlices.get', [
  { it: 'returns an empty list', gives: 200, then: (result) => expect(result['followedSlices']).toEqual([]) },
  {
    it: 'lists slices by name, with all fields',
    given: async (s) => {
      await add(s, eve)
      await add(s, { ...bob, name: 'Zoe', accessToken: 'other' })
      await add(s)
      return {}
    },
    gives: 200,
    then: (result) => {
      const slices = result['followedSlices'] as Record<string, unknown>[]
      expect(slices.map(withoutId)).toEqual([bob, { ...bob, name: 'Zoe', accessToken: 'other' }, eve])
      for (const { id } of slices) expect(id).toMatch(/^[a-z][a-z0-9]{23}$/)
    },
  },
  { it: 'refuses accesses of apps', ...app },
  { it: 'ignores unknown parameters', send: { nope: '1' }, gives: 200 },
])

const refused = [400, 'invalid-parameters-format'] as Row['gives']

describeMethod('followedSlices.create', [
  {
    it: 'adds a slice',
    given: async (s) => (await watch(s), bob),
    gives: 201,
    then: async (result, s) => {
      const slice = result['followedSlice'] as { id: string }
      expect(withoutId({ ...slice })).toEqual(bob)
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
      { it: `refuses a ${field} that is not a string`, send: { ...bob, [field]: 5 }, gives: refused },
      { it: `refuses a ${field} of null`, send: { ...bob, [field]: null }, gives: refused },
    ]
  }),
  ...badAddresses.map((url): Row => ({ it: `refuses the URL ${JSON.stringify(url).slice(0, 60)}`, send: { ...bob, url }, gives: refused, then: async (_, s) => expect(await list(s)).toEqual([]) })),
  { it: 'refuses an id', send: { ...bob, id: 'cabcdefghijklmnopqrstuvw' }, gives: refused },
  { it: 'refuses unknown keys', send: { ...bob, created: 1 }, gives: refused },
  {
    it: 'refuses the name of another slice',
    given: async (s) => (await add(s), await watch(s), { ...eve, name: bob.name }),
    gives: [409, 'item-already-exists'],
    data: { name: bob.name },
    then: async (_, s) => {
      expect((await list(s)).map(withoutId)).toEqual([bob])
      expect(announced(s)).toEqual([])
    },
  },
  {
    it: 'refuses the url and token of another slice',
    given: async (s) => (await add(s), { ...bob, name: 'Bobby' }),
    gives: [409, 'item-already-exists'],
    data: { url: bob.url, accessToken: bob.accessToken },
  },
  {
    it: 'accepts a known url with another token, and a known token with another url',
    given: async (s) => {
      await add(s)
      await add(s, { ...bob, name: 'second', url: eve.url })
      return { ...bob, name: 'third', accessToken: 'bob-token-2' }
    },
    gives: 201,
  },
  {
    it: 'distinguishes slices whose url and token only concatenate to the same text',
    given: async (s) => (await add(s, { ...bob, url: `${bob.url}x","y`, accessToken: 'z' }), { name: 'b', url: `${bob.url}x`, accessToken: 'y","z' }),
    gives: 201,
  },
  {
    it: 'stores any text unchanged',
    send: { name: '\ud800', url: 'HTTP://Bob.example:80', accessToken: '\udfff"\n' },
    gives: 201,
    then: async (_, s) => expect((await list(s)).map(withoutId)).toEqual([{ name: '\ud800', url: 'HTTP://Bob.example:80', accessToken: '\udfff"\n' }]),
  },
])

const updateOf = (update: unknown) => async (s: Stage) => {
  const id = await add(s)
  await add(s, eve)
  await watch(s)
  return { id, update }
}

describeMethod('followedSlices.update', [
  {
    it: 'renames a slice, and frees its former name',
    given: updateOf({ name: 'Robert' }),
    gives: 200,
    then: async (result, s) => {
      const slice = result['followedSlice'] as { id: string }
      expect(withoutId({ ...slice })).toEqual({ ...bob, name: 'Robert' })
      expect((await list(s)).map(withoutId)).toEqual([{ ...bob, name: 'Robert' }, eve])
      expect(announced(s)).toEqual([`slice update ${slice.id}`])
      await add(s, { ...bob, url: 'https://else.example.org/' })
      const again = await callThrough('http', s, s.owner, 'followedSlices.create', { ...eve, name: 'Robert' })
      expect(again.status).toBe(409)
    },
  },
  { it: 'accepts the current name', given: updateOf({ name: bob.name }), gives: 200, result: { followedSlice: bob } },
  { it: 'ignores an id in the update', given: updateOf({ id: 'x', name: 'Robert' }), gives: 200, result: { followedSlice: { name: 'Robert' } } },
  { it: 'changes nothing with an empty update', given: updateOf({}), gives: 200, result: { followedSlice: bob } },
  { it: 'refuses a url', given: updateOf({ url: 'https://x' }), gives: refused },
  { it: 'refuses an access token', given: updateOf({ name: 'x', accessToken: 'y' }), gives: refused },
  { it: 'refuses an empty name', given: updateOf({ name: '' }), gives: refused },
  { it: 'refuses a name that is not a string', given: updateOf({ name: null }), gives: refused },
  {
    it: 'refuses the name of another slice',
    given: updateOf({ name: eve.name }),
    gives: [409, 'item-already-exists'],
    data: { name: eve.name },
    then: async (_, s) => expect((await list(s)).map(withoutId)).toEqual([bob, eve]),
  },
  { it: 'fails for an unknown slice', send: { id: 'nope', update: { name: 'x' } }, gives: [404, 'unknown-resource'] },
  { it: 'refuses accesses of apps', given: updateOf({ name: 'x' }), ...app },
])

describeMethod('followedSlices.delete', [
  {
    it: 'deletes a slice, and frees its name and access',
    given: async (s) => ({ id: await add(s) }),
    gives: 200,
    then: async (result, s) => {
      expect(result['followedSliceDeletion']).toEqual({ id: expect.any(String) as string })
      expect(await list(s)).toEqual([])
      await add(s)
    },
  },
  {
    it: 'announces the deletion',
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
  { it: 'fails for an unknown slice', send: { id: 'nope' }, gives: [404, 'unknown-resource'] },
  {
    it: 'fails for a slice of another account',
    given: async (s) => ({ id: await add(await newStage(s.node)) }),
    gives: [404, 'unknown-resource'],
  },
  { it: 'refuses accesses of apps', given: async (s) => ({ id: await add(s) }), ...app },
])

const { home } = homes()

it('a store reveals neither tokens of slices nor accounts that follow the same slice', async () => {
  const directories = await home()
  const node = await startTestNode({}, { home: directories.home })
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
  const { checked } = await expectSound(directories)
  expect([checked['followed slices'], checked['slice claims']]).toEqual([3, 6])
})
