/** Tests of `coffer service proxy`, and of nodes behind the installed web servers with the printed configuration. */
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { proxyServers, proxyText, siteOf, type ProxyServer, type Site } from '../../../../src/cli/commands/service/shared/proxy.js'
import { MULTIPART, eventPart, filePart, multipartBody } from '../../../support/http/multipart.js'
import { makeAccount, request, startTestNode, type TestNode } from '../../../support/nodes/node.js'
import { connect, releases } from '../../../support/http/pryvClient.js'
import { connectSocket } from '../../../support/http/socket.js'
import { coffer } from '../../support/testTerminal.js'

const PATH = `${process.env['PATH'] ?? ''}:/usr/sbin`
const has = (program: string): boolean => spawnSync(program, ['-v'], { env: { ...process.env, PATH } }).error === undefined

describe('coffer service proxy', () => {
  const env = { COFFER_HOME: '/nowhere' }
  const settings = (given: Record<string, string>): Record<string, string> => ({ ...env, ...given })
  const byPath = settings({ COFFER_SET_DNS_LESS_PUBLIC_URL: 'https://ana.example.org', COFFER_SET_HTTP_PORT: '4001', COFFER_SET_UPLOADS_MAX_SIZE_MB: '2', COFFER_SET_UPLOADS_MAX_FILES: '10' })
  const byName = settings({ COFFER_SET_DNS_LESS_IS_ACTIVE: 'false', COFFER_SET_DNS_DOMAIN: 'node.example.org', COFFER_SET_HTTP_IP: '::1' })

  it.each<[string, Record<string, string>, string[]]>([
    ['nginx', byPath, ['listen 443 ssl;', 'server_name ana.example.org;', 'proxy_pass http://127.0.0.1:4001;', 'client_max_body_size 21m;', '$remote_addr;']],
    ['nginx', byName, ['server_name .node.example.org;', 'proxy_pass http://[::1]:3000;', '/live/node.example.org/fullchain.pem']],
    ['caddy', byPath, ['https://ana.example.org {', 'reverse_proxy 127.0.0.1:4001 {', 'max_size 21MB']],
    ['caddy', byName, ['https://node.example.org, https://*.node.example.org {', 'reverse_proxy [::1]:3000 {']],
  ])('prints a configuration for %s by the settings', async (server, given, says) => {
    const { code, out, err } = await coffer(`service proxy ${server}`, { env: given })
    expect([code, err]).toEqual([0, ''])
    for (const part of says) expect(out).toContain(part)
    expect(JSON.parse((await coffer(`service proxy ${server} --json`, { env: given })).out)).toMatchObject({ server, text: out })
  })

  it.each<[string, Record<string, string>, string, number, string]>([
    ['a missing address', env, 'nginx', 2, 'coffer config set dnsLess.publicUrl'],
    ['an address with a path', settings({ COFFER_SET_DNS_LESS_PUBLIC_URL: 'https://a.example.org/b' }), 'nginx', 2, 'has a path'],
    ['an unknown server', byPath, 'apache', 2, 'nginx, caddy'],
  ])('refuses %s', async (_, given, server, exit, says) => {
    const { code, err } = await coffer(`service proxy ${server}`, { env: given })
    expect([code, err]).toEqual([exit, expect.stringContaining(says)])
  })

  it('warns when the node does not trust the web server', async () => {
    const { code, err } = await coffer('service proxy nginx', { env: { ...byPath, COFFER_SET_HTTP_TRUSTED_PROXIES: '10.0.0.2' } })
    expect([code, err]).toEqual([0, expect.stringContaining('coffer config set http.trustedProxies')])
  })
})

