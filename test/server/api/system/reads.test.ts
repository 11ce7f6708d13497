/** Read methods of the operator over HTTP: docs/interface/system.md#accounts. */
import { beforeAll, describe, expect, it } from 'vitest'
import { methods } from '../../../../src/server/api/methods.js'
import { grantAccess } from '../../../support/people/access.js'
import { registerUser, request, startTestNode } from '../../../support/nodes/node.js'
import { KEY, operator, resultOf, withNode } from './support.js'

const node = withNode()
let alice: string
beforeAll(async () => {
  alice = await registerUser(node(), 'alice')
  await registerUser(node(), 'systemfan')
})

const idOf = async (username: string): Promise<string> => (await node().node.accounts.find(username))?.user.id ?? ''

describe('operator routes', () => {
  const guarded = methods.filter((method) => method.scope === 'platform' && method.caller.refusal === 'unknown-resource')
  const routes = guarded.flatMap(({ http: { verb, path, aliases = [] } }) => [path, ...aliases].map((one) => [verb, one] as const))

  it('are more than 15', () => expect(routes.length).toBeGreaterThan(15))

  it.each(routes)('respond to a missing or wrong key like unknown paths: %s %s', async (method, path) => {
    const url = node().url + path.slice(1).replace(/:\w+/g, 'alice')
    const before = node().logged.length
    const keys: (string | undefined)[] = [undefined, 'wrong', `Bearer ${KEY}`, `${KEY} `.trim().slice(1), alice]
    for (const token of keys) {
      const answer = await request(url, { method, ...(token === undefined ? {} : { token }), ...(method === 'GET' || method === 'DELETE' ? {} : { body: {} }) })
      expect(answer).toMatchObject({ status: 404, body: { error: { id: 'unknown-resource' }, meta: {} } })
    }
    const warned = node().logged.slice(before).filter((line) => line.includes('"level":"warn"'))
    expect(warned).toHaveLength(keys.length)
    expect(warned.join()).not.toContain(KEY)
  })

  it('accept no key in the query', async () => {
    expect((await request(`${node().url}system/admin/cores?auth=${encodeURIComponent(KEY)}`)).status).toBe(404)
  })

  it('do not affect users whose names start like their paths', async () => {
    expect((await request(`${node().url}systemfan`)).status).toBe(200)
    expect((await request(`${node().url}systemfan/auth/login`, { body: { username: 'systemfan', password: 'correct horse', appId: 'app-id' }, headers: { origin: 'http://localhost' } })).status).toBe(200)
  })

  it('are unknown while the node has no admin key', async () => {
    const keyless = await startTestNode({ 'auth.adminAccessKey': null })
    for (const token of ['null', '', 'undefined']) {
      expect((await request(`${keyless.url}system/admin/cores`, { token })).status).toBe(404)
    }
    await keyless.stop()
  })
})

