/** Behaviour of streams.get: docs/interface/streams.md#listing, docs/interface/account-streams.md#listing. */
import { expect } from 'vitest'
import { describeMethod, type Row, type Stage } from '../../../support/http/methodTable.js'

interface View {
  id: string
  parentId: string | null
  children: View[]
}

/** Ids of a tree, nested: `[['home', ['room', 'desk']]]` is home with room with desk. */
type Shape = (string | Shape)[]
const shapeOf = (views: View[]): Shape =>
  views.map((view) => (view.children.length === 0 ? idOf(view) : [view.id, ...shapeOf(view.children)]))

/** Audit stream of the calling app, whose id contains the id of its access. */
const OWN_AUDIT = ':_audit:access-(own)'
const idOf = ({ id }: View): string => id.replace(/^(:_audit:access-)[a-z0-9]{24}$/, '$1(own)')

const streamsOf = (result: Record<string, unknown>): View[] => result['streams'] as View[]
const expectShape =
  (shape: Shape) =>
  (result: Record<string, unknown>): void =>
    void expect(shapeOf(streamsOf(result))).toEqual(shape)

/** Streams of messages of every account, without internal ones. */
const CMC: Shape = [':_cmc:', ':_cmc:apps', ':_cmc:inbox']

const ACCOUNT: Shape = [
  ':_system:account',
  ':_system:language',
  [':_system:storageUsed', ':_system:dbDocuments', ':_system:attachedFiles'],
  ':system:email',
]

/** Creates `home` > `room` > `desk`, `home` > `attic` (trashed) > `box`, `garden` (trashed) and `yard`. */
async function createHouse(s: Stage): Promise<void> {
  const streams = [
    { id: 'home', name: 'home' },
    { id: 'room', name: 'room', parentId: 'home' },
    { id: 'desk', name: 'desk', parentId: 'room', clientData: { 'app:x': 1 } },
    { id: 'attic', name: 'attic', parentId: 'home' },
    { id: 'box', name: 'box', parentId: 'attic' },
    { id: 'garden', name: 'garden' },
    { id: 'yard', name: 'Yard' },
  ]
  for (const stream of streams) await s.arrange('streams.create', stream)
  await s.arrange('streams.delete', { id: 'attic' })
  await s.arrange('streams.delete', { id: 'garden' })
}

const afterHouse = (params: unknown) => async (s: Stage) => {
  await createHouse(s)
  return params
}

