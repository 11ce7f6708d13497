/** Behaviour of accesses.update: docs/interface/accesses.md#updates, docs/interface/accesses.md#versions. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { accessIntegrity } from '../../../../src/store/model/integrity.js'
import type { Access, Permission } from '../../../../src/store/model/access.js'
import type { FailureId } from '../../../../src/store/model/failure.js'
import { fakeClock } from '../../../support/nodes/clock.js'
import { startTestNode, type TestNode } from '../../../support/nodes/node.js'
import { describeMethod, newStage, type Row, type Stage } from '../../../support/http/methodTable.js'
import { ask, errorOf, share, type Share } from '../../../support/people/shares.js'
import { announcedAll, watch } from '../../../support/http/announcedChanges.js'

const on = (streamId: string, level: string): Permission => ({ streamId, level }) as Permission
const readAll = [on('*', 'read')]

/** Creates a shared access of the owner, and returns the parameters of an update. */
const updating =
  (update: unknown, of: Record<string, unknown> = { permissions: readAll }) =>
  async (s: Stage) => ({ id: (await share(s, of)).id, update })

const refuses = (name: string, update: unknown, status: number, id: FailureId, of?: Record<string, unknown>): Row => ({
  it: `refuses ${name}`,
  given: updating(update, of),
  gives: [status, id],
})

const app = { type: 'app', permissions: readAll }
const accessIn = (result: Record<string, unknown>): Access & { token: string } => result['access'] as Access & { token: string }

