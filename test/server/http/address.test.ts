/** Account addressed by a request, over raw sockets: docs/interface/conventions.md#addresses. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { registerUser, startTestNode, type TestNode } from '../../support/nodes/node.js'
import { rawRequest, rawTarget, type RawAnswer } from '../../support/http/rawRequest.js'

interface Expected {
  status: number
  error?: string
  /** Text of the body that identifies the addressed account or resource. */
  contains?: string
}

const outcome = ({ status, body, text }: RawAnswer): Expected => {
  const error = (body['error'] as { id: string } | undefined)?.id
  return { status, ...(error === undefined ? {} : { error }), contains: text }
}

function expectOutcome(answer: RawAnswer, expected: Expected): void {
  const { contains, ...rest } = outcome(answer)
  expect({ ...rest, text: contains }).toMatchObject({ status: expected.status, ...(expected.error === undefined ? {} : { error: expected.error }) })
  if (expected.error === undefined) expect(rest).not.toHaveProperty('error')
  if (expected.contains !== undefined) expect(contains).toContain(expected.contains)
  expect(answer.headers['api-version']).toMatch(/^\d+\.\d+\.\d+(-.*)?$/)
  if (expected.error !== undefined) {
    expect(answer.body['meta']).toEqual({
      apiVersion: answer.headers['api-version'],
      serverTime: expect.any(Number) as number,
      serial: expect.stringMatching(/^[0-9a-f]{16}$/) as string,
    })
  }
}

const ROOT: Expected = { status: 200, contains: 'This is the API' }
const SERVICE: Expected = { status: 200, contains: '"register":' }
const UNKNOWN: Expected = { status: 404, error: 'unknown-resource' }
const MALFORMED: Expected = { status: 400, error: 'invalid-request-structure' }
const NO_TOKEN: Expected = { status: 401, error: 'invalid-access-token' }

/** Ambiguous targets, which are refused with both forms of addresses. */
const malformed: [string, string][] = [
  ['an absolute target', 'http://evil.example/alice/streams'],
  ['a target without a slash', 'alice/streams'],
  ['two slashes', '//'],
  ['an empty segment at the beginning', '//alice/streams'],
  ['an empty segment inside', '/alice//streams'],
  ['an empty segment at the end', '/alice/streams//'],
  ['a dot segment', '/alice/./streams'],
  ['a dot segment at the end', '/alice/streams/.'],
  ['two dots', '/alice/../bobby/streams'],
  ['two dots at the end', '/alice/..'],
  ['only dots', '/..'],
  ['encoded dots', '/alice/%2e%2e/bobby/streams'],
  ['encoded dots in capitals', '/alice/%2E%2E/bobby/streams'],
  ['half encoded dots', '/alice/.%2e/bobby/streams'],
  ['one encoded dot', '/alice/%2e/streams'],
  ['an encoded slash', '/alice%2fstreams'],
  ['an encoded slash in a name', '/alice/streams/a%2Fb'],
  ['an encoded slash beside a fixed segment', '/reg%2Fcores'],
  ['an encoded slash among pages', '/web/..%2Fassets'],
  ['an encoded slash below websockets', '/socket.io/%2F'],
  ['two slashes further on', '/socket.io//a//b'],
  ['dots behind two slashes', '/socket.io//../alice'],
  ['an encoded backslash', '/alice/..%5cbobby'],
  ['a backslash', '/alice\\streams'],
  ['an encoded NUL', '/alice%00/streams'],
  ['an encoded NUL in a name', '/alice/streams/a%00'],
  ['a fragment', '/alice/streams#x'],
  ['a broken escape in the username', '/ali%zz/streams'],
  ['a broken escape at the end', '/alice/streams/a%2'],
]