const rows: Row[] = [
  {
    it: 'lists the account streams, then the roots by name, without trashed streams',
    given: afterHouse({}),
    gives: 200,
    then: (result) => {
      expectShape([':_audit:', ACCOUNT, CMC, 'yard', ['home', ['room', 'desk']]])(result)
      expect(result).not.toHaveProperty('streamDeletions')
    },
  },
  {
    it: 'returns a stream with all its fields',
    given: afterHouse({ id: 'desk' }),
    gives: 200,
    then: (result) => {
      expect(streamsOf(result)).toEqual([
        {
          id: 'desk',
          name: 'desk',
          parentId: 'room',
          children: [],
          clientData: { 'app:x': 1 },
          created: expect.any(Number) as number,
          createdBy: expect.any(String) as string,
          modified: expect.any(Number) as number,
          modifiedBy: expect.any(String) as string,
        },
      ])
    },
  },
  {
    it: 'includes trashed streams, marked as such, with state all',
    given: afterHouse({ state: 'all' }),
    gives: 200,
    then: (result) => {
      expectShape([':_audit:', ACCOUNT, CMC, 'yard', 'garden', ['home', ['attic', 'box'], ['room', 'desk']]])(result)
      expect(streamsOf(result)).toMatchObject([{}, {}, {}, {}, { id: 'garden', trashed: true }, {}])
      expect(streamsOf(result)[5]?.children[0]).toMatchObject({ id: 'attic', trashed: true })
      expect(streamsOf(result)[5]?.children[0]?.children[0]).not.toHaveProperty('trashed')
    },
  },
  { it: 'returns the children of a parent', given: afterHouse({ parentId: 'home' }), gives: 200, then: expectShape([['room', 'desk']]) },
  {
    it: 'includes the trashed children of a parent with state all',
    given: afterHouse({ parentId: 'home', state: 'all' }),
    gives: 200,
    then: expectShape([
      ['attic', 'box'],
      ['room', 'desk'],
    ]),
  },
  { it: 'returns no children of a leaf', given: afterHouse({ parentId: 'desk' }), gives: 200, then: expectShape([]) },
  { it: 'returns one stream with its descendants', given: afterHouse({ id: 'home' }), gives: 200, then: expectShape([['home', ['room', 'desk']]]) },
  { it: 'returns the account tree by id', send: { id: ':_system:account' }, gives: 200, then: expectShape([ACCOUNT]) },
  {
    it: 'returns the children of an account stream',
    send: { parentId: ':_system:storageUsed' },
    gives: 200,
    then: expectShape([':_system:dbDocuments', ':_system:attachedFiles']),
  },
  {
    it: 'refuses a hidden account stream by id',
    send: { id: ':_system:appId' },
    gives: [400, 'unknown-referenced-resource'],
    data: { id: ':_system:appId' },
  },
  {
    it: 'lists deletions since a time',
    given: async (s) => {
      await createHouse(s)
      await s.arrange('streams.delete', { id: 'garden' })
      return { includeDeletionsSince: 0 }
    },
    gives: 200,
    then: (result) => {
      expect(result['streamDeletions']).toEqual([{ id: 'garden', deleted: expect.any(Number) as number }])
    },
  },
  {
    it: 'lists each stream of a deleted subtree as deleted',
    given: async (s) => {
      await createHouse(s)
      await s.arrange('streams.delete', { id: 'attic' })
      return { includeDeletionsSince: 1.5 }
    },
    gives: 200,
    then: (result) => {
      const ids = (result['streamDeletions'] as { id: string }[]).map(({ id }) => id)
      expect(ids.sort()).toEqual(['attic', 'box'])
    },
  },
  {
    it: 'lists no deletion of a recreated stream',
    given: async (s) => {
      await createHouse(s)
      await s.arrange('streams.delete', { id: 'attic' })
      await s.arrange('streams.create', { id: 'attic', name: 'attic' })
      return { state: 'all', includeDeletionsSince: 0 }
    },
    gives: 200,
    then: (result) => {
      expect(streamsOf(result).map(({ id }) => id)).toContain('attic')
      expect(result['streamDeletions']).toEqual([{ id: 'box', deleted: expect.any(Number) as number }])
    },
  },
  {
    it: 'lists the last deletion of a stream that was recreated and deleted',
    given: async (s) => {
      await createHouse(s)
      await s.arrange('streams.delete', { id: 'garden' })
      await s.arrange('streams.create', { id: 'garden', name: 'garden' })
      await s.arrange('streams.delete', { id: 'garden' })
      await s.arrange('streams.delete', { id: 'garden' })
      return { includeDeletionsSince: 0 }
    },
    gives: 200,
    then: (result) => expect(result['streamDeletions']).toEqual([{ id: 'garden', deleted: expect.any(Number) as number }]),
  },
  {
    it: 'lists no deletions before the time',
    given: async (s) => {
      await createHouse(s)
      await s.arrange('streams.delete', { id: 'garden' })
      return { includeDeletionsSince: 9_999_999_999 }
    },
    gives: 200,
    then: (result) => expect(result['streamDeletions']).toEqual([]),
  },
  {
    it: 'refuses an unknown parent',
    send: { parentId: 'nowhere' },
    gives: [400, 'unknown-referenced-resource'],
    data: { parentId: 'nowhere' },
  },
  { it: 'refuses an unknown id', send: { id: 'nowhere' }, gives: [400, 'unknown-referenced-resource'], data: { id: 'nowhere' } },
  {
    it: 'refuses id and parentId together',
    given: afterHouse({ id: 'home', parentId: 'home' }),
    gives: [400, 'invalid-request-structure'],
  },
  { it: 'refuses an unknown state', send: { state: 'trashed' }, gives: [400, 'invalid-parameters-format'] },
  {
    it: 'refuses a time that is not a number',
    send: { includeDeletionsSince: '12abc' },
    gives: [400, 'invalid-parameters-format'],
    then: (result) =>
      void expect(result).toMatchObject({ error: { data: [{ code: 'INVALID_TYPE', path: '#/includeDeletionsSince' }] } }),
  },
  { it: 'ignores unknown parameters', send: { withDeletions: true }, gives: 200, then: (result) => expect(Object.keys(result)).not.toContain('streamDeletions') },
  {
    it: 'returns the streams of an app as roots, without parents it cannot read',
    given: afterHouse({}),
    as: [
      { streamId: 'room', level: 'read' },
      { streamId: 'yard', level: 'contribute' },
    ],
    gives: 200,
    then: (result) => {
      expectShape([['room', 'desk'], 'yard', OWN_AUDIT])(result)
      expect(streamsOf(result)[0]?.parentId).toBeNull()
      expect(streamsOf(result)[0]?.children[0]?.parentId).toBe('room')
    },
  },
  {
    it: 'returns a stream with its own permission below its parent and as a root',
    given: afterHouse({}),
    as: [
      { streamId: 'home', level: 'read' },
      { streamId: 'desk', level: 'manage' },
    ],
    gives: 200,
    then: (result) => {
      expectShape([['home', ['room', 'desk']], 'desk', OWN_AUDIT])(result)
      expect(streamsOf(result)[1]?.parentId).toBe('room')
    },
  },
  {
    it: 'lists create-only streams',
    given: afterHouse({}),
    as: [{ streamId: 'room', level: 'create-only' }],
    gives: 200,
    then: expectShape([['room', 'desk'], OWN_AUDIT]),
  },
  {
    it: 'excludes streams with level none and their descendants',
    given: afterHouse({}),
    as: [
      { streamId: 'home', level: 'read' },
      { streamId: 'room', level: 'none' },
    ],
    gives: 200,
    then: expectShape(['home', OWN_AUDIT]),
  },
  {
    it: 'returns all streams except account streams to an app with read on *',
    given: afterHouse({}),
    as: [{ streamId: '*', level: 'read' }],
    gives: 200,
    then: expectShape([CMC, 'yard', ['home', ['room', 'desk']], OWN_AUDIT]),
  },
  {
    it: 'excludes streams with level none from permissions on *',
    given: afterHouse({ state: 'all' }),
    as: [
      { streamId: '*', level: 'read' },
      { streamId: 'room', level: 'none' },
      { streamId: 'yard', level: 'none' },
    ],
    gives: 200,
    then: expectShape([CMC, 'garden', ['home', ['attic', 'box']], OWN_AUDIT]),
  },
  {
    it: 'excludes trashed streams of an app',
    given: afterHouse({}),
    as: [
      { streamId: 'garden', level: 'manage' },
      { streamId: 'box', level: 'read' },
    ],
    gives: 200,
    then: expectShape([OWN_AUDIT]),
  },
  {
    it: 'includes trashed streams of an app with state all',
    given: afterHouse({ state: 'all' }),
    as: [
      { streamId: 'garden', level: 'manage' },
      { streamId: 'box', level: 'read' },
    ],
    gives: 200,
    then: expectShape(['garden', 'box', OWN_AUDIT]),
  },
  {
    it: 'returns the account tree to an app that reads it',
    as: [{ streamId: ':_system:account', level: 'read' }],
    gives: 200,
    then: expectShape([ACCOUNT, OWN_AUDIT]),
  },
  {
    it: 'excludes account streams with level none',
    as: [
      { streamId: ':_system:account', level: 'read' },
      { streamId: ':system:email', level: 'none' },
      { streamId: ':_system:storageUsed', level: 'none' },
    ],
    gives: 200,
    then: expectShape([[':_system:account', ':_system:language'], OWN_AUDIT]),
  },
  ...(['home', 'room'] as const).map(
    (permitted): Row => ({
      it: `${permitted === 'home' ? 'includes' : 'omits'} the parent of a stream by id, with a permission on ${permitted}`,
      given: afterHouse({ id: 'room' }),
      as: [{ streamId: permitted, level: 'read' }],
      gives: 200,
      result: { streams: [{ id: 'room', parentId: permitted === 'home' ? 'home' : null }] },
    }),
  ),
  {
    it: 'excludes account streams with level none from a query by id',
    send: { id: ':_system:account' },
    as: [
      { streamId: ':_system:account', level: 'read' },
      { streamId: ':system:email', level: 'none' },
      { streamId: ':_system:storageUsed', level: 'none' },
    ],
    gives: 200,
    then: expectShape([[':_system:account', ':_system:language']]),
  },
  {
    it: 'returns an account stream with its own permission below its parent and as a root',
    as: [
      { streamId: ':_system:account', level: 'read' },
      { streamId: ':system:email', level: 'contribute' },
    ],
    gives: 200,
    then: (result) => {
      expectShape([ACCOUNT, ':system:email', OWN_AUDIT])(result)
      expect(streamsOf(result)[1]?.parentId).toBe(':_system:account')
    },
  },
  {
    it: 'returns a single permitted account stream as a root',
    as: [{ streamId: ':system:email', level: 'read' }],
    gives: 200,
    then: (result) => {
      expectShape([':system:email', OWN_AUDIT])(result)
      expect(streamsOf(result)[0]?.parentId).toBeNull()
    },
  },
  {
    it: 'refuses a stream that an app cannot read',
    given: afterHouse({ id: 'yard' }),
    as: [{ streamId: 'home', level: 'read' }],
    gives: [403, 'forbidden'],
  },
  {
    it: 'refuses a parent that an app cannot read',
    given: afterHouse({ parentId: 'home' }),
    as: [{ streamId: 'room', level: 'manage' }],
    gives: [403, 'forbidden'],
  },
  {
    it: 'refuses an unknown stream for an app like one it cannot read',
    given: afterHouse({ id: 'nowhere' }),
    as: [{ streamId: 'home', level: 'read' }],
    gives: [403, 'forbidden'],
  },
  {
    it: 'refuses an unknown parent for an app with read on *',
    given: afterHouse({ parentId: 'nowhere' }),
    as: [{ streamId: '*', level: 'read' }],
    gives: [403, 'forbidden'],
  },
  {
    it: 'refuses the account tree for an app with manage on *',
    send: { id: ':_system:account' },
    as: [{ streamId: '*', level: 'manage' }],
    gives: [403, 'forbidden'],
  },
  {
    it: 'refuses the lists of the audit for an app',
    send: { parentId: ':_audit:accesses' },
    as: [{ streamId: '*', level: 'manage' }],
    gives: [403, 'forbidden'],
  },
  {
    it: 'returns the children of a create-only stream to an app',
    given: afterHouse({ parentId: 'home' }),
    as: [{ streamId: 'home', level: 'create-only' }],
    gives: 200,
    then: expectShape([['room', 'desk']]),
  },
]

