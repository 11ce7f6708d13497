/** HTTPS with certificate files, which may change while the node runs. */
import { X509Certificate } from 'node:crypto'
import { chmodSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAuthority, type Authority, type Issued } from '../../support/services/certificates.js'
import { makeAccount, request, startTestNode, type TestNode } from '../../support/nodes/node.js'
import { parseMetrics, valueOf } from '../../support/oracles/prometheus.js'
import { rawRequest } from '../../support/http/rawRequest.js'
import { connectSocket } from '../../support/http/socket.js'
import { KEY } from '../api/system/support.js'
import { NAMES, pairFolder, secureRequest, servedSerial, type PairFolder } from './support.js'

const DAY_MS = 86_400_000

let authority: Authority
let files: PairFolder
let first: Issued
let node: TestNode
beforeAll(async () => {
  authority = await createAuthority()
  files = pairFolder()
  first = await authority.issue({ names: NAMES })
  files.put(first)
  node = await startTestNode({ ...files.settings, 'auth.adminAccessKey': KEY, 'http.ssl.redirectPort': 0 })
})
afterAll(async () => {
  await node.stop()
  files.remove()
})

const get = (path: string, options: Parameters<typeof secureRequest>[2] = {}): ReturnType<typeof secureRequest> =>
  secureRequest(node.url + path, authority.cert, options)
const certificate = async (): Promise<Record<string, unknown>> => ((await get('system/admin/certs', { token: KEY })).body['certs'] as Record<string, unknown>[])[0] ?? {}
const serialOf = ({ cert }: Issued): string => new X509Certificate(cert).serialNumber
const serving = (): Promise<string> => servedSerial(node.port, authority.cert)

