/** Behaviour of accesses.get and accesses.getOne: docs/interface/accesses.md. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { accessIntegrity } from '../../../../src/store/model/integrity.js'
import type { Access } from '../../../../src/store/model/access.js'
import { grantAccess } from '../../../support/people/access.js'
import { fakeClock } from '../../../support/nodes/clock.js'
import { startTestNode, type TestNode } from '../../../support/nodes/node.js'
import { describeMethod, newStage, type Stage } from '../../../support/http/methodTable.js'
import { ask, errorOf, share, type Share } from '../../../support/people/shares.js'

const readAll = [{ streamId: '*', level: 'read' }]
const names = (result: Record<string, unknown>, member = 'accesses'): unknown[] =>
  (result[member] as Share[]).map(({ name }) => name)

/** Creates an app with a share, a share of the owner, and an expired one. */
async function createSeveral(s: Stage): Promise<Record<'app' | 'managed' | 'own' | 'expired', Share>> {
  const app = await share(s, { name: 'b app', type: 'app', permissions: readAll, clientData: { k: 1 } })
  return {
    app,
    managed: await share(s, { name: 'd managed', permissions: readAll }, app.token),
    own: await share(s, { name: 'a own', permissions: [{ feature: 'selfRevoke', setting: 'forbidden' }] }),
    expired: await share(s, { name: 'c expired', permissions: [], expireAfter: 0 }),
  }
}

describeMethod('accesses.get', [
  {
    it: 'lists all valid accesses to the owner, sorted by name',
    given: (s) => createSeveral(s).then(() => ({})),
    gives: 200,
    then: (result) => {
      expect(names(result)).toEqual(['a own', 'b app', 'd managed', 'test-app'])
      const [own, app, managed, personal] = result['accesses'] as Share[]
      expect(own?.permissions).toEqual([{ feature: 'selfRevoke', setting: 'forbidden' }])
      expect(app).toMatchObject({ type: 'app', clientData: { k: 1 } })
      expect(managed).toMatchObject({ type: 'shared', createdBy: app?.id })
      expect(personal).toMatchObject({ type: 'personal', lastUsed: expect.any(Number) as number })
      expect(personal).not.toHaveProperty('permissions')
      for (const access of [own, app, managed, personal]) {
        expect(access?.apiEndpoint).toContain(`${access?.token}@`)
        for (const hidden of ['calls', 'serial', 'manager', 'sealedToken']) expect(access).not.toHaveProperty(hidden)
      }
      expect(result).not.toHaveProperty('accessDeletions')
    },
  },
  {
    it: 'lists expired accesses on request',
    given: async (s) => {
      await createSeveral(s)
      return { includeExpired: true }
    },
    gives: 200,
    then: (result) => expect(names(result)).toEqual(['a own', 'b app', 'c expired', 'd managed', 'test-app']),
  },
  {
    it: 'lists deleted accesses on request, latest first',
    given: async (s) => {
      const { app, own } = await createSeveral(s)
      await s.arrange('accesses.delete', { id: own.id })
      await s.arrange('accesses.delete', { id: app.id })
      return { includeDeletions: true }
    },
    gives: 200,
    then: (result) => {
      expect(names(result)).toEqual(['test-app'])
      const deletions = result['accessDeletions'] as (Access & { deleted: number; token: string })[]
      expect(new Set(names(result, 'accessDeletions').slice(0, 2))).toEqual(new Set(['b app', 'd managed']))
      expect(names(result, 'accessDeletions')[2]).toBe('a own')
      for (const deletion of deletions) {
        expect(deletion.deleted).toBeGreaterThan(deletion.created)
        const { deviceName: _, ...whole } = deletion
        expect(accessIntegrity(whole, 'sha256')).toBe(deletion.integrity)
      }
    },
  },
  { it: 'ignores unknown parameters', send: { what: '1' }, gives: 200 },
  { it: 'lists nothing to create-only accesses', as: [{ streamId: 'a', level: 'create-only' }], send: {}, gives: 200, result: { accesses: [] } },
  { it: 'lists nothing to an app without shares', as: [{ streamId: '*', level: 'manage' }], given: (s) => createSeveral(s).then(() => ({})), gives: 200, result: { accesses: [] } },
])