/** Checks the list of streams after each change of the tree. */
async function checkAfterChanges(s: Stage): Promise<unknown> {
  await createHouse(s)
  const listedShape = async (): Promise<Shape> => shapeOf(streamsOf(await s.arrange('streams.get', { id: 'home' })))
  expect(await listedShape()).toEqual([['home', ['room', 'desk']]])
  await s.arrange('streams.create', { id: 'shelf', name: 'shelf', parentId: 'home' })
  expect(await listedShape()).toEqual([['home', ['room', 'desk'], 'shelf']])
  await s.arrange('streams.update', { id: 'shelf', update: { parentId: 'room' } })
  expect(await listedShape()).toEqual([['home', ['room', 'desk', 'shelf']]])
  await s.arrange('streams.delete', { id: 'desk' })
  expect(await listedShape()).toEqual([['home', ['room', 'shelf']]])
  return { id: 'home' }
}

rows.push(
  {
    it: 'reflects each change after earlier calls',
    given: checkAfterChanges,
    gives: 200,
    then: expectShape([['home', ['room', 'shelf']]]),
  },
  {
    it: 'returns only permitted streams to an app after the owner listed all',
    given: async (s) => {
      await createHouse(s)
      await s.arrange('streams.get', {})
      return {}
    },
    as: [{ streamId: 'room', level: 'read' }],
    gives: 200,
    then: expectShape([['room', 'desk'], ':_audit:access-(own)']),
  },
)

describeMethod('streams.get', rows)
