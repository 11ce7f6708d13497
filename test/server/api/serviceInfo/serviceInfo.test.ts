/** Service info: docs/interface/service-info.md. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { serialOf } from '../../../../src/server/api/serviceInfo/serial.js'
import { homes } from '../../../support/nodes/home.js'
import { registerUser, request, startTestNode, type TestNode } from '../../../support/nodes/node.js'
import { rawTarget } from '../../../support/http/rawRequest.js'

const paths = [
  'service/info',
  'service/infos',
  'service/info/',
  'reg/service/info',
  'reg/service/infos',
  'alice/service/info',
  'alice/service/infos',
  'ALICE/service/info/',
]

const { folder } = homes()

/** Returns the service info of a node with these settings. */
async function infoOf(settings: Record<string, unknown>): Promise<Record<string, unknown>> {
  const node = await startTestNode(settings)
  const { body } = await request(`${node.url}service/info`)
  await node.stop()
  return body
}

describe('service info with default settings', () => {
  let node: TestNode
  beforeAll(async () => {
    node = await startTestNode()
    await registerUser(node, 'alice')
  })
  afterAll(() => node.stop())

  it.each(paths)('is complete at /%s without a token', async (path) => {
    const { status, body } = await request(`${node.url}${path}`)
    expect(status).toBe(200)
    expect(body).toEqual({
      serial: expect.stringMatching(/^[0-9a-f]{16}$/) as string,
      api: `${node.url}{username}/`,
      access: `${node.url}reg/access/`,
      register: `${node.url}reg/`,
      name: 'coffer',
      home: node.url,
      support: node.url,
      terms: node.url,
      eventTypes: `${node.url}assets/event-types/flat.json`,
      version: expect.stringMatching(/^\d+\.\d+\.\d+/) as string,
      assets: { definitions: `${node.url}assets/index.json` },
      features: {
        contentQueries: true,
        seriesSummary: true,
        summaries: { events: true, streams: true },
        mfa: { methods: ['totp'] },
        emailVerification: { atRegistration: false, onAccount: false },
        delegation: true,
        devices: true,
      },
      meta: expect.any(Object) as object,
    })
  })

  it('has the serial and version of meta and headers', async () => {
    const { body, headers } = await request(`${node.url}service/info`)
    const meta = body['meta'] as { serial: string; apiVersion: string }
    expect(meta.serial).toBe(body['serial'])
    expect(meta.apiVersion).toBe(body['version'])
    expect(headers.get('api-version')).toBe(body['version'])
  })

  it('announces a version from which clients use the modern routes', async () => {
    const { body } = await request(`${node.url}service/info`)
    const [major = 0, minor = 0] = String(body['version']).split('.').map(Number)
    expect(major * 1000 + minor).toBeGreaterThanOrEqual(1006)
  })

  it('contains URLs that are served', async () => {
    const { body } = await request(`${node.url}service/info`)
    expect((await request(String(body['eventTypes']))).body).toMatchObject({ types: { 'note/txt': {} } })
    const { definitions } = body['assets'] as { definitions: string }
    expect((await request(definitions)).body).toMatchObject({ baseUrl: `${node.url}assets/` })
    expect((await request(`${String(body['register'])}hostings`)).status).toBe(200)
    expect((await request(String(body['api']).replace('{username}', 'alice'))).status).toBe(200)
    expect((await request(`${String(body['access'])}some-key`)).status).toBe(400)
  })

  it('ignores tokens and parameters', async () => {
    expect((await request(`${node.url}service/info?x=1&auth=unknown`, { token: 'unknown' })).status).toBe(200)
    expect((await request(`${node.url}alice/service/info?x=1`, { token: 'unknown' })).status).toBe(200)
  })

  it('is not available for unknown users or by POST', async () => {
    const unknown = { status: 404, body: { error: { id: 'unknown-resource' }, meta: { serial: expect.stringMatching(/^[0-9a-f]{16}$/) as string } } }
    expect(await request(`${node.url}nobody/service/info`)).toMatchObject(unknown)
    for (const path of paths) expect(await request(`${node.url}${path}`, { body: {} })).toMatchObject(unknown)
  })

  it('ignores the Host header', async () => {
    const { body } = await rawTarget(node.port, '/service/info', ['Host: evil.example'])
    expect(body).toMatchObject({ api: `${node.url}{username}/`, register: `${node.url}reg/`, home: node.url })
  })
})

