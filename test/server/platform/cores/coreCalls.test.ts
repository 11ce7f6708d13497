import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import sodium from 'libsodium-wrappers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { nodeText, type Signer } from '../../../../src/sync/channel/signer.js'
import { createCoreCalls, forward, type CoreRequest } from '../../../../src/server/platform/cores/coreCalls.js'
import type { CoreDirectory, CoreView } from '../../../../src/server/platform/registry/port.js'

interface Sent {
  method: string
  path: string
  headers: IncomingHttpHeaders
  body: Buffer
}

let now = 1_000_000
const received: Sent[] = []
let answer: { status: number; body: string } = { status: 200, body: '{"done":true,"meta":{"serverTime":1}}' }
const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    received.push({ method: request.method ?? '', path: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks) })
    if (answer.status > 0) response.writeHead(answer.status).end(answer.body)
  })
})
let url = ''

beforeAll(async () => {
  await sodium.ready
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

function signer(): Signer {
  const { publicKey, privateKey } = sodium.crypto_sign_keypair()
  return { node: nodeText(publicKey), sign: (message) => sodium.crypto_sign_detached(message, privateKey) }
}

/** The calls of the cores `a`, `b` and `c`, which know each other; `lost` was given up, `pending` has no key. */
function platform() {
  const signers = Object.fromEntries(['a', 'b', 'c', 'lost'].map((id) => [id, signer()]))
  const get = (id: string): CoreView | undefined =>
    id === 'nobody' ? undefined : ({ id, url, identity: signers[id]?.node ?? null, state: id === 'lost' ? 'lost' : 'active' } as CoreView)
  const cores = { get } as CoreDirectory
  return (id: string) => createCoreCalls({ registry: { core: id, cores }, signer: signers[id] ?? signer(), now: () => now })
}

const request: CoreRequest = { verb: 'POST', path: '/users?a=1', body: { username: 'alice' }, client: '192.0.2.7', timeoutMs: 2000 }

/** Sends a call to core `b`, and returns it as core `b` receives it. */
async function sent(calls: ReturnType<ReturnType<typeof platform>>, more: Partial<CoreRequest> = {}) {
  received.length = 0
  await calls.call({ id: 'b', url }, { ...request, ...more })
  const [{ method, path, headers, body }] = received as [Sent]
  return { header: String(headers['coffer-core']), client: headers['coffer-client']?.toString(), verb: method, path, body }
}

describe('a call from core to core', () => {
  it('names its core, when it is signed by it', async () => {
    const of = platform()
    const call = await sent(of('a'))
    expect(call).toMatchObject({ verb: 'POST', path: '/users?a=1', client: '192.0.2.7' })
    expect(JSON.parse(call.body.toString())).toEqual({ username: 'alice' })
    expect(of('b').verify(call)).toBe('a')
  })

  it.each<[what: string, altered: (call: Awaited<ReturnType<typeof sent>>) => object]>([
    ['another body', () => ({ body: Buffer.from('{"username":"mallory"}') })],
    ['another method', () => ({ verb: 'PUT' })],
    ['another path', () => ({ path: '/users?a=2' })],
    ['another client', () => ({ client: '192.0.2.8' })],
    ['no client', () => ({ client: undefined })],
    ['the name of another core', ({ header }) => ({ header: header.replace(/^a;/, 'c;') })],
    ['the name of an unknown core', ({ header }) => ({ header: header.replace(/^a;/, 'nobody;') })],
    ['the name of a core that was given up', ({ header }) => ({ header: header.replace(/^a;/, 'lost;') })],
    ['the name of a core without a key', ({ header }) => ({ header: header.replace(/^a;/, 'pending;') })],
    ['the name of the called core', ({ header }) => ({ header: header.replace(/^a;/, 'b;') })],
    ['another time', ({ header }) => ({ header: header.replace(/;\d+;/, `;${now + 1};`) })],
    ['another form', ({ header }) => ({ header: `${header};more` })],
    ['nothing', () => ({ header: '' })],
  ])('is refused with %s', async (_, altered) => {
    const of = platform()
    const call = await sent(of('a'))
    expect(() => of('b').verify({ ...call, ...altered(call) })).toThrow(expect.objectContaining({ id: 'forbidden' }))
  })

  it('is refused by another core than the called one', async () => {
    const of = platform()
    const call = await sent(of('a'))
    expect(() => of('c').verify(call)).toThrow(/does not match/)
  })

  it('is refused from a core that was given up', async () => {
    const of = platform()
    const call = await sent(of('lost'))
    expect(() => of('b').verify(call)).toThrow(/unknown/)
  })

  it('is accepted once, for 30 seconds', async () => {
    const of = platform()
    const b = of('b')
    const call = await sent(of('a'))
    expect(b.verify(call)).toBe('a')
    expect(() => b.verify(call)).toThrow(/received before/)
    const late = await sent(of('a'))
    now += 31
    expect(() => b.verify(late)).toThrow(/expired/)
    const early = await sent(of('a'))
    now -= 31
    expect(() => b.verify(early)).toThrow(/expired/)
  })
})

describe('a forwarded call', () => {
  const target = { id: 'b', url: '' }
  const forwarded = () => forward({ coreCalls: platform()('a') }, { ...target, url }, { ...request, timeoutMs: 300 })

  it('returns the answer without meta', async () => {
    answer = { status: 200, body: '{"done":true,"meta":{"serverTime":1}}' }
    expect(await forwarded()).toEqual({ done: true })
  })

  it('passes on a failure with its status, also one that this core does not know', async () => {
    answer = { status: 418, body: '{"error":{"id":"teapot","message":"short","data":{"a":1}},"meta":{}}' }
    await expect(forwarded()).rejects.toMatchObject({ status: 418, message: 'short', members: { error: { id: 'teapot', message: 'short', data: { a: 1 } } } })
  })

  it.each([
    { status: 0, body: '' },
    { status: 502, body: '<html>' },
    { status: 302, body: '{}' },
  ])('fails without a usable answer: $status', async (given) => {
    answer = given
    await expect(forwarded()).rejects.toMatchObject({ id: 'platform-unavailable' })
  })
})