describe('a node with HTTPS', () => {
  it('has https addresses', async () => {
    expect(node.url).toBe(`https://127.0.0.1:${node.port}/`)
    const { body } = await get('service/info')
    expect(body).toMatchObject({ api: `${node.url}{username}/`, register: `${node.url}reg/` })
  })

  it('answers calls, pipelined requests and requests for an upgrade', async () => {
    const token = await makeAccount(node, 'alice')
    expect(await get('alice/streams', { token, body: { id: 'diary', name: 'Diary' } })).toMatchObject({ status: 201 })
    const upgrading = ['GET /alice/streams HTTP/1.1', 'Host: x', 'Connection: Upgrade, close', 'Upgrade: h2c', `Authorization: ${token}`]
    const { status, body } = await rawRequest(node.port, `${upgrading.join('\r\n')}\r\n\r\n`, authority.cert)
    expect([status, body]).toMatchObject([200, { streams: expect.arrayContaining([expect.objectContaining({ id: 'diary' })]) as unknown }])
  })

  it('refuses malformed requests as over HTTP', async () => {
    const { status, body } = await rawRequest(node.port, 'what is this\r\n\r\n', authority.cert)
    expect([status, body]).toMatchObject([400, { error: { id: 'invalid-request-structure' } }])
  })

  it('supports websockets', async () => {
    const token = await makeAccount(node, 'bobby')
    const socket = await connectSocket(node, 'bobby', { token, ca: authority.cert })
    expect(await socket.call('streams.get', {})).toMatchObject({ error: null })
    socket.close()
  })

  it('sets Secure cookies', async () => {
    const { headers } = await get('web/sign-in')
    const cookies = [headers['set-cookie'] ?? []].flat()
    expect(cookies.length).toBeGreaterThan(0)
    for (const cookie of cookies) expect(cookie).toContain('; Secure')
  })

  it('answers a client of plain HTTP with a hint', async () => {
    const { status, body } = await rawRequest(node.port, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n')
    expect([status, body]).toMatchObject([400, { error: { message: expect.stringContaining('https://') as string } }])
  })

  it('survives bytes that are neither TLS nor HTTP', async () => {
    await rawRequest(node.port, Buffer.from([0x15, 3, 1, 0, 2, 2, 40])).catch(() => undefined)
    await rawRequest(node.port, Buffer.alloc(64, 7)).catch(() => undefined)
    expect((await get('service/info')).status).toBe(200)
  })
})

describe('the port of plain HTTP', () => {
  it('redirects to the same address over HTTPS', async () => {
    const port = node.redirectPort ?? 0
    const response = await fetch(`http://localhost:${port}/alice/events?limit=1`, { method: 'POST', body: '{}', redirect: 'manual' })
    expect([response.status, response.headers.get('location')]).toEqual([308, `https://localhost:${node.port}/alice/events?limit=1`])
  })

  it.each(['', 'Host: a b\r\n', 'Host: x"><script>\r\n', 'Host: /evil\r\n'])('answers 400 without a valid host: %j', async (host) => {
    const { status, headers } = await rawRequest(node.redirectPort ?? 0, `GET /x HTTP/1.1\r\n${host}Connection: close\r\n\r\n`)
    expect([status, headers['location']]).toEqual([400, undefined])
  })
})

describe('the certificate', () => {
  it('is listed, without its key', async () => {
    const { cert } = first
    const { validFrom, validTo } = new X509Certificate(cert)
    expect(await certificate()).toEqual({ hostname: '127.0.0.1', issuedAt: Date.parse(validFrom), expiresAt: Date.parse(validTo), daysUntilExpiry: 90 })
    const { body } = await get('system/admin/certs/force-renew', { token: KEY, body: {} })
    expect(body).toMatchObject({ ok: false, error: { id: 'renewal-failed', message: expect.stringContaining('files') as string } })
  })

  it('is a metric', async () => {
    const families = parseMetrics(String((await get('metrics', { token: KEY })).body['text']))
    expect(valueOf(families, 'coffer_certificate_expiry_timestamp_seconds', {})).toBe(Date.parse(new X509Certificate(first.cert).validTo) / 1000)
  })

  it('is replaced without closing connections', async () => {
    const token = await makeAccount(node, 'carol')
    const socket = await connectSocket(node, 'carol', { token, ca: authority.cert })
    const second = await authority.issue({ names: ['node.example.org', '127.0.0.1'], until: Date.now() + 10 * DAY_MS })
    files.put(second)
    expect(await serving()).toBe(serialOf(first))
    await node.node.certificates.check()
    expect(await serving()).toBe(serialOf(second))
    expect(await certificate()).toMatchObject({ daysUntilExpiry: 10 })
    expect(await socket.call('streams.get', {})).toMatchObject({ error: null })
    socket.close()
    expect(node.logged.join('')).toMatch(/serving a new certificate.*\n.*the certificate expires soon/)
    files.put(first)
    await node.node.certificates.check()
  })

  it.each([
    ['the key of another certificate', async () => ({ key: (await authority.issue({ names: NAMES })).key }), 'mismatch'],
    ['another certificate', async () => ({ cert: (await authority.issue({ names: NAMES })).cert }), 'mismatch'],
    ['a truncated file', () => Promise.resolve({ cert: first.cert.slice(0, 200) }), 'not-a-certificate'],
    ['no key', () => Promise.resolve({ key: '' }), 'not-a-key'],
    ['an expired certificate', () => authority.issue({ names: NAMES, until: Date.now() - 60_000 }), 'expired'],
    ['a certificate that is not yet valid', () => authority.issue({ names: NAMES, from: Date.now() + DAY_MS }), 'not-yet-valid'],
  ])('remains when the files contain %s', async (_, made, fault) => {
    const before = node.logged.length
    files.put(await made())
    await node.node.certificates.check()
    await node.node.certificates.check()
    expect(await serving()).toBe(serialOf(first))
    expect((await node.node.certificates.state())?.problem?.fault).toBe(fault)
    expect(await certificate()).toMatchObject({ hostname: '127.0.0.1', daysUntilExpiry: 90 })
    expect(node.logged.slice(before).filter((line) => line.includes('is not usable'))).toHaveLength(1)
    files.put(first)
    await node.node.certificates.check()
    expect((await node.node.certificates.state())?.problem).toBeNull()
  })

  it('remains when the files are missing', async () => {
    rmSync(files.certFile)
    expect((await node.node.certificates.state())?.problem).toMatchObject({ fault: 'missing', file: files.certFile })
    expect(await serving()).toBe(serialOf(first))
    files.put(first)
  })

  it('with a key that others may read is reported', async () => {
    expect((await node.node.certificates.state())?.isKeyOpen).toBe(false)
    chmodSync(files.keyFile, 0o640)
    expect((await node.node.certificates.state())?.isKeyOpen).toBe(true)
    chmodSync(files.keyFile, 0o600)
  })
})

describe('another node', () => {
  it('stops without waiting for idle connections', async () => {
    const other = await startTestNode(files.settings)
    const silent = connect(other.port, '127.0.0.1')
    await new Promise((resolve) => silent.once('connect', resolve))
    await secureRequest(`${other.url}service/info`, authority.cert)
    const ended = new Promise((resolve) => silent.once('close', resolve))
    silent.on('error', () => {})
    await other.stop(600_000)
    await ended
  })

  it('does not start if the port for plain HTTP is in use', async () => {
    await expect(startTestNode({ ...files.settings, 'http.ssl.redirectPort': node.redirectPort ?? 0 })).rejects.toMatchObject({ code: 'EADDRINUSE' })
  })

  it('serves plain HTTP by default', async () => {
    const plain = await startTestNode({ 'auth.adminAccessKey': KEY })
    expect(plain.url).toMatch(/^http:/)
    expect((await request(`${plain.url}system/admin/certs`, { token: KEY })).body).toMatchObject({ certs: [] })
    expect(await plain.node.certificates.state()).toBeUndefined()
    await plain.stop()
  })
})
