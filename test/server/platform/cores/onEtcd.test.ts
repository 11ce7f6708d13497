/** Several cores on a real etcd: registration, addresses of accounts, restarts, and etcd being away. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createEtcdClient } from '../../../../src/server/platform/registry/etcd/client.js'
import { PlatformTooNew } from '../../../../src/server/platform/joining/unusablePlatform.js'
import { PLATFORM_ID, startEtcdCores, type EtcdCores } from '../../../support/nodes/etcdCores.js'
import { registerUser, request } from '../../../support/nodes/node.js'
import { hasEtcd, startEtcd, titleWithEtcd, type TestEtcd } from '../../../support/services/etcd.js'

describe.skipIf(!hasEtcd)(titleWithEtcd('cores on etcd'), () => {
  let etcd: TestEtcd
  let cores: EtcdCores
  beforeAll(async () => {
    etcd = await startEtcd({ members: 1 })
    cores = await startEtcdCores(etcd, ['one', 'two'], { 'core.available': true })
  })
  afterAll(async () => {
    await cores.stopAll()
    await etcd.stop()
  })

  it('answer 421 with the core of an account, and serve it there', async () => {
    const token = await registerUser(cores.node('one'), 'first-user')
    const urls = ['one', 'two'].map((id) => cores.node(id).url)
    const homes = await Promise.all(urls.map((url) => request(`${url}first-user/access-info`, { token })))
    expect(homes.map(({ status }) => status).sort()).toEqual([200, 421])
    const at = homes.findIndex(({ status }) => status === 200)
    const elsewhere = homes[1 - at]
    expect(elsewhere?.body).toMatchObject({ error: { id: 'wrong-core', coreUrl: urls[at], data: { coreUrl: urls[at] } }, meta: {} })
    expect(await request(`${urls[1 - at] ?? ''}nobody-here/access-info`, { token })).toMatchObject({ status: 404, body: { error: { id: 'unknown-resource' } } })
  })

  it('give an access an alias that leads to its account from every core, until the access is deleted', async () => {
    const token = await registerUser(cores.node('two'), 'alias-owner')
    const home = (await request(`${cores.node('one').url}reg/cores?username=alias-owner`)).body as { core: { url: string } }
    const other = ['one', 'two'].map((id) => cores.node(id).url).find((url) => url !== home.core.url) ?? ''
    const created = await request(`${home.core.url}alias-owner`, {
      token,
      body: [
        { method: 'accesses.create', params: { name: 'a', permissions: [{ streamId: '*', level: 'read' }], randomAlias: true } },
        { method: 'accesses.get', params: {} },
      ],
    })
    const [{ access }, { accesses }] = created.body['results'] as [{ access: { id: string; alias: string } }, { accesses: { name: string }[] }]
    expect(accesses.map(({ name }) => name)).toContain('a')
    expect(await request(`${other}${access.alias}/access-info`, { token })).toMatchObject({ status: 421, body: { error: { coreUrl: home.core.url } } })
    expect((await request(`${home.core.url}${access.alias}/access-info`, { token })).status).toBe(200)
    await request(`${home.core.url}alias-owner/accesses/${access.id}`, { token, method: 'DELETE' })
    expect((await request(`${home.core.url}${access.alias}/access-info`, { token })).status).toBe(404)
    // The other core remembers the holder for half a minute: what it would learn then is asked now.
    const { registry } = cores.node(other === cores.node('one').url ? 'one' : 'two').node
    await expect.poll(() => registry.lookUp({ field: 'alias', value: access.alias }, { isFresh: true }), { timeout: 20_000 }).toBeUndefined()
    expect((await request(`${other}${access.alias}/access-info`, { token })).status).toBe(404)
  }, 60_000)

  it('do not start on a platform with a layout of a newer version', async () => {
    const client = createEtcdClient({ endpoints: etcd.endpoints, log: cores.node('one').node.log })
    const key = `/coffer/${PLATFORM_ID}/meta`
    const [meta] = (await client.range({ key })).items
    const value = JSON.parse(meta?.value ?? '{}') as object
    await cores.stop('two')
    await client.transaction({ then: [{ put: key, value: JSON.stringify({ ...value, v: 2 }) }] })
    await expect(cores.start('two')).rejects.toEqual(new PlatformTooNew(2, 1))
    await client.transaction({ then: [{ put: key, value: meta?.value ?? '' }] })
    client.close()
    await cores.start('two')
  }, 60_000)

  it('serve their accounts when etcd is away, and answer 503 where they need it', async () => {
    const id = (await request(`${cores.node('one').url}first-user/access-info`)).status === 421 ? 'two' : 'one'
    await cores.stop(id)
    const node = await cores.start(id)
    await etcd.kill(0)
    const login = await request(`${node.url}first-user/auth/login`, { body: { username: 'first-user', password: 'test-password-1', appId: 'app' }, headers: { origin: node.url } })
    expect(login.status === 200 || login.status === 401).toBe(true)
    const unknown = await request(`${node.url}never-asked/access-info`)
    expect(unknown).toMatchObject({ status: 503, body: { error: { id: 'platform-unavailable' } } })
    await cores.stop(id)
    const again = await cores.start(id)
    expect((await request(`${again.url}first-user/access-info`)).status).toBe(401)
    await etcd.restart(0)
    await expect.poll(async () => (await request(`${again.url}never-asked/access-info`)).status, { timeout: 20_000 }).toBe(404)
    await expect.poll(async () => (await request(`${again.url}reg/later-user/check_username`)).body, { timeout: 20_000 }).toMatchObject({ reserved: false })
  })
})
