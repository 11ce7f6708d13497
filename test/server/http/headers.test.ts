/** Headers and `meta` of every answer: docs/interface/conventions.md#meta, docs/interface/conventions.md#headers. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { grantAccess } from '../../support/people/access.js'
import { attached, filePart } from '../../support/http/multipart.js'
import { registerUser, request, startTestNode, type Answer, type TestNode } from '../../support/nodes/node.js'
import { rawRequest } from '../../support/http/rawRequest.js'

const EXPOSED = 'API-Version, Svc-Access-Id, Retry-After, WWW-Authenticate, Content-Disposition, Content-Range, Accept-Ranges, Digest, Link'
/** Response headers that browsers expose to scripts of all origins (Fetch standard), and headers for the browser itself. */
const SAFELISTED = ['cache-control', 'content-language', 'content-length', 'content-type', 'expires', 'last-modified', 'pragma']
const FOR_BROWSER = /^(access-control-|x-content-type-options$|content-security-policy$|connection$|keep-alive$|transfer-encoding$|date$|vary$)/

describe('answers', () => {
  let node: TestNode
  let owner: { token: string; id: string }
  let app: { token: string; id: string }
  let expired: { token: string; id: string }
  beforeAll(async () => {
    node = await startTestNode({ 'limits.json.maxSizeMb': 0.01 })
    const token = await registerUser(node, 'alice')
    const { body } = await request(`${node.url}alice/access-info`, { token })
    owner = { token, id: String(body['id']) }
    app = await grantAccess(node, 'alice', [{ streamId: 'home', level: 'read' }])
    expired = await grantAccess(node, 'alice', [], { expires: 1000 })
    await request(`${node.url}alice/streams`, { token, body: { id: 'home', name: 'Home' } })
  })
  afterAll(() => node.stop())

  type Options = Parameters<typeof request>[1]
  const ask = (path: string, options?: Options): Promise<Answer> => request(`${node.url}${path}`, options)

  /** Successes and failures of each stage of a request. */
  const answers: [string, number, () => Promise<Answer>][] = [
    ['the root', 200, () => ask('')],
    ['the root as JSON', 200, () => ask('', { headers: { accept: 'application/json' } })],
    ['the root of a user', 200, () => ask('alice/')],
    ['service info', 200, () => ask('service/info')],
    ['a list', 200, () => ask('alice/events', { token: owner.token })],
    ['a tree', 200, () => ask('alice/streams', { token: owner.token })],
    ['a batch', 200, () => ask('alice', { token: owner.token, body: [] })],
    ['a creation', 201, () => ask('alice/streams', { token: owner.token, body: { name: 'New' } })],
    ['an unknown user', 404, () => ask('nobody/streams')],
    ['an unknown path', 404, () => ask('alice/nothing')],
    ['an unknown path of the node', 404, () => ask('reg/nothing')],
    ['an unsupported verb', 404, () => ask('alice/streams', { method: 'PATCH', body: {} })],
    ['no token', 401, () => ask('alice/streams')],
    ['an unknown token', 403, () => ask('alice/streams', { token: 'unknown' })],
    ['an expired token', 403, () => ask('alice/streams', { token: expired.token })],
    ['an unknown event', 404, () => ask('alice/events/cabcdefghijklmnopqrstuvwx', { token: owner.token })],
    ['invalid parameters', 400, () => ask('alice/streams?state=x', { token: owner.token })],
    ['broken JSON', 400, () => ask('alice/streams', { token: owner.token, body: '{' })],
    ['too large a body', 413, () => ask('alice/streams', { token: owner.token, body: 'x'.repeat(20_000) })],
    ['a removed method', 410, () => ask('alice/events/start', { body: {} })],
    ['an acknowledgement of a core without a token', 400, () => ask('system/admin/cores/ack', { body: {} })],
    ['a refused login', 401, () => ask('alice/auth/login', { body: { username: 'alice', password: 'x', appId: 'y' } })],
    ['a taken name', 409, () => ask('users', { body: { username: 'alice', password: 'correct horse', email: 'x@y', appId: 'test-app' } })],
  ]

  describe.each(answers)('to %s', (_, status, send) => {
    it('have the common headers and meta', async () => {
      const answer = await send()
      expect(answer.status).toBe(status)
      const { headers, body } = answer
      expect(headers.get('api-version')).toMatch(/^\d+\.\d+\.\d+(-.*)?$/)
      expect(headers.get('access-control-allow-origin')).toBe('*')
      expect(headers.get('access-control-allow-methods')).toBe('POST, GET, PUT, DELETE, OPTIONS')
      expect(headers.get('access-control-allow-headers')).toBe('Authorization, Content-Type')
      expect(headers.get('access-control-expose-headers')).toBe(EXPOSED)
      expect(headers.get('access-control-max-age')).toBe('31536000')
      expect(headers.get('access-control-allow-credentials')).toBe('true')
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      for (const absent of ['x-powered-by', 'last-modified', 'set-cookie', 'etag']) expect(headers.has(absent)).toBe(false)
      if (!('text' in body)) {
        expect(body['meta']).toEqual({
          apiVersion: headers.get('api-version'),
          serverTime: expect.any(Number) as number,
          serial: expect.stringMatching(/^[0-9a-f]{16}$/) as string,
        })
        expect(headers.get('content-type')).toMatch(/^application\/json/)
      }
      if (status >= 400) {
        expect(body['error']).toMatchObject({ id: expect.any(String) as string, message: expect.any(String) as string })
        expect(Object.keys(body)).toEqual(['error', 'meta'])
      }
    })
  })

  it('expose every header with information to scripts of other origins', async () => {
    const readable = new Set([...SAFELISTED, ...EXPOSED.toLowerCase().split(', ')])
    const alice = { node, username: 'alice', owner: owner.token }
    const { id, files } = await attached(alice, [filePart('a.txt', 'abc')], { streamIds: ['home'], type: 'note/txt', content: 'x' })
    const file = await fetch(`${node.url}alice/events/${id}/${files[0]?.id}`, { headers: { authorization: owner.token, range: 'bytes=0-1' } })
    expect([file.status, await file.text()]).toEqual([206, 'ab'])
    const names = new Set(file.headers.keys())
    for (const [, , send] of answers) for (const name of (await send()).headers.keys()) names.add(name)
    expect([...names].filter((name) => !FOR_BROWSER.test(name) && !readable.has(name))).toEqual([])
    for (const name of ['svc-access-id', 'www-authenticate', 'content-disposition']) expect(names).toContain(name)
  })

  it('echo the requested origin and headers, on success and failure', async () => {
    for (const path of ['service/info', 'nobody/streams', 'alice/streams']) {
      const { headers } = await ask(path, { headers: { origin: 'https://app.example', 'access-control-request-headers': 'X-One, X-Two' } })
      expect(headers.get('access-control-allow-origin')).toBe('https://app.example')
      expect(headers.get('access-control-allow-headers')).toBe('X-One, X-Two')
    }
  })

  it.each(['', 'alice', 'alice/events', 'nobody/events', 'alice/events/abc/series', 'series/batch', 'users', 'a/%zz'])(
    'to a preflight of /%s are OK, without a token or a user',
    async (path) => {
      const response = await fetch(`${node.url}${path}`, {
        method: 'OPTIONS',
        headers: {
          origin: 'https://app.example',
          'access-control-request-method': 'PUT',
          'access-control-request-headers': 'authorization',
        },
      })
      expect(response.status).toBe(200)
      expect(await response.text()).toBe('OK')
      expect(response.headers.get('access-control-allow-origin')).toBe('https://app.example')
      expect(response.headers.get('access-control-allow-methods')).toBe('PUT')
      expect(response.headers.get('access-control-allow-headers')).toBe('authorization')
      expect(response.headers.get('api-version')).not.toBeNull()
    },
  )

  it('contain the id of the access once it is known, also on failure', async () => {
    const accessOf = async (path: string, options?: Options): Promise<string | null> =>
      (await ask(path, options)).headers.get('svc-access-id')
    expect(await accessOf('alice/streams', { token: owner.token })).toBe(owner.id)
    expect(await accessOf('alice/events', { token: app.token })).toBe(app.id)
    expect(await accessOf(`alice/streams?auth=${app.token}`)).toBe(app.id)
    expect(await accessOf('alice', { token: app.token, body: [] })).toBe(app.id)
    // Failures after authentication.
    expect(await accessOf('alice/events/cabcdefghijklmnopqrstuvwx', { token: app.token })).toBe(app.id)
    expect(await accessOf('alice/streams?state=x', { token: app.token })).toBe(app.id)
    expect(await accessOf('alice/streams', { token: app.token, body: { name: 'X' } })).toBe(app.id)
    expect(await accessOf('alice/streams', { token: app.token, body: {} })).toBe(app.id)
    expect(await accessOf('alice', { token: app.token, body: [{ method: 'x' }] })).toBe(app.id)
    expect(await accessOf('alice/webhooks', { token: app.token })).toBe(app.id)
    expect(await accessOf('alice/streams', { token: expired.token })).toBe(expired.id)
    // No access.
    expect(await accessOf('alice/streams')).toBeNull()
    expect(await accessOf('alice/streams', { token: 'unknown' })).toBeNull()
    expect(await accessOf('service/info', { token: app.token })).toBeNull()
    expect(await accessOf('nobody/streams', { token: app.token })).toBeNull()
  })

  it('have a charset and a length, or, if streamed, neither, with meta last', async () => {
    const whole = await ask('alice/streams', { token: owner.token })
    expect(whole.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(Number(whole.headers.get('content-length'))).toBeGreaterThan(0)
    for (const path of ['alice/events', 'alice/events?includeDeletions=true&modifiedSince=0']) {
      const streamed = await ask(path, { token: owner.token })
      expect(streamed.status).toBe(200)
      expect(streamed.headers.get('content-type')).toBe('application/json')
      expect(streamed.headers.get('transfer-encoding')).toBe('chunked')
      expect(streamed.headers.has('content-length')).toBe(false)
      expect(Object.keys(streamed.body).at(-1)).toBe('meta')
    }
  })

  it('to deletions of streams are streamed', async () => {
    await ask('alice/streams', { token: owner.token, body: { id: 'doomed', name: 'Doomed' } })
    await ask('alice/streams/doomed', { method: 'DELETE', token: owner.token })
    const { headers, body } = await ask('alice/streams/doomed', { method: 'DELETE', token: owner.token })
    expect(headers.get('content-type')).toBe('application/json')
    expect(headers.get('transfer-encoding')).toBe('chunked')
    expect(Object.keys(body)).toEqual(['updatedEvents', 'streamDeletion', 'meta'])
  })

  it.each(['', 'alice/', 'alice/streams', 'alice/events', 'service/info', 'nobody/', 'alice/nothing'])(
    'to HEAD /%s equal those to GET without the body',
    async (path) => {
      const options = { headers: { authorization: owner.token } }
      const get = await fetch(`${node.url}${path}`, options)
      await get.text()
      const head = await fetch(`${node.url}${path}`, { ...options, method: 'HEAD' })
      expect(head.status).toBe(get.status)
      expect(await head.text()).toBe('')
      for (const name of ['content-type', 'api-version', 'svc-access-id', 'access-control-allow-origin']) {
        expect(head.headers.get(name)).toBe(get.headers.get(name))
      }
    },
  )

  it.each(['PATCH', 'PUT', 'DELETE'])('to an unsupported %s are 404', async (method) => {
    for (const path of ['', 'alice', 'alice/streams', 'alice/access-info', 'service/info', 'users', 'alice/auth/login']) {
      const { status, body } = await ask(path, { method, token: owner.token, ...(method === 'DELETE' ? {} : { body: {} }) })
      expect({ path, status, body }).toMatchObject({ path, status: 404, body: { error: { id: 'unknown-resource' } } })
    }
  })

  it('to too large bodies contain the limit, with a length and chunked', async () => {
    const large = { status: 413, body: { error: { id: 'payload-too-large', data: { limitMb: 0.01 } } } }
    expect(await ask('alice/streams', { token: owner.token, body: { name: 'x'.repeat(20_000) } })).toMatchObject(large)
    const chunk = `4000\r\n${'x'.repeat(0x4000)}\r\n`
    const chunked = await rawRequest(
      node.port,
      `POST /alice/streams HTTP/1.1\r\nHost: x\r\nAuthorization: ${owner.token}\r\nContent-Type: application/json\r\n` +
        `Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n${chunk}${chunk}0\r\n\r\n`,
    )
    expect(chunked).toMatchObject(large)
  })

  it('contain the time of the node', async () => {
    const before = Date.now() / 1000
    const { body } = await ask('service/info')
    const { serverTime } = body['meta'] as { serverTime: number }
    expect(serverTime).toBeGreaterThanOrEqual(before - 0.001)
    expect(serverTime).toBeLessThanOrEqual(Date.now() / 1000)
  })
})