describe('addresses by path', () => {
  let node: TestNode
  let token: string
  beforeAll(async () => {
    node = await startTestNode()
    token = await registerUser(node, 'alice')
    for (const name of ['12345', 'system-1', 'systems', 'users-1', 'access-me']) await registerUser(node, name)
  })
  afterAll(() => node.stop())

  const host = (): string => `Host: 127.0.0.1:${node.port}`
  const ask = (target: string, ...lines: string[]): Promise<RawAnswer> => rawTarget(node.port, target, [host(), ...lines])

  const table: [string, Expected][] = [
    ['/', ROOT],
    ['/?x=1', ROOT],
    ['/alice', ROOT],
    ['/alice/', ROOT],
    ['/alice?auth=x', ROOT],
    ['/Alice/', ROOT],
    ['/%61lice/', ROOT],
    ['/12345/', ROOT],
    // Usernames that begin like a route of the node.
    ['/system-1/', ROOT],
    ['/system-1/streams', NO_TOKEN],
    ['/systems/streams', NO_TOKEN],
    ['/users-1/streams', NO_TOKEN],
    ['/access-me/streams', NO_TOKEN],
    ['/alice/streams', NO_TOKEN],
    ['/alice/streams/', NO_TOKEN],
    ['/alice/events/', NO_TOKEN],
    ['/alice/events/abc/', NO_TOKEN],
    ['/alice/access-info/', NO_TOKEN],
    ['/alice/accesses/', NO_TOKEN],
    ['/alice/service/info', SERVICE],
    ['/alice/service/info/', SERVICE],
    ['/alice/service/infos', SERVICE],
    ['/service/info', SERVICE],
    ['/service/info/', SERVICE],
    ['/reg/service/info', SERVICE],
    ['/hostings', { status: 200, contains: '"regions":' }],
    ['/nobody/', { ...UNKNOWN, contains: 'Unknown user' }],
    ['/nobody/streams', { ...UNKNOWN, contains: 'Unknown user' }],
    ['/nobody/service/info', { ...UNKNOWN, contains: 'Unknown user' }],
    ['/toString/streams', { ...UNKNOWN, contains: 'Unknown user' }],
    ['/__proto__/streams', { ...UNKNOWN, contains: 'Unknown user' }],
    ['/favicon.ico', { status: 200, contains: '<svg' }],
    ['/alice/favicon.ico', UNKNOWN],
    ['/reg/a%2Fb%40c.example/check_email', { status: 200, contains: '"exists":false' }],
    ['/apps/nothing%2Fhere', UNKNOWN],
    ['/reg/a%2Fb/check_username', { status: 400, contains: 'username-invalid', error: 'invalid-parameters-format' }],
    ['/alice/nothing', UNKNOWN],
    ['/alice/streams/a/b/c', UNKNOWN],
    ['/alice/alice/streams', UNKNOWN],
    ['/reg', UNKNOWN],
    ['/reg/', UNKNOWN],
    ['/reg/nothing', UNKNOWN],
    ['/system/admin/users', UNKNOWN],
    ['/...', UNKNOWN],
  ]
  it.each(table)('%s', async (target, expected) => expectOutcome(await ask(target), expected))

  it.each(malformed)('refuses %s: %s', async (_, target) => expectOutcome(await ask(target), MALFORMED))

  it('refuses an escaped name that is not valid UTF-8', async () => {
    expectOutcome(await ask('/alice/events/%e0%a4'), MALFORMED)
    expectOutcome(await ask('/%e0%a4/streams'), MALFORMED)
  })

  it('ignores the host name', async () => {
    const answer = await rawTarget(node.port, '/alice/access-info', ['Host: bobby.example.org', `Authorization: ${token}`])
    expectOutcome(answer, { status: 200, contains: '"username":"alice"' })
  })

  it('refuses two Host headers, even equal ones', async () => {
    expectOutcome(await ask('/alice/', 'Host: other.example'), MALFORMED)
    expectOutcome(await ask('/alice/', host()), MALFORMED)
    expectOutcome(await ask('/alice/', host().toLowerCase()), MALFORMED)
  })

  it('refuses a missing and an empty Host header', async () => {
    const missing: Expected = { status: 400, error: 'missing-header' }
    expectOutcome(await rawTarget(node.port, '/alice/', []), missing)
    expectOutcome(await rawTarget(node.port, '/alice/', ['Host:']), missing)
    expectOutcome(await rawRequest(node.port, 'GET /alice/ HTTP/1.0\r\n\r\n'), missing)
  })

  it.each([
    ['a NUL in the target', 'GET /alice\0/streams HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['a control character in the target', 'GET /alice\x01/streams HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['a NUL in a header', 'GET / HTTP/1.1\r\nHost: x\0y\r\n\r\n'],
    ['bytes that are not HTTP', 'hello\r\n\r\n'],
    ['two different lengths', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'],
    ['a length beside chunks', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
  ])('refuses %s and closes the connection', async (_, bytes) => {
    const answer = await rawRequest(node.port, bytes)
    expectOutcome(answer, MALFORMED)
    expect(answer.headers).toMatchObject({
      'access-control-allow-origin': '*',
      'x-content-type-options': 'nosniff',
      'content-type': 'application/json; charset=utf-8',
      connection: 'close',
    })
  })

  it('refuses headers that are too large', async () => {
    const answer = await rawTarget(node.port, '/', [host(), `X-Long: ${'x'.repeat(40_000)}`])
    expect(answer.status).toBe(431)
    expect(answer.body).toMatchObject({ error: { id: 'invalid-request-structure' }, meta: { serial: expect.stringMatching(/^[0-9a-f]{16}$/) as string } })
  })

  it('ignores upgrades to other protocols', async () => {
    expectOutcome(await ask('/alice/', 'Connection: Upgrade', 'Upgrade: h2c'), ROOT)
    expectOutcome(await ask('/alice/streams', 'Connection: Upgrade', 'Upgrade: something'), NO_TOKEN)
  })

  it('continues on the same connection after a refusal', async () => {
    const both = await rawRequest(
      node.port,
      `GET /nobody/ HTTP/1.1\r\n${host()}\r\n\r\nGET /alice/ HTTP/1.1\r\n${host()}\r\nConnection: close\r\n\r\n`,
    )
    expect(both.status).toBe(404)
    expect(both.text).toContain('This is the API')
  })
})

describe('addresses by host name', () => {
  let node: TestNode
  let token: string
  beforeAll(async () => {
    node = await startTestNode({ 'dns.domain': 'example.org', 'dnsLess.isActive': false })
    token = await registerUser(node, 'alice')
    for (const name of ['12345', 'system-1', 'reg-user', 'access-me']) await registerUser(node, name)
  })
  afterAll(() => node.stop())

  const ask = (host: string, target: string, ...lines: string[]): Promise<RawAnswer> =>
    rawTarget(node.port, target, [`Host: ${host}`, ...lines])

  const INFO: Expected = { status: 200, contains: '"username":"alice"' }
  const HOSTINGS: Expected = { status: 200, contains: '"regions":' }
  const NO_REQUEST: Expected = { status: 400, error: 'unknown-access-key' }

  const table: [string, string, Expected][] = [
    ['alice.example.org', '/', ROOT],
    ['alice.example.org:3000', '/', ROOT],
    ['ALICE.Example.ORG', '/', ROOT],
    ['12345.example.org', '/', ROOT],
    ['12345.example.org', '/streams', NO_TOKEN],
    ['system-1.example.org', '/streams', NO_TOKEN],
    ['reg-user.example.org', '/streams', NO_TOKEN],
    ['access-me.example.org', '/', ROOT],
    ['alice.example.org', '/streams', NO_TOKEN],
    ['alice.example.org', '/streams/', NO_TOKEN],
    ['alice.example.org', '/service/info', SERVICE],
    ['alice.example.org', '/auth/who-am-i', { status: 410, error: 'removed-method' }],
    ['alice.example.org', '/reg/hostings', HOSTINGS],
    ['alice.example.org', '/nothing', UNKNOWN],
    ['nobody.example.org', '/', UNKNOWN],
    ['nobody.example.org', '/streams', { ...UNKNOWN, contains: 'Unknown user' }],
    ['nobody.example.org', '/service/info', UNKNOWN],
    ['reg.example.org', '/service/info', SERVICE],
    ['reg.example.org', '/hostings', HOSTINGS],
    ['reg.example.org', '/reg/hostings', HOSTINGS],
    ['reg.example.org', '/alice/check_username', { status: 200, contains: '"reserved":true' }],
    ['reg.example.org', '/alice/streams', UNKNOWN],
    ['reg.example.org', '/access/abc', NO_REQUEST],
    ['access.example.org', '/access/abc', NO_REQUEST],
    ['access.example.org', '/service/info', SERVICE],
    ['mfa.example.org', '/hostings', HOSTINGS],
    // With labels that cannot be usernames and with other hosts, the path contains the username.
    ['www.example.org', '/alice/streams', NO_TOKEN],
    ['x_y_z.example.org', '/alice/streams', NO_TOKEN],
    ['-alice.example.org', '/alice/streams', NO_TOKEN],
    ['deep.alice.example.org', '/alice/streams', NO_TOKEN],
    ['example.org', '/alice/streams', NO_TOKEN],
    ['example.org', '/service/info', SERVICE],
    ['evilexample.org', '/alice/streams', NO_TOKEN],
    ['alice.example.org.evil.net', '/alice/streams', NO_TOKEN],
    ['127.0.0.1', '/alice/streams', NO_TOKEN],
  ]
  it.each(table)('%s %s', async (host, target, expected) => expectOutcome(await ask(host, target), expected))

  it.each(malformed)('refuses %s: %s', async (_, target) => {
    expectOutcome(await ask('alice.example.org', target), MALFORMED)
  })

  it('takes the account from the host name, or else from the path', async () => {
    expectOutcome(await ask('alice.example.org', '/access-info', `Authorization: ${token}`), INFO)
    expectOutcome(await ask('example.org', '/alice/access-info', `Authorization: ${token}`), INFO)
    expectOutcome(await ask('12345.example.org', '/access-info', `Authorization: ${token}`), {
      status: 403,
      error: 'invalid-access-token',
    })
  })

  it('refuses two Host headers, which a proxy and the node could interpret differently', async () => {
    expectOutcome(await ask('alice.example.org', '/access-info', 'Host: 12345.example.org'), MALFORMED)
  })

  it('logs in by host name', async () => {
    const text = JSON.stringify({ username: 'alice', password: 'correct horse', appId: 'test-app' })
    const answer = await rawRequest(
      node.port,
      `POST /auth/login HTTP/1.1\r\nHost: alice.example.org\r\nOrigin: https://reg.example.org\r\nConnection: close\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${text.length}\r\n\r\n${text}`,
    )
    expectOutcome(answer, { status: 200, contains: token })
    expect(answer.body['apiEndpoint']).toBe(`https://${token}@alice.example.org/`)
  })
})