describeMethod('accesses.update', [
  {
    it: 'changes all mutable fields, and gives the new version an id',
    given: async (s) => {
      const { id } = await share(s, { ...app, name: 'old', deviceName: 'a', clientData: { a: 1, b: 2 } })
      await watch(s)
      const permissions = [{ ...on('heart', 'manage'), defaultName: 'Heart', name: 'Heart' }]
      return { id, update: { name: 'new', deviceName: 'b', permissions, expireAfter: 50, clientData: { c: 3 } } }
    },
    gives: 200,
    then: (result, s) => {
      const { deviceName, ...access } = accessIn(result)
      const base = access.id.split(':')[0] ?? ''
      expect(access).toMatchObject({
        id: `${base}:1`,
        name: 'new',
        permissions: [on('heart', 'manage')],
        clientData: { c: 3 },
        modifiedBy: access.createdBy,
      })
      expect(deviceName).toBe('b')
      expect(access.expires).toBeCloseTo(access.modified + 50)
      expect(access.modified).toBeGreaterThan(access.created)
      for (const hidden of ['serial', 'manager']) expect(access).not.toHaveProperty(hidden)
      expect(accessIntegrity({ ...access, id: base, deviceName: 'b' }, 'sha256')).toBe(access.integrity)
      expect(announcedAll(s)).toContain(`access update ${base}`)
    },
  },
  {
    it: 'removes fields with null',
    given: updating(
      { deviceName: null, expires: null, clientData: null },
      { ...app, deviceName: 'a', expireAfter: 100, clientData: { a: 1 } },
    ),
    gives: 200,
    then: (result) => {
      for (const removed of ['deviceName', 'expires', 'clientData']) expect(accessIn(result)).not.toHaveProperty(removed)
    },
  },
  {
    it: 'leaves absent fields unchanged',
    given: updating({ name: 'new' }, { ...app, deviceName: 'a', expireAfter: 100, clientData: { a: 1 } }),
    gives: 200,
    result: { access: { name: 'new', deviceName: 'a', clientData: { a: 1 }, permissions: readAll } },
  },
  {
    it: 'creates the streams that check-app named',
    given: updating({ permissions: [{ ...on('diary', 'read'), defaultName: 'Diary (1)' }] }, app),
    gives: 200,
    then: async (_, s) => {
      const { streams } = await s.arrange('streams.get', { id: 'diary' })
      expect(streams).toMatchObject([{ id: 'diary', name: 'Diary (1)' }])
    },
  },
  ...['type', 'token', 'id', 'createdBy', 'alias', 'apiEndpoint', 'randomAlias', 'surprise'].map((field) =>
    refuses(`${field}, and the whole update with it`, { name: 'new', [field]: 'x' }, 403, 'forbidden'),
  ),
  {
    it: 'refuses deleted, naming it',
    given: updating({ deleted: 1 }),
    gives: [400, 'invalid-parameters-format'],
    then: (body) => {
      expect((body['error'] as { message: string }).message).toContain('deleted')
    },
  },
  {
    it: 'omits client data keys with null',
    given: updating({ clientData: { a: null, c: 3 } }, { permissions: readAll, clientData: { a: 1 } }),
    gives: 200,
    then: (result) => expect(accessIn(result).clientData).toEqual({ c: 3 }),
  },
  refuses('an expiry that is not null', { expires: 5 }, 400, 'invalid-parameters-format'),
  refuses('an empty name', { name: '' }, 400, 'invalid-parameters-format'),
  refuses('bad permissions', { permissions: [{ streamId: 'x' }] }, 400, 'invalid-parameters-format'),
  refuses('a device of a shared access', { deviceName: 'x' }, 400, 'invalid-parameters-format'),
  refuses('the reserved client data key', { clientData: { dpop: 1 } }, 403, 'forbidden'),
  refuses('manage on account streams', { permissions: [on(':system:email', 'manage')] }, 400, 'invalid-operation'),
  refuses('hidden account streams', { permissions: [on(':_system:appId', 'read')] }, 400, 'invalid-operation'),
  refuses('unknown account streams', { permissions: [on(':_system:none', 'read')] }, 403, 'forbidden'),
  refuses('invalid characters in a stream id', { permissions: [on('a"', 'read')] }, 400, 'invalid-request-structure'),
  {
    it: 'refuses a negative lifetime',
    given: updating({ expireAfter: -1 }),
    gives: [400, 'invalid-parameters-format'],
    then: (body) => {
      expect((body['error'] as { message: string }).message).toBe('expireAfter cannot be negative.')
    },
  },
  {
    it: 'refuses a name that another access has',
    given: async (s) => {
      await share(s, { name: 'taken', permissions: [] })
      return { id: (await share(s, { permissions: [] })).id, update: { name: 'taken' } }
    },
    gives: [409, 'item-already-exists'],
    data: { type: 'shared', name: 'taken', deviceName: null },
  },
  { it: 'refuses unknown ids', send: { id: 'nothing', update: { name: 'x' } }, gives: [404, 'unknown-resource'] },
  {
    it: 'refuses deleted accesses',
    given: async (s) => {
      const { id } = await share(s, { permissions: [] })
      await s.arrange('accesses.delete', { id })
      return { id, update: { name: 'x' } }
    },
    gives: [404, 'unknown-resource'],
  },
  {
    it: 'refuses to change personal accesses',
    given: async (s) => ({ id: (await s.arrange('getAccessInfo', {}))['id'], update: { name: 'x' } }),
    gives: [403, 'forbidden'],
  },
  { it: 'fails as a removed method for apps', as: readAll, given: updating({ name: 'x' }), gives: [410, 'removed-method'] },
  { it: 'is forbidden for create-only accesses', as: [on('a', 'create-only')], given: updating({ name: 'x' }), gives: [403, 'forbidden'] },
  {
    it: 'refuses the id without version of an updated access',
    given: async (s) => {
      const { id } = await share(s, { permissions: [] })
      await s.arrange('accesses.update', { id, update: { name: `n ${id}` } })
      return { id, update: { name: 'x' } }
    },
    gives: [409, 'stale-resource'],
    then: (body) => {
      expect((body['error'] as { data: unknown }).data).toMatchObject({ currentSerial: 1 })
    },
  },
  {
    it: 'refuses a version that does not exist yet',
    given: async (s) => ({ id: `${(await share(s, { permissions: [] })).id}:1`, update: { name: 'x' } }),
    gives: [409, 'stale-resource'],
  },
  {
    it: 'accepts the id of the latest version',
    given: async (s) => {
      const { id } = await share(s, { permissions: [] })
      await s.arrange('accesses.update', { id, update: { name: `n ${id}` } })
      return { id: `${id}:1`, update: { name: 'x' } }
    },
    gives: 200,
    then: (result) => expect(accessIn(result).id).toMatch(/^[a-z0-9]{24}:2$/),
  },
])