describe('cores and servers', () => {
  it('consist of this node', async () => {
    const { url } = node()
    const core = { id: 'single', url, hosting: null, available: true, userCount: 2 }
    expect(resultOf(await operator(node(), 'system/admin/cores'))).toEqual([200, { cores: [core] }])
    for (const path of ['reg/admin/servers', 'admin/servers']) {
      expect(resultOf(await operator(node(), path))).toEqual([200, { servers: { [url]: { userCount: 2 } } }])
    }
  })

  it.each(['single', '127.0.0.1', 'LOCALHOST'])('list their users by name: %s', async (name) => {
    const users = name === 'LOCALHOST' ? [] : [{ username: 'alice' }, { username: 'systemfan' }]
    for (const root of ['reg/admin', 'admin']) {
      expect(resultOf(await operator(node(), `${root}/servers/${name}/users`))).toEqual([200, { users }])
    }
  })

  it('list their users by URL', async () => {
    const users = [{ username: 'alice' }, { username: 'systemfan' }]
    const { url } = node()
    for (const root of ['reg/admin', 'admin']) {
      for (const name of [url, url.slice(0, -1), new URL(url).host, url.toUpperCase()]) {
        const own = encodeURIComponent(name)
        expect(resultOf(await operator(node(), `${root}/servers/${own}/users`))).toEqual([200, { users }])
        expect(resultOf(await operator(node(), `${root}/servers/${own}/rename/${own}`))).toEqual([200, { count: 0 }])
      }
      const other = encodeURIComponent('https://core-2.example/')
      expect(resultOf(await operator(node(), `${root}/servers/${other}/users`))).toEqual([200, { users: [] }])
      expect(await operator(node(), `${root}/servers/single/rename/${other}`)).toMatchObject({ status: 400, body: { error: { id: 'INVALID_DATA' } } })
    }
  })

  it('refuse a rename to an unknown server', async () => {
    for (const root of ['reg/admin', 'admin']) {
      const rename = async (from: string, to: string): ReturnType<typeof operator> => operator(node(), `${root}/servers/${from}/rename/${to}`)
      expect(resultOf(await rename('elsewhere', 'single'))).toEqual([200, { count: 0 }])
      expect(resultOf(await rename('single', 'single'))).toEqual([200, { count: 0 }])
      expect(await rename('single', 'elsewhere')).toMatchObject({ status: 400, body: { error: { id: 'INVALID_DATA' } } })
    }
  })
})

describe('users', () => {
  it.each(['system/admin/users', 'admin/users', 'reg/admin/users'])('are listed at /%s', async (path) => {
    const one = async (username: string): Promise<object> => ({
      username,
      id: await idOf(username),
      email: `${username}@example.org`,
      language: 'en',
    })
    expect(resultOf(await operator(node(), path))).toEqual([200, { users: [await one('alice'), await one('systemfan')] }])
  })

  it.each(['reg/admin/users', 'admin/users'])('are returned with indexed fields at /%s', async (path) => {
    expect(resultOf(await operator(node(), `${path}/ALICE`))).toEqual([
      200,
      { username: 'alice', language: 'en', appId: 'test-app', email: 'alice@example.org' },
    ])
    expect(await operator(node(), `${path}/nobody`)).toMatchObject({ status: 404, body: { error: { id: 'unknown-user' } } })
  })
})

describe('user-info', () => {
  it('returns usage counters, including methods without calls', async () => {
    const owner = await registerUser(node(), 'counted')
    const shared = [1, 2].map((n) => grantAccess(node(), 'counted', [{ streamId: '*', level: 'manage' }], { type: 'shared', name: `s${n}` }))
    const app = await grantAccess(node(), 'counted', [{ streamId: '*', level: 'read' }], { name: '__proto__' })
    const get = async (token: string, path: string): Promise<void> => {
      expect((await request(`${node().url}counted/${path}`, { token })).status).toBe(200)
    }
    const beforeCalls = await operator(node(), 'system/user-info/counted')
    expect(beforeCalls.body['userInfo']).toMatchObject({ lastAccess: 0, callsTotal: 0, callsPerAccess: { 'test-app': 0, shared: 0 } })
    await get(owner, 'events')
    await get(owner, 'streams')
    await get(app.token, 'events')
    for (const one of shared) await get((await one).token, 'events')
    await request(`${node().url}counted`, { token: owner, body: [{ method: 'streams.get', params: {} }, { method: 'events.get', params: {} }] })
    const { status, body } = await operator(node(), 'system/user-info/Counted')
    const info = body['userInfo'] as Record<string, unknown> & { callsDetail: Record<string, number> }
    expect(status).toBe(200)
    expect(info).toMatchObject({
      username: 'counted',
      storageUsed: { dbDocuments: expect.any(Number) as number, attachedFiles: 0 },
      callsTotal: 7,
      callsDetail: { 'events:get': 5, 'streams:get': 2, 'events:create': 0, 'webhooks:get': 0, getAccessInfo: 0 },
    })
    expect(JSON.parse(JSON.stringify(info['callsPerAccess']))).toEqual(JSON.parse('{"test-app":4,"shared":2,"__proto__":1}'))
    expect(info['lastAccess']).toBeGreaterThan(1e9)
    for (const { id, scope } of methods) if (scope === 'token') expect(info.callsDetail).toHaveProperty([id.replace('.', ':')])
    expect(JSON.stringify(body)).not.toContain(app.token)
  })

  it('fails for an unknown user', async () => {
    expect(await operator(node(), 'system/user-info/nobody')).toMatchObject({ status: 404, body: { error: { id: 'unknown-resource' } } })
  })
})