describe('accesses.get and accesses.getOne', () => {
  const clock = fakeClock()
  let node: TestNode
  let s: Stage
  let accesses: Awaited<ReturnType<typeof createSeveral>>
  beforeAll(async () => {
    node = await startTestNode({}, { clock })
    s = await newStage(node)
    accesses = await createSeveral(s)
  })
  afterAll(() => node.stop())

  const getOne = (id: string, token = s.owner, query = ''): ReturnType<typeof ask> =>
    ask(s, token, 'GET', `/accesses/${id}${query}`)

  it('show an app the shared accesses that it created, within its permissions', async () => {
    const { body } = await ask(s, accesses.app.token, 'GET', '/accesses?includeExpired=true')
    expect(names(body)).toEqual(['d managed'])
    const outside = await grantAccess(node, s.username, [{ streamId: '*', level: 'manage' }], {
      type: 'shared',
      createdBy: accesses.app.id,
      manager: accesses.app.id,
    })
    expect(names((await ask(s, accesses.app.token, 'GET', '/accesses')).body)).toEqual(['d managed'])
    expect((await ask(s, s.owner, 'DELETE', `/accesses/${outside.id}`)).status).toBe(200)
    const deletions = (await ask(s, accesses.app.token, 'GET', '/accesses?includeDeletions=true')).body['accessDeletions']
    expect((deletions as Share[]).map(({ id }) => id)).toEqual([outside.id])
  })

  it('are forbidden for shared accesses', async () => {
    for (const path of ['/accesses', `/accesses/${accesses.own.id}`]) {
      const answer = await ask(s, accesses.own.token, 'GET', path)
      expect([answer.status, errorOf(answer).id]).toEqual([403, 'forbidden'])
    }
  })

  it('return any access to the owner, and to an app itself and its shares', async () => {
    expect((await getOne(accesses.managed.id)).body['access']).toMatchObject({ id: accesses.managed.id, token: accesses.managed.token })
    expect((await getOne(accesses.app.id, accesses.app.token)).body['access']).toMatchObject({ name: 'b app' })
    expect((await getOne(accesses.managed.id, accesses.app.token)).status).toBe(200)
    for (const id of [accesses.own.id, 'nothing', `${accesses.app.id}:7`, '%2F..%2F'.replaceAll('%2F', '-')]) {
      const answer = await getOne(id, accesses.app.token)
      expect([answer.status, errorOf(answer).id]).toEqual([404, 'unknown-resource'])
    }
  })

  it('return no deleted access', async () => {
    const deleted = await share(s, { permissions: [] })
    await s.arrange('accesses.delete', { id: deleted.id })
    expect((await getOne(deleted.id)).status).toBe(404)
  })

  it('return earlier versions by id, and the latest for the id without version', async () => {
    const access = await share(s, { name: 'first', permissions: [] })
    const { id } = access
    await s.arrange('accesses.update', { id, update: { name: 'second' } })
    await s.arrange('accesses.update', { id: `${id}:1`, update: { name: 'third' } })
    expect((await getOne(id)).body).toMatchObject({ access: { id: `${id}:2`, name: 'third' } })
    const latest = (await getOne(`${id}:2`)).body
    expect(latest).toMatchObject({ access: { id: `${id}:2`, name: 'third' } })
    expect(latest).not.toHaveProperty('current')
    expect((await getOne(`${id}:1`)).body).toMatchObject({
      access: { id: `${id}:1`, name: 'second', token: access.token },
      current: `${id}:2`,
    })
    expect((await getOne(`${id}:0`)).body).toMatchObject({ access: { id, name: 'first' }, current: `${id}:2` })
    expect((await getOne(`${id}:3`)).status).toBe(404)
    const { body } = await getOne(id, s.owner, '?includeHistory=true')
    const history = body['history'] as (Access & { token: string })[]
    expect(history.map(({ id: version, name }) => [version, name])).toEqual([
      [id, 'first'],
      [`${id}:1`, 'second'],
    ])
    for (const { deviceName: _, ...version } of history) {
      expect(version).not.toHaveProperty('serial')
      expect(accessIntegrity({ ...version, id }, 'sha256')).toBe(version.integrity)
    }
  })

  it('return the time of last use of an access, but not its call counts', async () => {
    const access = await share(s, { permissions: readAll })
    expect((await getOne(access.id)).body['access']).not.toHaveProperty('lastUsed')
    clock.pass(5)
    const at = clock.now()
    const { body: info } = await ask(s, access.token, 'GET', '/access-info')
    expect(info).toMatchObject({ id: access.id, calls: { getAccessInfo: 1 }, lastUsed: at })
    clock.pass(5)
    const { body } = await getOne(access.id)
    expect(body['access']).toMatchObject({ lastUsed: at })
    expect(body['access']).not.toHaveProperty('calls')
  })

  it('return a fixed set of fields to an app about itself', async () => {
    const app = await share(s, { type: 'app', permissions: readAll, deviceName: 'phone', expireAfter: 9, clientData: {} })
    await ask(s, app.token, 'GET', '/access-info')
    const { body } = await ask(s, app.token, 'GET', '/access-info')
    expect(Object.keys(body).sort()).toEqual(
      ['calls', 'clientData', 'created', 'createdBy', 'deviceName', 'expires', 'id', 'lastUsed', 'meta', 'modified'].concat(
        ['modifiedBy', 'name', 'permissions', 'token', 'type', 'user'],
      ),
    )
  })
})
