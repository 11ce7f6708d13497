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

/** An update of a new shared access of the owner. */
const updating =
  (update: unknown, of: Record<string, unknown> = { permissions: readAll }) =>
  async (s: Stage) => ({ id: (await share(s, of)).id, update })

const refuses = (name: string, update: unknown, status: number, id: FailureId, of?: Record<string, unknown>): Row => ({
  it: `refuses ${name}`,
  given: updating(update, of),
  gives: [status, id],
})

const app = { type: 'app', permissions: readAll }
const made = (result: Record<string, unknown>): Access & { token: string } => result['access'] as Access & { token: string }

describeMethod('accesses.update', [
  {
    it: 'changes everything that can be changed, and gives the next version its id',
    given: async (s) => {
      const { id } = await share(s, { ...app, name: 'old', deviceName: 'a', clientData: { a: 1, b: 2 } })
      await watch(s)
      const permissions = [{ ...on('heart', 'manage'), defaultName: 'Heart', name: 'Heart' }]
      return { id, update: { name: 'new', deviceName: 'b', permissions, expireAfter: 50, clientData: { c: 3 } } }
    },
    gives: 200,
    then: (result, s) => {
      const { deviceName, ...access } = made(result)
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
    it: 'takes fields away with null',
    given: updating(
      { deviceName: null, expires: null, clientData: null },
      { ...app, deviceName: 'a', expireAfter: 100, clientData: { a: 1 } },
    ),
    gives: 200,
    then: (result) => {
      for (const gone of ['deviceName', 'expires', 'clientData']) expect(made(result)).not.toHaveProperty(gone)
    },
  },
  {
    it: 'leaves what is not mentioned',
    given: updating({ name: 'new' }, { ...app, deviceName: 'a', expireAfter: 100, clientData: { a: 1 } }),
    gives: 200,
    result: { access: { name: 'new', deviceName: 'a', clientData: { a: 1 }, permissions: readAll } },
  },
  {
    it: 'makes the streams that check-app named',
    given: updating({ permissions: [{ ...on('diary', 'read'), defaultName: 'Diary (1)' }] }, app),
    gives: 200,
    then: async (_, s) => {
      const { streams } = await s.arrange('streams.get', { id: 'diary' })
      expect(streams).toMatchObject([{ id: 'diary', name: 'Diary (1)' }])
    },
  },
  ...['type', 'token', 'id', 'createdBy', 'alias', 'apiEndpoint', 'randomAlias', 'surprise'].map((field) =>
    refuses(`${field}, and with it the whole update`, { name: 'new', [field]: 'x' }, 403, 'forbidden'),
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
    it: 'leaves out keys of client data that are null',
    given: updating({ clientData: { a: null, c: 3 } }, { permissions: readAll, clientData: { a: 1 } }),
    gives: 200,
    then: (result) => expect(made(result).clientData).toEqual({ c: 3 }),
  },
  refuses('an expiry that is not null', { expires: 5 }, 400, 'invalid-parameters-format'),
  refuses('an empty name', { name: '' }, 400, 'invalid-parameters-format'),
  refuses('bad permissions', { permissions: [{ streamId: 'x' }] }, 400, 'invalid-parameters-format'),
  refuses('a device of a shared access', { deviceName: 'x' }, 400, 'invalid-parameters-format'),
  refuses('the reserved key of client data', { clientData: { dpop: 1 } }, 403, 'forbidden'),
  refuses('to manage account streams', { permissions: [on(':system:email', 'manage')] }, 400, 'invalid-operation'),
  refuses('hidden account streams', { permissions: [on(':_system:appId', 'read')] }, 400, 'invalid-operation'),
  refuses('unknown account streams', { permissions: [on(':_system:none', 'read')] }, 403, 'forbidden'),
  refuses('odd characters', { permissions: [on('a"', 'read')] }, 400, 'invalid-request-structure'),
  {
    it: 'refuses a negative lifetime',
    given: updating({ expireAfter: -1 }),
    gives: [400, 'invalid-parameters-format'],
    then: (body) => {
      expect((body['error'] as { message: string }).message).toBe('expireAfter cannot be negative.')
    },
  },
  {
    it: 'refuses a name that is taken',
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
  { it: 'is removed for apps', as: readAll, given: updating({ name: 'x' }), gives: [410, 'removed-method'] },
  { it: 'is forbidden to who may only create', as: [on('a', 'create-only')], given: updating({ name: 'x' }), gives: [403, 'forbidden'] },
  {
    it: 'refuses the bare id of an access that was updated',
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
    it: 'refuses a version that is not there yet',
    given: async (s) => ({ id: `${(await share(s, { permissions: [] })).id}:1`, update: { name: 'x' } }),
    gives: [409, 'stale-resource'],
  },
  {
    it: 'takes the id of the latest version',
    given: async (s) => {
      const { id } = await share(s, { permissions: [] })
      await s.arrange('accesses.update', { id, update: { name: `n ${id}` } })
      return { id: `${id}:1`, update: { name: 'x' } }
    },
    gives: 200,
    then: (result) => expect(made(result).id).toMatch(/^[a-z0-9]{24}:2$/),
  },
])

describeMethod(
  'accesses.update',
  [
    {
      it: 'leaves read-only fields aside where the settings say so',
      given: updating({ name: 'new', type: 'app', token: 'x' }),
      gives: 200,
      result: { access: { name: 'new', type: 'shared' } },
    },
    ...[{ type: 'app', deviceName: 'd' }, { type: 'shared' }].map((of): Row => ({
      it: `takes an access of type ${of.type} as it was read, changed in its name`,
      async given(s) {
        const { id } = await share(s, { permissions: readAll, expireAfter: 1000, clientData: { a: 1 }, ...of })
        const { access } = await s.arrange('accesses.getOne', { id })
        return { id, update: { ...(access as object), name: 'new' } }
      },
      gives: 200,
      result: { access: { ...of, name: 'new', expires: expect.any(Number) as number, clientData: { a: 1 } } },
    })),
    refuses('other fields all the same', { surprise: 1 }, 403, 'forbidden'),
  ],
  { 'updates.ignoreProtectedFields': true },
)

describe('accesses.update in the chain of an app and its shares', () => {
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

  it('is closed to the share itself and to siblings', async () => {
    const [parent, managed] = await pair()
    const [sibling] = await pair()
    expect((await update(managed.id, { name: 'x' }, managed.token)).status).toBe(403)
    for (const target of [parent, managed, sibling]) {
      expect((await update(target.id, { name: 'x' }, parent.token)).status).toBe(410)
    }
  })

  it('keeps a share within its app', async () => {
    const [, managed] = await pair()
    expect((await refusal(update(managed.id, { permissions: [on('*', 'read')] }))).slice(0, 2)).toEqual([400, 'invalid-operation'])
    expect((await update(managed.id, { permissions: [on('rate', 'manage')] })).status).toBe(200)
  })

  it('gives a share the restrictions of its app', async () => {
    const [, managed] = await pair({ permissions: [on('heart', 'manage'), on('rate', 'none')] })
    const { body } = await update(managed.id, { permissions: [on('heart', 'read')] })
    expect(made(body).permissions).toEqual([on('heart', 'read'), on('rate', 'none')])
  })

  it('takes the permissions of a share back as they were answered', async () => {
    const parts = [on('heart', 'manage'), on('rate', 'create-only')]
    const [parent, managed] = await pair({ permissions: parts }, { permissions: [on('heart', 'read')] })
    expect(managed.permissions).toEqual([on('heart', 'read'), on('rate', 'none')])
    expect((await ask(s, parent.token, 'GET', '/accesses')).body['accesses']).toMatchObject([{ id: managed.id }])
    const { body } = await update(managed.id, { permissions: managed.permissions })
    expect(made(body).permissions).toEqual(managed.permissions)
    expect(await refusal(update(parent.id, { permissions: [] }))).toMatchObject([400, 'invalid-operation', {}])
  })

  it('does not narrow an app below its shares', async () => {
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

  it('narrows an app whose shares have expired', async () => {
    const [parent] = await pair({}, { expireAfter: 0 })
    expect((await update(parent.id, { permissions: [] })).status).toBe(200)
  })

  it('judges a share anew that had expired', async () => {
    const [parent, managed] = await pair({}, { expireAfter: 0 })
    await update(parent.id, { permissions: [on('heart', 'read')] })
    expect((await refusal(update(managed.id, { expires: null }))).slice(0, 2)).toEqual([400, 'invalid-operation'])
    expect((await update(managed.id, { expires: null, permissions: [on('heart', 'read')] })).status).toBe(200)
  })

  it('keeps the end of a share within that of its app', async () => {
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

  it('gives an app no end before its shares', async () => {
    for (const [ofShare, expireAfter, isTaken] of [
      [{}, 100, false],
      [{ expireAfter: 200 }, 100, false],
      [{ expireAfter: 100 }, 100, true],
    ] as const) {
      const [parent, managed] = await pair({}, ofShare)
      const answer = update(parent.id, { expireAfter })
      if (isTaken) expect((await answer).status).toBe(200)
      else {
        const data = { offendingChildren: [managed.id] }
        expect(await refusal(answer)).toEqual([400, 'invalid-operation', data])
      }
    }
  })

  it('changes no share whose app is gone', async () => {
    const [parent, managed] = await pair({}, { expireAfter: 0 })
    await s.arrange('accesses.delete', { id: parent.id })
    expect((await refusal(update(managed.id, { expireAfter: 100 }))).slice(0, 2)).toEqual([400, 'invalid-operation'])
  })

  it('lets one of many win that change one version', async () => {
    const { id } = await share(s, { permissions: [] })
    const answers = await Promise.all(Array.from({ length: 6 }, (_, n) => update(id, { name: `race ${n}` })))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409])
  })

  it('frees the former name', async () => {
    const { id } = await share(s, { name: 'former', permissions: [] })
    await update(id, { name: 'latter' })
    expect(await share(s, { name: 'former', permissions: [] })).toMatchObject({ name: 'former' })
  })
})
