/** Addresses of cores and of their accounts. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadConfig } from '../../../../src/server/config/config.js'
import { apiEndpoint, apiTemplate, accessRoot, publicBaseOf, registerRoot } from '../../../../src/server/config/apiEndpoint.js'
import { coreOfSettings, urlOfCore } from '../../../../src/server/platform/cores/ownCore.js'
import { rawRequest, type RawAnswer } from '../../../support/http/rawRequest.js'
import { ADMIN_KEY, startCores, type TestCores } from '../../../support/nodes/memoryPlatform.js'
import { makeAccount, request } from '../../../support/nodes/node.js'

const etcd = {
  'platform.etcd': ['http://127.0.0.1:1'],
  'platform.id': 'memoryplatform',
  'auth.adminAccessKey': ADMIN_KEY,
  'auth.filesReadTokenSecret': 'secret of read tokens',
  'service.name': 'Several cores',
  'service.serial': '1',
  'service.home': 'https://example.org/home/',
  'service.support': 'https://example.org/support/',
  'service.terms': 'https://example.org/terms/',
  'service.eventTypes': '/dev/null',
}
const byHost = { 'dnsLess.isActive': false, 'dns.domain': 'example.org' }

describe('the addresses of a core', () => {
  it.each<[what: string, settings: Record<string, unknown>, expected: { core: string; api: string; register: string; access: string }]>([
    [
      'of one, by path',
      { 'dnsLess.publicUrl': 'https://node.example.org/' },
      { core: 'https://node.example.org/', api: 'https://node.example.org/alice/', register: 'https://node.example.org/reg/', access: 'https://node.example.org/reg/access/' },
    ],
    [
      'of one, by host name',
      byHost,
      { core: 'https://core.example.org/', api: 'https://alice.example.org/', register: 'https://reg.example.org/', access: 'https://access.example.org/access/' },
    ],
    [
      'by host name',
      { ...etcd, ...byHost, 'core.id': 'core-a' },
      { core: 'https://core-a.example.org/', api: 'https://alice.example.org/', register: 'https://reg.example.org/', access: 'https://access.example.org/access/' },
    ],
    [
      'by host name, with its own address',
      { ...etcd, ...byHost, 'core.id': 'core-a', 'core.url': 'https://a.example.net' },
      { core: 'https://a.example.net/', api: 'https://alice.example.org/', register: 'https://reg.example.org/', access: 'https://access.example.org/access/' },
    ],
    [
      'by path',
      { ...etcd, 'core.id': 'core-a', 'core.url': 'https://a.example.net/' },
      { core: 'https://a.example.net/', api: 'https://a.example.net/alice/', register: 'https://a.example.net/reg/', access: 'https://a.example.net/reg/access/' },
    ],
    [
      'by path, behind a front',
      { ...etcd, 'core.id': 'core-a', 'core.url': 'https://a.example.net/', 'platform.url': 'https://example.net/' },
      { core: 'https://a.example.net/', api: 'https://a.example.net/alice/', register: 'https://example.net/reg/', access: 'https://example.net/reg/access/' },
    ],
  ])('%s', (_, settings, expected) => {
    const config = loadConfig({ flags: settings })
    const base = publicBaseOf(config) ?? ''
    const node = { config, publicBase: () => base }
    const own = coreOfSettings(config, base)
    expect({ core: own.url, api: apiEndpoint(node, 'alice'), register: registerRoot(node), access: accessRoot(node) }).toEqual(expected)
    expect(apiTemplate(node)).toBe(expected.api.replace('alice', '{username}'))
    expect(urlOfCore(config, own)).toBe(expected.core)
  })

  it('of another core follow from its id, unless it advertises one', () => {
    const config = loadConfig({ flags: byHost })
    expect(urlOfCore(config, { id: 'core-b', url: null })).toBe('https://core-b.example.org/')
    expect(urlOfCore(config, { id: 'core-b', url: 'https://b.example.net' })).toBe('https://b.example.net/')
    expect(urlOfCore(loadConfig(), { id: 'core-b', url: null })).toBeUndefined()
  })
})

describe('cores with account host names', () => {
  let cores: TestCores
  beforeAll(async () => {
    cores = await startCores({ 'core-a': {}, 'core-b': {} }, { shared: { ...etcd, ...byHost } })
    await makeAccount(cores.node('core-b'), 'bobby')
  })
  afterAll(() => cores.stop())

  const at = (host: string, path: string): Promise<RawAnswer> =>
    rawRequest(cores.node('core-a').port, `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)

  it('answer wrong-core to the host name of an account of another', async () => {
    const { status, body } = await at('bobby.example.org', '/events')
    expect({ status, error: body['error'] }).toMatchObject({ status: 421, error: { id: 'wrong-core', coreUrl: 'https://core-b.example.org/' } })
  })

  it('describe the service under that name, with the addresses of the platform', async () => {
    expect(await at('bobby.example.org', '/service/info')).toMatchObject({
      status: 200,
      body: { api: 'https://{username}.example.org/', register: 'https://reg.example.org/', access: 'https://access.example.org/access/', name: 'Several cores' },
    })
  })

  it('are no accounts under their own host names, and reserve them', async () => {
    expect(await at('core-b.example.org', '/service/info')).toMatchObject({ status: 200 })
    expect((await at('core-b.example.org', '/bobby/events')).status).toBe(421)
    expect((await at('reg.example.org', '/core-b/check_username')).body).toMatchObject({ reserved: true })
    const registered = await request(`${cores.node('core-a').url}users`, { body: { username: 'core-b', password: 'correct horse', email: 'x@example.org', appId: 'test-app' } })
    expect(registered.status).toBe(409)
  })

  it('find the core and the alias of an account', async () => {
    expect((await at('reg.example.org', '/cores?username=bobby')).body['core']).toEqual({ url: 'https://core-b.example.org/' })
  })
})

describe('an app at the address in front of all cores', () => {
  let cores: TestCores
  beforeAll(async () => {
    cores = await startCores({ 'core-a': {} }, { shared: { 'platform.url': 'https://front.example.net/', 'auth.trustedApps': '' } })
    await makeAccount(cores.node('core-a'), 'alice')
  })
  afterAll(() => cores.stop())

  it.each([
    ['https://front.example.net', 200],
    ['https://front.example.net/reg/', 200],
    ['https://front.example.net.attacker.example', 401],
  ])('may log in from %s: %i', async (origin, status) => {
    const body = { username: 'alice', password: 'correct horse', appId: 'test-app' }
    expect((await request(`${cores.node('core-a').url}alice/auth/login`, { body, headers: { origin } })).status).toBe(status)
  })
})