describe('configured service info', () => {
  let node: TestNode
  beforeAll(async () => {
    node = await startTestNode({
      'dnsLess.publicUrl': 'https://node.example/base/',
      'service.name': 'Our node',
      'service.serial': '2024112101',
      'service.home': 'https://home.example',
      'service.support': 'help@example.org',
      'service.terms': 'Be kind.',
      'service.version': '2.5.1-rc.1',
    })
    await registerUser(node, 'alice')
  })
  afterAll(() => node.stop())

  it.each(paths)('is returned at /%s', async (path) => {
    const { body, headers } = await request(`${node.url}${path}`)
    expect(body).toMatchObject({
      serial: '2024112101',
      api: 'https://node.example/base/{username}/',
      access: 'https://node.example/base/reg/access/',
      register: 'https://node.example/base/reg/',
      name: 'Our node',
      home: 'https://home.example',
      support: 'help@example.org',
      terms: 'Be kind.',
      version: '2.5.1-rc.1',
      meta: { serial: '2024112101', apiVersion: '2.5.1-rc.1' },
    })
    expect(headers.get('api-version')).toBe('2.5.1-rc.1')
  })

  it.each([
    ['https://node.example', 'https://node.example'],
    ['https://node.example:8443/', 'https://node.example:8443'],
  ])('contains URLs below the public URL %s', async (publicUrl, base) => {
    expect(await infoOf({ 'dnsLess.publicUrl': publicUrl })).toMatchObject({
      api: `${base}/{username}/`,
      access: `${base}/reg/access/`,
      register: `${base}/reg/`,
      home: `${base}/`,
      support: `${base}/`,
      terms: `${base}/`,
      eventTypes: `${base}/assets/event-types/flat.json`,
      assets: { definitions: `${base}/assets/index.json` },
    })
  })

  it('returns texts unchanged', async () => {
    const texts = { name: 'Ärzte & "Söhne" </script>', serial: '"1"', terms: 'Be kind.\nAlways.' }
    const settings = Object.entries(texts).map(([key, text]) => [`service.${key}`, text])
    expect(await infoOf(Object.fromEntries(settings))).toMatchObject({ ...texts, meta: { serial: '"1"' } })
  })

  it('contains the URL of event types, which is served by the node for types of a file', async () => {
    const elsewhere = 'http://127.0.0.1:9/no-directory.json'
    expect(await infoOf({ 'service.eventTypes': elsewhere })).toMatchObject({ eventTypes: elsewhere })
    const file = join(await folder(), 'types.json')
    const types = { 'weather/mood': { type: 'string', description: 'How the sky feels.' } }
    await writeFile(file, JSON.stringify({ version: '7.0.0', types }))
    const own = await startTestNode({ 'service.eventTypes': file })
    const { eventTypes } = (await request(`${own.url}service/info`)).body
    expect(eventTypes).toBe(`${own.url}assets/event-types/flat.json`)
    expect(await request(String(eventTypes))).toMatchObject({ status: 200, body: { types } })
    await own.stop()
  })
})

describe('service info with a domain', () => {
  let node: TestNode
  beforeAll(async () => {
    node = await startTestNode({ 'dns.domain': 'example.org', 'dnsLess.isActive': false })
  })
  afterAll(() => node.stop())

  it('contains URLs with host names of the domain', async () => {
    const { body } = await request(`${node.url}service/info`)
    expect(body).toMatchObject({
      api: 'https://{username}.example.org/',
      register: 'https://reg.example.org/',
      access: 'https://access.example.org/access/',
    })
  })

  it('matches API endpoints, which have host names of the domain', async () => {
    const { body } = await request(`${node.url}users`, {
      body: { username: 'alice', password: 'correct horse', email: 'a@example.org', appId: 'test-app' },
    })
    expect(body['apiEndpoint']).toBe(`https://${String(body['token'])}@alice.example.org/`)
    const server = await request(`${node.url}reg/alice/server`, { body: {} })
    expect(server.body).toMatchObject({ alias: 'alice.example.org' })
  })

  it.each([
    ['reg.example.org', '/service/info'],
    ['reg.example.org', '/reg/service/info'],
    ['access.example.org', '/service/infos'],
    ['alice.example.org', '/service/info'],
    ['alice.example.org', '/service/infos'],
    ['example.org', '/service/info'],
    ['example.org', '/alice/service/info'],
    ['127.0.0.1', '/reg/service/info'],
  ])('is the same at %s%s', async (host, path) => {
    const expected = (await request(`${node.url}service/info`)).body
    const { status, body } = await rawTarget(node.port, path, [`Host: ${host}`])
    expect({ status, body }).toEqual({ status: 200, body: { ...expected, meta: expect.any(Object) as object } })
  })

  it('is not available at the host name of an unknown user', async () => {
    const { status, body } = await rawTarget(node.port, '/service/info', ['Host: nobody.example.org'])
    expect({ status, body }).toMatchObject({ status: 404, body: { error: { id: 'unknown-resource' } } })
  })

  it('ignores the domain while dnsLess is active', async () => {
    const other = await startTestNode({ 'dns.domain': 'example.org' })
    const { body } = await request(`${other.url}service/info`)
    await other.stop()
    expect(body).toMatchObject({ api: `${other.url}{username}/`, register: `${other.url}reg/` })
  })
})

describe('the serial', () => {
  const settings = { 'dnsLess.publicUrl': 'https://node.example/', 'service.name': 'Our node' }
  const serialWith = async (more: Record<string, unknown> = {}): Promise<string> => {
    const { serial, meta } = await infoOf({ ...settings, ...more })
    expect(meta).toMatchObject({ serial })
    return String(serial)
  }

  it('is unchanged after a restart with the same service settings', async () => {
    expect(await serialWith()).toBe(await serialWith({ 'limits.json.maxSizeWithoutTokenKb': 65 }))
  })

  it('changes with each setting of the service info, and with the version', async () => {
    const node = await startTestNode(settings)
    const serials = [serialOf(node.node, '9.0.0'), serialOf(node.node, '9.0.1')]
    await node.stop()
    for (const [key, value] of Object.entries({
      'service.name': 'Another name',
      'service.terms': 'Be kind.',
      'service.features': { noHF: true },
      'service.version': '2.0.1',
      'dnsLess.publicUrl': 'https://other.example/',
      'delegation.active': false,
    })) {
      serials.push(await serialWith({ [key]: value }))
    }
    serials.push(await serialWith())
    expect(new Set(serials).size).toBe(serials.length)
  })

  it('is the configured one if set', async () => {
    expect(await serialWith({ 'service.serial': '7' })).toBe('7')
    expect(await serialWith({ 'service.serial': '7', 'service.name': 'Another name' })).toBe('7')
  })
})