describeMethod(
  'accesses.update',
  [
    {
      it: 'ignores read-only fields',
      given: updating({ name: 'new', type: 'app', token: 'x' }),
      gives: 200,
      result: { access: { name: 'new', type: 'shared' } },
    },
    ...[{ type: 'app', deviceName: 'd' }, { type: 'shared' }].map((of): Row => ({
      it: `accepts a whole ${of.type} access as it was read, with a new name`,
      async given(s) {
        const { id } = await share(s, { permissions: readAll, expireAfter: 1000, clientData: { a: 1 }, ...of })
        const { access } = await s.arrange('accesses.getOne', { id })
        return { id, update: { ...(access as object), name: 'new' } }
      },
      gives: 200,
      result: { access: { ...of, name: 'new', expires: expect.any(Number) as number, clientData: { a: 1 } } },
    })),
    refuses('unknown fields nevertheless', { surprise: 1 }, 403, 'forbidden'),
  ],
  { 'updates.ignoreProtectedFields': true },
)

describe('accesses.update of an app and its shares', () => {
  const clock = fakeClock()
  let node: TestNode
  let s: Stage
  beforeAll(async () => {
    node = await startTestNode({}, { clock })
    s = await newStage(node)
    await s.arrange('streams.create', { id: 'heart', name: 'Heart' })
    await s.arrange('streams.create', { id: 'rate', name: 'Rate', parentId: 'heart' })
  })
  afterAll(() => node.stop())

  const update = (id: string, body: unknown, token = s.owner): ReturnType<typeof ask> =>
    ask(s, token, 'PUT', `/accesses/${id}`, body)
  const pair = async (ofApp: object = {}, ofShare: object = {}): Promise<[app: Share, managed: Share]> => {
    const parent = await share(s, { type: 'app', permissions: [on('heart', 'manage')], ...ofApp })
    return [parent, await share(s, { permissions: [on('heart', 'contribute')], ...ofShare }, parent.token)]
  }
  const refusal = async (answer: ReturnType<typeof ask>): Promise<unknown[]> => {
    const { status, body } = await answer
    const { id, data } = errorOf({ status, body } as Awaited<typeof answer>)
    return [status, id, data]
  }

  it('is refused to the share itself and to other apps', async () => {
    const [parent, managed] = await pair()
    const [sibling] = await pair()
    expect((await update(managed.id, { name: 'x' }, managed.token)).status).toBe(403)
    for (const target of [parent, managed, sibling]) {
      expect((await update(target.id, { name: 'x' }, parent.token)).status).toBe(410)
    }
  })

  it('limits a share to the permissions of its app', async () => {
    const [, managed] = await pair()
    expect((await refusal(update(managed.id, { permissions: [on('*', 'read')] }))).slice(0, 2)).toEqual([400, 'invalid-operation'])
    expect((await update(managed.id, { permissions: [on('rate', 'manage')] })).status).toBe(200)
  })

  it('adds the restrictions of the app to a share', async () => {
    const [, managed] = await pair({ permissions: [on('heart', 'manage'), on('rate', 'none')] })
    const { body } = await update(managed.id, { permissions: [on('heart', 'read')] })
    expect(accessIn(body).permissions).toEqual([on('heart', 'read'), on('rate', 'none')])
  })

  it('accepts the permissions of a share as they were returned', async () => {
    const parts = [on('heart', 'manage'), on('rate', 'create-only')]
    const [parent, managed] = await pair({ permissions: parts }, { permissions: [on('heart', 'read')] })
    expect(managed.permissions).toEqual([on('heart', 'read'), on('rate', 'none')])
    expect((await ask(s, parent.token, 'GET', '/accesses')).body['accesses']).toMatchObject([{ id: managed.id }])
    const { body } = await update(managed.id, { permissions: managed.permissions })
    expect(accessIn(body).permissions).toEqual(managed.permissions)
    expect(await refusal(update(parent.id, { permissions: [] }))).toMatchObject([400, 'invalid-operation', {}])
  })

  it('does not reduce an app below the permissions of its shares', async () => {
    const [parent, managed] = await pair()
    for (const permissions of [
      [on('heart', 'read')],
      [on('heart', 'manage'), on('rate', 'read')],
      [on('heart', 'manage'), { feature: 'secretSharing', setting: 'forbidden' }],
    ]) {
      expect(await refusal(update(parent.id, { permissions }))).toEqual([
        400,
        'invalid-operation',
        { offendingChildren: [managed.id] },
      ])
    }
    expect((await update(parent.id, { permissions: [on('heart', 'contribute')] })).status).toBe(200)
  })

  it('reduces the permissions of an app whose shares have expired', async () => {
    const [parent] = await pair({}, { expireAfter: 0 })
    expect((await update(parent.id, { permissions: [] })).status).toBe(200)
  })

  it('checks the permissions of an expired share when it is extended', async () => {
    const [parent, managed] = await pair({}, { expireAfter: 0 })
    await update(parent.id, { permissions: [on('heart', 'read')] })
    expect((await refusal(update(managed.id, { expires: null }))).slice(0, 2)).toEqual([400, 'invalid-operation'])
    expect((await update(managed.id, { expires: null, permissions: [on('heart', 'read')] })).status).toBe(200)
  })

  it('limits the expiry of a share to that of its app', async () => {
    const [parent, managed] = await pair({ expireAfter: 100 })
    expect(await refusal(update(managed.id, { expireAfter: 200 }))).toEqual([
      400,
      'invalid-operation',
      { parentExpires: parent.expires, requestedExpires: clock.now() + 200 },
    ])
    expect(await refusal(update(managed.id, { expires: null }))).toEqual([
      400,
      'invalid-operation',
      { parentExpires: parent.expires, requestedExpires: null },
    ])
    expect((await update(managed.id, { expireAfter: 50 })).status).toBe(200)
  })

  it('refuses an expiry of an app before that of its shares', async () => {
    for (const [ofShare, expireAfter, isAccepted] of [
      [{}, 100, false],
      [{ expireAfter: 200 }, 100, false],
      [{ expireAfter: 100 }, 100, true],
    ] as const) {
      const [parent, managed] = await pair({}, ofShare)
      const answer = update(parent.id, { expireAfter })
      if (isAccepted) expect((await answer).status).toBe(200)
      else {
        const data = { offendingChildren: [managed.id] }
        expect(await refusal(answer)).toEqual([400, 'invalid-operation', data])
      }
    }
  })

  it('refuses to extend a share whose app is deleted', async () => {
    const [parent, managed] = await pair({}, { expireAfter: 0 })
    await s.arrange('accesses.delete', { id: parent.id })
    expect((await refusal(update(managed.id, { expireAfter: 100 }))).slice(0, 2)).toEqual([400, 'invalid-operation'])
  })

  it('accepts one of several concurrent updates of the same version', async () => {
    const { id } = await share(s, { permissions: [] })
    const answers = await Promise.all(Array.from({ length: 6 }, (_, n) => update(id, { name: `race ${n}` })))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409])
  })

  it('releases the former name', async () => {
    const { id } = await share(s, { name: 'former', permissions: [] })
    await update(id, { name: 'latter' })
    expect(await share(s, { name: 'former', permissions: [] })).toMatchObject({ name: 'former' })
  })
})
