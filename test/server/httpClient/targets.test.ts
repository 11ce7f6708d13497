/** Addresses that webhooks may call (H10). */
import type { LookupAddress } from 'node:dns'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadConfig, type Config } from '../../../src/server/config/config.js'
import { createPost } from '../../../src/server/webhooks/post.js'
import { allowedLookup, createTargets } from '../../../src/server/httpClient/targets.js'

const open = { 'http.ip': '0.0.0.0' }
const configOf = (flags: Record<string, unknown>): Config => loadConfig({ flags })
const allows = (address: string, flags: Record<string, unknown> = open, host = address): boolean =>
  createTargets(configOf(flags)).allows(host, address)

describe('the address', () => {
  it.each(['1.1.1.1', '192.88.100.1', '2606:4700:4700::1111', '::ffff:1.1.1.1', '64:ff9b::1.1.1.1'])('%s is allowed', (address) => {
    expect(allows(address)).toBe(true)
  })

  it.each([
    ...['127.0.0.1', '127.255.0.1', '0.0.0.0', '0.1.2.3', '10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1'],
    ...['169.254.169.254', '100.64.0.1', '192.0.2.1', '198.18.0.1', '224.0.0.1', '240.0.0.1', '255.255.255.255'],
    ...['::', '::1', 'fe80::1', 'fec0::1', 'fd12::1', 'ff02::1', '2001:db8::1', '2002:7f00:1::', '2001::1', '100::1', '4000::1'],
    ...['::ffff:127.0.0.1', '::ffff:10.0.0.1', '::127.0.0.1', '64:ff9b::10.0.0.1', '64:ff9b:1::1.1.1.1', 'no address', ''],
  ])('%s is refused', (address) => expect(allows(address)).toBe(false))
})

describe('a node', () => {
  it.each<[Record<string, unknown>, boolean]>([
    [{ 'http.ip': '127.0.0.1' }, true],
    [{ 'http.ip': '::1' }, true],
    [{ 'http.ip': 'localhost' }, true],
    [{ 'http.ip': '127.0.0.1', 'dnsLess.publicUrl': 'http://localhost:3000/' }, true],
    [{ 'http.ip': '127.0.0.1', 'dnsLess.publicUrl': 'https://data.example.org/' }, false],
    [{ 'http.ip': '127.0.0.1', 'dnsLess.isActive': false, 'dns.domain': 'example.org' }, false],
    [{ 'http.ip': '192.168.1.5' }, false],
    [open, false],
  ])('with %j allows webhooks to the local machine: %s', (flags, expected) => {
    for (const address of ['127.0.0.1', '::1', '::ffff:127.0.0.1']) expect(allows(address, flags), address).toBe(expected)
    expect(allows('192.168.1.1', flags)).toBe(false)
  })

  const allowed = { ...open, 'webhooks.allowedPrivateHosts': ['10.1.0.0/16', 'fd00::/8', '192.168.7.7', 'Hooks.lan.'] }
  it.each<[string, string, boolean]>([
    ['10.1.2.3', '10.1.2.3', true],
    ['x.example', '10.1.2.3', true],
    ['x.example', '::ffff:10.1.2.3', true],
    ['x.example', '10.2.0.1', false],
    ['x.example', 'fd12::1', true],
    ['192.168.7.7', '192.168.7.7', true],
    ['192.168.7.8', '192.168.7.8', false],
    ['hooks.lan', '172.16.0.1', true],
    ['evil.hooks.lan', '172.16.0.1', false],
  ])('with allowed private hosts allows %s at %s: %s', (host, address, expected) => {
    expect(allows(address, allowed, host)).toBe(expected)
  })

  it.each([['not a host'], ['10.0.0.0/33'], ['10.0.0.0/8/8'], ['example.org/8'], ['']])('refuses the allowed host %j', (entry) => {
    expect(() => configOf({ 'webhooks.allowedPrivateHosts': [entry] }).get('webhooks.allowedPrivateHosts')).toThrow()
  })
})

describe('a host name', () => {
  const found = (addresses: LookupAddress[]): Promise<string | LookupAddress[] | Error> =>
    new Promise((resolve) => {
      const look = allowedLookup(createTargets(configOf(open)), (_, __, callback) => callback(null, addresses))
      look('x.example', { all: true }, (error, list) => resolve(error ?? list))
    })

  it('resolves to its public addresses only', async () => {
    const [inside, outside] = [{ address: '10.0.0.1', family: 4 }, { address: '1.1.1.1', family: 4 }]
    expect(await found([inside, outside])).toEqual([outside])
    expect(await found([inside])).toBeInstanceOf(Error)
    expect(await found([])).toBeInstanceOf(Error)
  })
})

describe('a call', () => {
  let requests = 0
  const server = createServer((_, response) => {
    requests += 1
    response.end()
  })
  let port: number
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    ;({ port } = server.address() as AddressInfo)
  })
  afterAll(() => new Promise((resolve) => server.close(resolve)))

  /** Resolves to a public address first, then to this machine. */
  function rebinding(): Parameters<typeof createPost>[2] {
    let times = 0
    return (_, __, callback) => callback(null, [{ address: times++ === 0 ? '192.0.2.77' : '127.0.0.1', family: 4 }])
  }

  it('connects to the checked address, which prevents DNS rebinding', async () => {
    const post = createPost(configOf({ ...open, 'webhooks.requestTimeoutMs': 100 }), () => '{}', rebinding())
    for (let n = 0; n < 3; n++) expect((await post(`http://rebinding.example:${port}/`, ['test'])).status).toBe(0)
    expect(requests).toBe(0)
  })

  it('is sent to a host name with an allowed address', async () => {
    const post = createPost(configOf({}), () => '{}', (_, __, callback) => callback(null, [{ address: '127.0.0.1', family: 4 }]))
    expect(await post(`http://hooks.example:${port}/`, ['test'])).toEqual({ status: 200 })
    expect(requests).toBe(1)
  })

  it.each(['ftp://example.org/', 'not a url', 'file:///etc/passwd', ''])('is not sent to %j', async (url) => {
    expect(await createPost(configOf({}), () => '{}')(url, ['test'])).toEqual({ status: 0, error: 'not sent' })
  })
})