describe('accesses', () => {
  const readAccess = (id: string): ReturnType<typeof operator> => operator(node(), `system/accesses/${id}`)

  it('are found by their id, active or deleted, without token and name', async () => {
    const creation = await request(`${node().url}alice/accesses`, {
      token: alice,
      body: { name: 'very secret name', expireAfter: 1000, permissions: [{ streamId: '*', level: 'read' }] },
    })
    const { id, token, created, expires } = creation.body['access'] as { id: string; token: string; created: number; expires: number }
    const first = { username: 'alice', type: 'shared', created, expires, lastModified: created }
    expect(resultOf(await readAccess(id))).toEqual([200, { accessIndex: first }])
    const updated = await request(`${node().url}alice/accesses/${id}`, { method: 'PUT', token: alice, body: { name: 'other' } })
    const later = updated.body['access'] as { id: string; modified: number }
    expect(later.id).toBe(`${id}:1`)
    for (const one of [id, `${id}:0`, `${id}:1`]) {
      expect(resultOf(await readAccess(one))).toEqual([200, { accessIndex: { ...first, lastModified: later.modified } }])
    }
    expect(await readAccess(`${id}:2`)).toMatchObject({ status: 404, body: { error: { id: 'unknown-resource' } } })
    expect((await request(`${node().url}alice/accesses/${later.id}`, { method: 'DELETE', token: alice })).status).toBe(200)
    for (const one of [id, `${id}:1`]) {
      const { status, body } = await readAccess(one)
      const { deleted, lastModified, ...rest } = body['accessIndex'] as Record<string, unknown>
      expect([status, rest]).toEqual([200, { username: 'alice', type: 'shared', created, expires }])
      expect(deleted).toBeGreaterThanOrEqual(created)
      expect(lastModified).toBe(deleted)
      expect(JSON.stringify(body)).not.toMatch(new RegExp(`${token}|secret name|other`))
    }
  })

  it.each(['nothing', 'a', ':1', 'c00000000000000000000001'])('are not found by an unknown id: %j', async (id) => {
    expect(await readAccess(id)).toMatchObject({ status: 404, body: { error: { id: 'unknown-resource' } } })
  })
})

describe('certificates', () => {
  it('are an empty list, and cannot be renewed', async () => {
    expect(resultOf(await operator(node(), 'system/admin/certs'))).toEqual([200, { certs: [] }])
    const renew = (body: unknown): ReturnType<typeof operator> => operator(node(), 'system/admin/certs/force-renew', { method: 'POST', body })
    for (const hostname of [5, null, {}]) {
      expect(await renew({ hostname })).toMatchObject({ status: 400, body: { error: { id: 'invalid-request' } } })
    }
    for (const body of [{}, { hostname: 'example.org' }]) {
      expect(await renew(body)).toMatchObject({ status: 400, body: { ok: false, error: { id: 'renewal-failed' }, meta: {} } })
    }
  })
})

describe('an acknowledgement of a core', () => {
  it('is refused without a token', async () => {
    expect(await request(`${node().url}system/admin/cores/ack`, { body: {} })).toMatchObject({ status: 400, body: { error: { id: 'invalid-body' } } })
  })
})
