/** Behaviour of accesses.checkApp: docs/interface/accesses.md#app-check. */
import { expect } from 'vitest'
import { describeMethod, type Stage } from '../../../support/http/methodTable.js'
import { share } from '../../../support/people/shares.js'

const diary = { streamId: 'diary', level: 'read', defaultName: 'Diary' }
const stored = { streamId: 'diary', level: 'read' }
const asking = { requestingAppId: 'an-app', requestedPermissions: [diary] }

/** An app that has the access that `asking` asks for, or another one. */
const having =
  (more: Record<string, unknown> = {}, asked: Record<string, unknown> = asking) =>
  async (s: Stage) => {
    await s.arrange('streams.create', { id: 'diary', name: 'Journal' })
    await share(s, { type: 'app', name: 'an-app', permissions: [stored], token: 'the-token', ...more })
    return asked
  }
const matches = (name: string, given: (s: Stage) => Promise<unknown>) => ({
  it: `finds ${name}`,
  given,
  gives: 200,
  then: (result: Record<string, unknown>) => {
    expect(result).toMatchObject({ matchingAccess: { token: 'the-token', name: 'an-app' } })
    expect(result).not.toHaveProperty('checkedPermissions')
  },
})
const differs = (name: string, given: (s: Stage) => Promise<unknown>, hasAccess = true) => ({
  it: `finds no match: ${name}`,
  given,
  gives: 200,
  then: (result: Record<string, unknown>) => {
    expect(result).not.toHaveProperty('matchingAccess')
    expect(result).toHaveProperty('checkedPermissions')
    if (hasAccess) expect(result).toMatchObject({ mismatchingAccess: { token: 'the-token' } })
    else expect(result).not.toHaveProperty('mismatchingAccess')
  },
})
const withData = (clientData: unknown) => ({ ...asking, clientData })

describeMethod('accesses.checkApp', [
  matches('the access of the app', having()),
  matches('it with null as client data', having({}, withData(null))),
  matches('it with equal client data', having({ clientData: { a: { b: [1] } } }, withData({ a: { b: [1] } }))),
  matches('it whatever token and lifetime are asked for', having({}, { ...asking, token: 'x', expireAfter: 'y' })),
  matches('it on its device', having({ deviceName: 'phone' }, { ...asking, deviceName: 'phone' })),
  matches('it with features and tags in any order', async (s) =>
    having(
      { permissions: [stored, { feature: 'selfRevoke', setting: 'forbidden' }, { tag: 't', level: 'read' }] },
      {
        ...asking,
        requestedPermissions: [{ tag: 't', level: 'read' }, diary, { feature: 'selfRevoke', setting: 'forbidden' }],
      },
    )(s),
  ),
  matches('the latest version only', async (s) => {
    await having({ permissions: [{ streamId: 'diary', level: 'manage' }] })(s)
    const { accesses } = await s.arrange('accesses.get', {})
    const { id } = (accesses as { id: string; name: string }[]).find(({ name }) => name === 'an-app') ?? { id: '' }
    await s.arrange('accesses.update', { id, update: { permissions: [{ ...stored, name: 'Journal' }] } })
    return asking
  }),
  differs('another level', having({ permissions: [{ ...stored, level: 'manage' }] })),
  differs('more permissions', having({ permissions: [stored, { streamId: 'x', level: 'read' }] })),
  differs('other client data', having({ clientData: { a: 1 } }, withData({ a: 2 }))),
  differs('client data that are missing', having({ clientData: { a: 1 } })),
  differs('client data that are new', having({}, withData({}))),
  differs('one permission twice is not two', having({ permissions: [stored, { streamId: 'x', level: 'read' }] }, {
    ...asking,
    requestedPermissions: [diary, diary],
  })),
  differs('an expired access', having({ expireAfter: 0 })),
  differs('an expired access with other permissions', having({ expireAfter: 0, permissions: [{ ...stored, level: 'manage' }] })),
  differs('another device', having({ deviceName: 'phone' }), false),
  differs('a shared access is none of an app', having({ type: 'shared' }), false),
  {
    it: 'tells the real names of streams, and leaves missing ones',
    given: having({ name: 'other' }, {
      ...asking,
      requestedPermissions: [
        diary,
        { streamId: 'new', level: 'manage', defaultName: 'New' },
        { streamId: '*', level: 'read', defaultName: 'All' },
        { streamId: ':system:email', level: 'read', defaultName: 'Mail' },
        { streamId: ':other:x', level: 'read', defaultName: 'X' },
      ],
    }),
    gives: 200,
    then: (result) => {
      expect(result['checkedPermissions']).toEqual([
        { streamId: 'diary', level: 'read', name: 'Journal' },
        { streamId: 'new', level: 'manage', defaultName: 'New' },
        { streamId: '*', level: 'read' },
        { streamId: ':system:email', level: 'read', name: expect.any(String) as string },
        { streamId: ':other:x', level: 'read', defaultName: 'X' },
      ])
      expect(result).not.toHaveProperty('error')
    },
  },
  {
    it: 'finds free names where names are taken, and says so',
    only: ['http', 'form'],
    given: async (s) => {
      for (const [id, name] of [['a', 'Diary'], ['b', 'Diary (1)']]) await s.arrange('streams.create', { id, name })
      return {
        ...asking,
        requestedPermissions: [diary, { ...diary, streamId: 'third' }],
      }
    },
    gives: [200, 'item-already-exists'],
    result: {
      checkedPermissions: [
        { streamId: 'diary', level: 'read', defaultName: 'Diary (2)' },
        { streamId: 'third', level: 'read', defaultName: 'Diary (3)' },
      ],
      error: { id: 'item-already-exists', data: { name: 'Diary' } },
    },
  },
  { it: 'takes no permissions at all', send: { ...asking, requestedPermissions: [] }, gives: 200, result: { checkedPermissions: [] } },
  {
    it: 'needs names for streams',
    send: { ...asking, requestedPermissions: [stored] },
    gives: [400, 'invalid-parameters-format'],
  },
  { it: 'needs an app', send: { requestedPermissions: [] }, gives: [400, 'invalid-parameters-format'] },
  { it: 'needs permissions', send: { requestingAppId: 'an-app' }, gives: [400, 'invalid-parameters-format'] },
  { it: 'is for the owner alone', as: [{ streamId: '*', level: 'manage' }], send: asking, gives: [403, 'forbidden'] },
])