/** Runs a web server with the configuration of a site, in the foreground and in its own folder. */
function serve(server: ProxyServer, site: Site, folder: string): ReturnType<typeof spawn> {
  const env = { ...process.env, PATH, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder }
  writeFileSync(join(folder, 'site'), proxyText(server, site))
  if (server === 'caddy') {
    writeFileSync(join(folder, 'Caddyfile'), `{\n\tadmin off\n}\n${proxyText(server, site)}`)
    return spawn('caddy', ['run', '--config', join(folder, 'Caddyfile'), '--adapter', 'caddyfile'], { env, stdio: 'ignore' })
  }
  const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/${name};`)
  const main = `daemon off; master_process off; pid ${folder}/pid; error_log stderr; events {} http { access_log off; ${places.join(' ')} include ${folder}/site; }`
  writeFileSync(join(folder, 'nginx.conf'), main)
  return spawn('nginx', ['-p', folder, '-c', join(folder, 'nginx.conf')], { env, stdio: 'ignore' })
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  await new Promise((done) => server.close(done))
  return port
}

describe.each(proxyServers)('a node behind %s', (server) => {
  const isInstalled = has(server)
  if (!isInstalled) console.warn(`${server} is not installed: nodes behind it are not tested.`)
  let node: TestNode
  let url: string
  let token: string
  let folder: string
  let child: ReturnType<typeof spawn>

  beforeAll(async () => {
    if (!isInstalled) return
    folder = mkdtempSync(join(tmpdir(), 'coffer-proxy-'))
    url = `http://127.0.0.1:${await freePort()}/`
    // Trusts only 127.0.0.1, so that 127.0.0.2 can act as a remote client.
    node = await startTestNode({ 'dnsLess.publicUrl': url.slice(0, -1), 'http.trustedProxies': ['127.0.0.1'], 'uploads.maxSizeMb': 2, 'uploads.maxFiles': 1 })
    token = await makeAccount(node, 'ana-lovelace')
    child = serve(server, { ...siteOf(node.node.config, ''), upstream: `127.0.0.1:${node.port}` }, folder)
    await vi.waitFor(async () => expect((await request(`${url}service/info`)).status).toBe(200), { timeout: 20_000, interval: 50 })
    await request(`${url}ana-lovelace/streams`, { token, body: { id: 'diary', name: 'Diary' } })
  })
  afterAll(async () => {
    if (!isInstalled) return
    const ended = new Promise((done) => child.once('exit', done))
    child.kill('SIGTERM')
    await ended
    await node.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  /** Sends one call from a local address. */
  function callFrom(localAddress: string, path: string, headers: Record<string, string> = {}): Promise<{ status: number; text: string }> {
    return new Promise((resolve, reject) => {
      const call = httpRequest({ host: '127.0.0.1', port: new URL(url).port, path, localAddress, headers: { authorization: token, ...headers }, agent: false }, (answer) => {
        let text = ''
        answer.setEncoding('utf8').on('data', (part: string) => (text += part))
        answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text }))
      })
      call.on('error', reject)
      call.end()
    })
  }

  // Retries, because proxies merge chunks, depending on the load of the machine.
  it.skipIf(!isInstalled).each(releases)('streams deletions to $name', async (release) => {
    const client = connect(`${url.replace('://', `://${token}@`)}ana-lovelace/`, release)
    const query = { includeDeletions: true, modifiedSince: 0, limit: 3 }
    const read = (): Promise<unknown> => client.getEventsStreamed(query as object, () => {})
    const counted = await vi.waitFor(read, { timeout: 30_000, interval: 10 })
    expect(counted).toMatchObject({ eventsCount: expect.any(Number) as number, eventDeletionsCount: 0 })
  })

  it.skipIf(!isInstalled)('receives calls unchanged', async () => {
    const { status, text } = await callFrom('127.0.0.1', '/ana-lovelace/events?types=note%2Ftxt&limit=3')
    expect([status, text]).toEqual([200, expect.stringContaining('"events":[]')])
    expect((await callFrom('127.0.0.1', '/ana-lovelace/%2e%2e/x')).status).toBe(400)
    const { body } = await request(`${url}service/info`)
    expect(body['api']).toBe(`${url}{username}/`)
  })

  it.skipIf(!isInstalled)('accepts WebSockets', async () => {
    const socket = await connectSocket({ url }, 'ana-lovelace', { token })
    const { result } = await socket.call('streams.get', {})
    expect(result).toMatchObject({ streams: expect.arrayContaining([expect.objectContaining({ id: 'diary' })]) as unknown })
    socket.close()
  })

  it.skipIf(!isInstalled)('accepts files up to its own limit, and refuses larger ones itself', async () => {
    const upload = (bytes: number): Promise<Response> =>
      fetch(`${url}ana-lovelace/events`, {
        method: 'POST',
        headers: { authorization: token, ...MULTIPART },
        body: multipartBody([eventPart({ streamIds: ['diary'], type: 'file/attached' }), filePart('a.bin', new Uint8Array(bytes))]),
      })
    expect((await upload(2_000_000)).status).toBe(201)
    const refused = await upload(2_500_000)
    expect([refused.status, await refused.json()]).toMatchObject([413, { error: { id: 'payload-too-large' } }])
  })

  it.skipIf(!isInstalled)('learns the address of the client from the web server only', async () => {
    await callFrom('127.0.0.2', '/ana-lovelace/profile/private', { 'x-forwarded-for': '198.51.100.7' })
    const { text } = await callFrom('127.0.0.1', `/ana-lovelace/events?streams=${encodeURIComponent('[":_audit:action-profile.getPrivate"]')}`)
    const { events } = JSON.parse(text) as { events?: { content: { source: unknown } }[] }
    expect(events?.map(({ content }) => content.source)).toEqual([{ name: 'http', ip: '127.0.0.2' }])
  })
})
