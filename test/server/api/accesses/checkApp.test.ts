/** Behaviour of accesses.checkApp: docs/interface/accesses.md#app-check. */
import { expect } from 'vitest'
import { describeMethod, type Stage } from '../../../support/http/methodTable.js'
import { share } from '../../../support/people/shares.js'

const diary = { streamId: 'diary', level: 'read', defaultName: 'Diary' }
const stored = { streamId: 'diary', level: 'read' }
const request = { requestingAppId: 'an-app', requestedPermissions: [diary] }

/** Creates an app access that matches `request`, changed by `more`; returns the parameters. */
const withAccess =
  (more: Record<string, unknown> = {}, params: Record<string, unknown> = request) =>
  async (s: Stage) => {
    await s.arrange('streams.create', { id: 'diary', name: 'Journal' })
    await share(s, { type: 'app', name: 'an-app', permissions: [stored], token: 'the-token', ...more })
    return params
  }
const matches = (name: string, given: (s: Stage) => Promise<unknown>) => ({
  it: `matches ${name}`,
  given,
  gives: 200,
  then: (result: Record<string, unknown>) => {
    expect(result).toMatchObject({ matchingAccess: { token: 'the-token', name: 'an-app' } })
    expect(result).not.toHaveProperty('checkedPermissions')
  },
})
const differs = (name: string, given: (s: Stage) => Promise<unknown>, hasAccess = true) => ({
  it: `does not match ${name}`,
  given,
  gives: 200,
  then: (result: Record<string, unknown>) => {
    expect(result).not.toHaveProperty('matchingAccess')
    expect(result).toHaveProperty('checkedPermissions')
    if (hasAccess) expect(result).toMatchObject({ mismatchingAccess: { token: 'the-token' } })
    else expect(result).not.toHaveProperty('mismatchingAccess')
  },
})
const withData = (clientData: unknown) => ({ ...request, clientData })

describeMethod('accesses.checkApp', [
  matches('the access of the app', withAccess()),
  matches('the access for null as client data', withAccess({}, withData(null))),
  matches('the access for equal client data', withAccess({ clientData: { a: { b: [1] } } }, withData({ a: { b: [1] } }))),
  matches('the access regardless of the requested token and lifetime', withAccess({}, { ...request, token: 'x', expireAfter: 'y' })),
  matches('the access on its device', withAccess({ deviceName: 'phone' }, { ...request, deviceName: 'phone' })),
  matches('the access for features and tags in any order', async (s) =>
    withAccess(
      { permissions: [stored, { feature: 'selfRevoke', setting: 'forbidden' }, { tag: 't', level: 'read' }] },
      {
        ...request,
        requestedPermissions: [{ tag: 't', level: 'read' }, diary, { feature: 'selfRevoke', setting: 'forbidden' }],
      },
    )(s),
  ),
  matches('the latest version of the access', async (s) => {
    await withAccess({ permissions: [{ streamId: 'diary', level: 'manage' }] })(s)
    const { accesses } = await s.arrange('accesses.get', {})
    const { id } = (accesses as { id: string; name: string }[]).find(({ name }) => name === 'an-app') ?? { id: '' }
    await s.arrange('accesses.update', { id, update: { permissions: [{ ...stored, name: 'Journal' }] } })
    return request
  }),
  differs('another level', withAccess({ permissions: [{ ...stored, level: 'manage' }] })),
  differs('more permissions', withAccess({ permissions: [stored, { streamId: 'x', level: 'read' }] })),
  differs('other client data', withAccess({ clientData: { a: 1 } }, withData({ a: 2 }))),
  differs('missing client data', withAccess({ clientData: { a: 1 } })),
  differs('additional client data', withAccess({}, withData({}))),
  differs('a repeated permission instead of two', withAccess({ permissions: [stored, { streamId: 'x', level: 'read' }] }, {
    ...request,
    requestedPermissions: [diary, diary],
  })),
  differs('an expired access', withAccess({ expireAfter: 0 })),
  differs('an expired access with other permissions', withAccess({ expireAfter: 0, permissions: [{ ...stored, level: 'manage' }] })),
  differs('another device', withAccess({ deviceName: 'phone' }), false),
  differs('a shared access', withAccess({ type: 'shared' }), false),
  {
    it: 'returns the names of existing streams, and leaves new ones unchanged',
    given: withAccess({ name: 'other' }, {
      ...request,
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
    it: 'proposes free names for streams whose names exist, and reports the conflict',
    only: ['http', 'form'],
    given: async (s) => {
      for (const [id, name] of [['a', 'Diary'], ['b', 'Diary (1)']]) await s.arrange('streams.create', { id, name })
      return {
        ...request,
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
  { it: 'accepts an empty list of permissions', send: { ...request, requestedPermissions: [] }, gives: 200, result: { checkedPermissions: [] } },
  {
    it: 'requires default names for streams',
    send: { ...request, requestedPermissions: [stored] },
    gives: [400, 'invalid-parameters-format'],
  },
  { it: 'requires an app id', send: { requestedPermissions: [] }, gives: [400, 'invalid-parameters-format'] },
  { it: 'requires permissions', send: { requestingAppId: 'an-app' }, gives: [400, 'invalid-parameters-format'] },
  { it: 'is forbidden for apps', as: [{ streamId: '*', level: 'manage' }], send: request, gives: [403, 'forbidden'] },
])
