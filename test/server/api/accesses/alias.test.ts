/** Aliases of accesses: docs/interface/accesses.md#access-info, docs/interface/accesses.md#creation. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createControl } from '../../../../src/server/control/control.js'
import { newAlias } from '../../../../src/server/base/ids.js'
import { methods } from '../../../../src/server/api/methods.js'
import { operatorMethods } from '../../../../src/server/control/operatorMethods.js'
import { expectSound } from '../../../support/store/check.js'
import { homes } from '../../../support/nodes/home.js'
import { registerUser, request, startTestNode, type TestNode } from '../../../support/nodes/node.js'
import { newStage, type Stage } from '../../../support/http/methodTable.js'
import { ask, errorOf, share } from '../../../support/people/shares.js'
import { rawTarget } from '../../../support/http/rawRequest.js'

const ALIAS = /^r-[a-hjkmnp-z2-9]{8}$/
const aliased = { permissions: [{ streamId: '*', level: 'manage' }], randomAlias: true }
const controlOf = (of: TestNode): ReturnType<typeof createControl> => createControl(of.node, methods, operatorMethods)
const { home } = homes()
let node: TestNode
let places: TestNode['places']
let s: Stage
beforeAll(async () => {
  places = await home()
  node = await startTestNode({}, { home: places.home })
  s = await newStage(node)
})
afterAll(async () => {
  await node.stop()
  await expectSound(places)
})

describe('an alias', () => {
  it('replaces the user name in the API endpoint of the access', async () => {
    const access = await share(s, aliased)
    expect(access.alias).toMatch(ALIAS)
    expect(access).not.toHaveProperty('randomAlias')
    expect(access.apiEndpoint).toBe(`${node.url.replace('://', `://${access.token}@`)}${access.alias}/`)
    expect(access.apiEndpoint).not.toContain(s.username)
    const listed = await ask(s, s.owner, 'GET', `/accesses/${access.id}`)
    expect(listed.body['access']).toMatchObject({ alias: access.alias, apiEndpoint: access.apiEndpoint })
  })

  it('exists only on request', async () => {
    expect(await share(s, { ...aliased, randomAlias: false })).not.toHaveProperty('alias')
  })

  it('serves every call, and replaces the user name in responses', async () => {
    const access = await share(s, { ...aliased, type: 'app' })
    const root = `${node.url}${access.alias}`
    const { token } = access
    expect((await request(root, { token, body: [{ method: 'getAccessInfo', params: {} }] })).body).toMatchObject({
      results: [{ alias: access.alias, user: { username: access.alias } }],
    })
    expect((await request(`${root}/streams`, { token, body: { id: `a${access.id}`, name: access.id } })).status).toBe(201)
    expect((await request(`${root}/service/info`)).status).toBe(200)
    const info = await request(`${root.toUpperCase().replace('HTTP', 'http')}/access-info`, { token })
    expect(info.body).toMatchObject({ alias: access.alias, user: { username: access.alias } })
    expect((await ask(s, token, 'GET', '/access-info')).body).toMatchObject({ user: { username: access.alias } })
  })

  it('does not replace the user name in responses to other accesses', async () => {
    const { alias } = await share(s, aliased)
    const plain = await share(s, { permissions: [] })
    const { body } = await request(`${node.url}${alias}/access-info`, { token: plain.token })
    expect(body).toMatchObject({ user: { username: s.username } })
    expect(body).not.toHaveProperty('alias')
  })

  it('is unknown after its access or account is deleted', async () => {
    const { alias, id, token } = await share(s, aliased)
    const info = (): ReturnType<typeof request> => request(`${node.url}${alias}/access-info`, { token })
    expect((await info()).status).toBe(200)
    await s.arrange('accesses.delete', { id })
    const deleted = await info()
    expect([deleted.status, errorOf(deleted).id]).toEqual([404, 'unknown-resource'])
    const other = await newStage(node)
    const theirs = await share(other, aliased)
    await controlOf(node).call('users.delete', { username: other.username }, {})
    expect((await request(`${node.url}${theirs.alias}/access-info`, { token: theirs.token })).status).toBe(404)
  })

  it('persists across updates', async () => {
    const { alias, id, token } = await share(s, aliased)
    await s.arrange('accesses.update', { id, update: { name: `renamed ${id}` } })
    expect((await request(`${node.url}${alias}/access-info`, { token })).body).toMatchObject({ id: `${id}:1`, alias })
  })

  it('is unique to each access, and cannot be registered as a user name', async () => {
    const made = await Promise.all(Array.from({ length: 50 }, () => share(s, { ...aliased })))
    expect(new Set(made.map(({ alias }) => alias)).size).toBe(50)
    const { status } = await request(`${node.url}users`, {
      body: { username: 'r-abcdefgh', password: 'correct horse', email: 'r@example.org', appId: 'test-app' },
    })
    expect(status).toBe(409)
  })

  it('is not accepted as a user name to delete an account', async () => {
    const { alias = '' } = await share(s, aliased)
    await expect(controlOf(node).call('users.delete', { username: alias }, {})).rejects.toThrow('Unknown user')
  })

  it('contains only unambiguous characters', () => {
    let n = 0
    const ids = ['zi0l1oabc', 'x999', 'yaaaaaaaa']
    expect(newAlias(() => ids[n++] ?? '')).toBe('r-abc999aa')
  })

  it('is a host name when accounts are addressed by host name', async () => {
    const hosts = await startTestNode({ 'dnsLess.isActive': false, 'dns.domain': 'example.test' })
    try {
      const owner = await registerUser(hosts, 'alice')
      const port = Number(new URL(hosts.url).port)
      const infoAt = (host: string, token: string): ReturnType<typeof rawTarget> =>
        rawTarget(port, '/access-info', [`Host: ${host}.example.test`, `Authorization: ${token}`])
      const made = await controlOf(hosts).call('accesses.create', { name: 'x', ...aliased }, { user: 'alice' })
      const { access } = made as { access: { alias: string; token: string; apiEndpoint: string } }
      expect(access.apiEndpoint).toBe(`https://${access.token}@${access.alias}.example.test/`)
      expect((await infoAt(access.alias, access.token)).body).toMatchObject({
        user: { username: access.alias },
      })
      expect((await infoAt('alice', owner)).body).toMatchObject({ user: { username: 'alice' } })
    } finally {
      await hosts.stop()
    }
  })
})
