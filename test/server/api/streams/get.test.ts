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

/** The stream of an app's own calls, whose name holds the id of its access. */
const OWN_AUDIT = ':_audit:access-(own)'
const idOf = ({ id }: View): string => id.replace(/^(:_audit:access-)[a-z0-9]{24}$/, '$1(own)')

const streamsOf = (result: Record<string, unknown>): View[] => result['streams'] as View[]
const shows =
  (shape: Shape) =>
  (result: Record<string, unknown>): void =>
    void expect(shapeOf(streamsOf(result))).toEqual(shape)

/** What every account has for messages; what the node keeps for itself below it is not shown. */
const CMC: Shape = [':_cmc:', ':_cmc:apps', ':_cmc:inbox']

const ACCOUNT: Shape = [
  ':_system:account',
  ':_system:language',
  [':_system:storageUsed', ':_system:dbDocuments', ':_system:attachedFiles'],
  ':system:email',
]

/** `home` > `room` > `desk`, `home` > `attic` (trashed) > `box`, and `garden` (trashed), `Yard`. */
async function house(s: Stage): Promise<void> {
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

const asking = (params: unknown) => async (s: Stage) => {
  await house(s)
  return params
}

const rows: Row[] = [
  {
    it: 'lists the account streams, then the roots by name, without what is trashed',
    given: asking({}),
    gives: 200,
    then: (result) => {
      shows([':_audit:', ACCOUNT, CMC, 'yard', ['home', ['room', 'desk']]])(result)
      expect(result).not.toHaveProperty('streamDeletions')
    },
  },
  {
    it: 'answers a stream with all its fields',
    given: asking({ id: 'desk' }),
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
    it: 'lists what is trashed too, marked, with state all',
    given: asking({ state: 'all' }),
    gives: 200,
    then: (result) => {
      shows([':_audit:', ACCOUNT, CMC, 'yard', 'garden', ['home', ['attic', 'box'], ['room', 'desk']]])(result)
      expect(streamsOf(result)).toMatchObject([{}, {}, {}, {}, { id: 'garden', trashed: true }, {}])
      expect(streamsOf(result)[5]?.children[0]).toMatchObject({ id: 'attic', trashed: true })
      expect(streamsOf(result)[5]?.children[0]?.children[0]).not.toHaveProperty('trashed')
    },
  },
  { it: 'answers the children of a parent', given: asking({ parentId: 'home' }), gives: 200, then: shows([['room', 'desk']]) },
  {
    it: 'answers the trashed children of a parent with state all',
    given: asking({ parentId: 'home', state: 'all' }),
    gives: 200,
    then: shows([
      ['attic', 'box'],
      ['room', 'desk'],
    ]),
  },
  { it: 'answers no children of a leaf', given: asking({ parentId: 'desk' }), gives: 200, then: shows([]) },
  { it: 'answers one stream with what is below it', given: asking({ id: 'home' }), gives: 200, then: shows([['home', ['room', 'desk']]]) },
  { it: 'answers the account tree by id', send: { id: ':_system:account' }, gives: 200, then: shows([ACCOUNT]) },
  {
    it: 'answers the children of an account stream',
    send: { parentId: ':_system:storageUsed' },
    gives: 200,
    then: shows([':_system:dbDocuments', ':_system:attachedFiles']),
  },
  {
    it: 'lists no hidden account stream by id',
    send: { id: ':_system:appId' },
    gives: [400, 'unknown-referenced-resource'],
    data: { id: ':_system:appId' },
  },
  {
    it: 'lists deletions after a moment',
    given: async (s) => {
      await house(s)
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
      await house(s)
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
    it: 'lists no deletion of a stream that was made again',
    given: async (s) => {
      await house(s)
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
    it: 'lists the last deletion of a stream that was made again and deleted again',
    given: async (s) => {
      await house(s)
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
    it: 'lists no deletions of before the moment',
    given: async (s) => {
      await house(s)
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
    given: asking({ id: 'home', parentId: 'home' }),
    gives: [400, 'invalid-request-structure'],
  },
  { it: 'refuses an unknown state', send: { state: 'trashed' }, gives: [400, 'invalid-parameters-format'] },
  {
    it: 'refuses a moment that is no number',
    send: { includeDeletionsSince: '12abc' },
    gives: [400, 'invalid-parameters-format'],
    then: (result) =>
      void expect(result).toMatchObject({ error: { data: [{ code: 'INVALID_TYPE', path: '#/includeDeletionsSince' }] } }),
  },
  { it: 'ignores unknown parameters', send: { withDeletions: true }, gives: 200, then: (result) => expect(Object.keys(result)).not.toContain('streamDeletions') },
  {
    it: 'gives an app its streams as roots, without parents it cannot see',
    given: asking({}),
    as: [
      { streamId: 'room', level: 'read' },
      { streamId: 'yard', level: 'contribute' },
    ],
    gives: 200,
    then: (result) => {
      shows([['room', 'desk'], 'yard', OWN_AUDIT])(result)
      expect(streamsOf(result)[0]?.parentId).toBeNull()
      expect(streamsOf(result)[0]?.children[0]?.parentId).toBe('room')
    },
  },
  {
    it: 'gives a stream inside another permission in its place and again on its own',
    given: asking({}),
    as: [
      { streamId: 'home', level: 'read' },
      { streamId: 'desk', level: 'manage' },
    ],
    gives: 200,
    then: (result) => {
      shows([['home', ['room', 'desk']], 'desk', OWN_AUDIT])(result)
      expect(streamsOf(result)[1]?.parentId).toBe('room')
    },
  },
  {
    it: 'lists what may only be created in',
    given: asking({}),
    as: [{ streamId: 'room', level: 'create-only' }],
    gives: 200,
    then: shows([['room', 'desk'], OWN_AUDIT]),
  },
  {
    it: 'leaves out streams with none, and what is below them',
    given: asking({}),
    as: [
      { streamId: 'home', level: 'read' },
      { streamId: 'room', level: 'none' },
    ],
    gives: 200,
    then: shows(['home', OWN_AUDIT]),
  },
  {
    it: 'gives everything but the account to an app that reads everything',
    given: asking({}),
    as: [{ streamId: '*', level: 'read' }],
    gives: 200,
    then: shows([CMC, 'yard', ['home', ['room', 'desk']], OWN_AUDIT]),
  },
  {
    it: 'leaves out what is none below everything',
    given: asking({ state: 'all' }),
    as: [
      { streamId: '*', level: 'read' },
      { streamId: 'room', level: 'none' },
      { streamId: 'yard', level: 'none' },
    ],
    gives: 200,
    then: shows([CMC, 'garden', ['home', ['attic', 'box']], OWN_AUDIT]),
  },
  {
    it: 'gives an app nothing of a stream in the trash',
    given: asking({}),
    as: [
      { streamId: 'garden', level: 'manage' },
      { streamId: 'box', level: 'read' },
    ],
    gives: 200,
    then: shows([OWN_AUDIT]),
  },
  {
    it: 'gives an app its trashed streams with state all',
    given: asking({ state: 'all' }),
    as: [
      { streamId: 'garden', level: 'manage' },
      { streamId: 'box', level: 'read' },
    ],
    gives: 200,
    then: shows(['garden', 'box', OWN_AUDIT]),
  },
  {
    it: 'gives the account tree to an app that reads it',
    as: [{ streamId: ':_system:account', level: 'read' }],
    gives: 200,
    then: shows([ACCOUNT, OWN_AUDIT]),
  },
  {
    it: 'leaves out account streams with none',
    as: [
      { streamId: ':_system:account', level: 'read' },
      { streamId: ':system:email', level: 'none' },
      { streamId: ':_system:storageUsed', level: 'none' },
    ],
    gives: 200,
    then: shows([[':_system:account', ':_system:language'], OWN_AUDIT]),
  },
  ...(['home', 'room'] as const).map(
    (held): Row => ({
      it: `${held === 'home' ? 'tells' : 'does not tell'} of the parent of a stream asked by id, when ${held} is held`,
      given: asking({ id: 'room' }),
      as: [{ streamId: held, level: 'read' }],
      gives: 200,
      result: { streams: [{ id: 'room', parentId: held === 'home' ? 'home' : null }] },
    }),
  ),
  {
    it: 'leaves out account streams with none when asked by id',
    send: { id: ':_system:account' },
    as: [
      { streamId: ':_system:account', level: 'read' },
      { streamId: ':system:email', level: 'none' },
      { streamId: ':_system:storageUsed', level: 'none' },
    ],
    gives: 200,
    then: shows([[':_system:account', ':_system:language']]),
  },
  {
    it: 'gives an account stream in its place and again on its own',
    as: [
      { streamId: ':_system:account', level: 'read' },
      { streamId: ':system:email', level: 'contribute' },
    ],
    gives: 200,
    then: (result) => {
      shows([ACCOUNT, ':system:email', OWN_AUDIT])(result)
      expect(streamsOf(result)[1]?.parentId).toBe(':_system:account')
    },
  },
  {
    it: 'gives one account stream to an app that reads it, as a root',
    as: [{ streamId: ':system:email', level: 'read' }],
    gives: 200,
    then: (result) => {
      shows([':system:email', OWN_AUDIT])(result)
      expect(streamsOf(result)[0]?.parentId).toBeNull()
    },
  },
  {
    it: 'refuses a stream that an app cannot see',
    given: asking({ id: 'yard' }),
    as: [{ streamId: 'home', level: 'read' }],
    gives: [403, 'forbidden'],
  },
  {
    it: 'refuses a parent that an app cannot see',
    given: asking({ parentId: 'home' }),
    as: [{ streamId: 'room', level: 'manage' }],
    gives: [403, 'forbidden'],
  },
  {
    it: 'refuses an unknown stream to an app, like one it cannot see',
    given: asking({ id: 'nowhere' }),
    as: [{ streamId: 'home', level: 'read' }],
    gives: [403, 'forbidden'],
  },
  {
    it: 'refuses an unknown parent to an app that reads everything',
    given: asking({ parentId: 'nowhere' }),
    as: [{ streamId: '*', level: 'read' }],
    gives: [403, 'forbidden'],
  },
  {
    it: 'refuses the account to an app that manages everything',
    send: { id: ':_system:account' },
    as: [{ streamId: '*', level: 'manage' }],
    gives: [403, 'forbidden'],
  },
  {
    it: 'refuses the lists of the audit to an app',
    send: { parentId: ':_audit:accesses' },
    as: [{ streamId: '*', level: 'manage' }],
    gives: [403, 'forbidden'],
  },
  {
    it: 'lets an app ask below a stream it may only create in',
    given: asking({ parentId: 'home' }),
    as: [{ streamId: 'home', level: 'create-only' }],
    gives: 200,
    then: shows([['room', 'desk']]),
  },
]

/** What the owner is answered after each change of a tree that has been asked for before. */
async function askingAgain(s: Stage): Promise<unknown> {
  await house(s)
  const shown = async (): Promise<Shape> => shapeOf(streamsOf(await s.arrange('streams.get', { id: 'home' })))
  expect(await shown()).toEqual([['home', ['room', 'desk']]])
  await s.arrange('streams.create', { id: 'shelf', name: 'shelf', parentId: 'home' })
  expect(await shown()).toEqual([['home', ['room', 'desk'], 'shelf']])
  await s.arrange('streams.update', { id: 'shelf', update: { parentId: 'room' } })
  expect(await shown()).toEqual([['home', ['room', 'desk', 'shelf']]])
  await s.arrange('streams.delete', { id: 'desk' })
  expect(await shown()).toEqual([['home', ['room', 'shelf']]])
  return { id: 'home' }
}

rows.push(
  {
    it: 'shows every change to those who asked before it',
    given: askingAgain,
    gives: 200,
    then: shows([['home', ['room', 'shelf']]]),
  },
  {
    it: 'shows an app its own streams after the owner asked for all',
    given: async (s) => {
      await house(s)
      await s.arrange('streams.get', {})
      return {}
    },
    as: [{ streamId: 'room', level: 'read' }],
    gives: 200,
    then: shows([['room', 'desk'], ':_audit:access-(own)']),
  },
)

describeMethod('streams.get', rows)
