/** The certificate that all cores of a domain share (docs/interface/system.md#certificates). */
import { createSocket } from 'node:dgram'
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from 'node:tls'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { initialise } from '../../../../src/server/launch/init.js'
import { loadConfig } from '../../../../src/server/config/config.js'
import { certificateNames } from '../../../../src/server/config/tlsConfig.js'
import { addTextRecord } from '../../../../src/server/platform/dns/names.js'
import { awaitTextRecord } from '../../../../src/server/tls/acme/nameServers.js'
import { fakeClock, type FakeClock } from '../../../support/nodes/clock.js'
import { ADMIN_KEY, startCores, type TestCores } from '../../../support/nodes/memoryPlatform.js'
import { nameServer } from '../../../support/nodes/nameServer.js'
import { placesOf, type TestNode } from '../../../support/nodes/node.js'
import { startAcme, type FakeAcme } from '../../../support/services/acme.js'
import { secureRequest } from '../../tls/support.js'

const DAY = 86_400
let acme: FakeAcme
let cores: TestCores
let clock: FakeClock
/** Port of the name servers, which listen at different addresses of this machine. */
let port: number
let home: string

const settingsOf = (id: string, ip: string): Record<string, unknown> => ({ 'dns.ip': ip, 'core.ip': ip, 'core.url': `https://${id}.example.org` })

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port: free } = server.address() as AddressInfo
  await new Promise((done) => server.close(done))
  return free
}

beforeAll(async () => {
  acme = await startAcme()
  port = await freePort()
  acme.nameServer = port
  clock = fakeClock(Date.now() / 1000)
  home = await mkdtemp(join(tmpdir(), 'coffer-follower-'))
  await initialise(placesOf(home))
  const shared = { ...nameServer, 'dns.port': port, 'letsEncrypt.enabled': true, 'letsEncrypt.directoryUrl': acme.directoryUrl }
  cores = await startCores({ 'core-a': settingsOf('core-a', '127.0.0.1') }, { shared, options: { clock } })
  const script = join(home, 'rotated')
  writeFileSync(script, `#!/bin/sh\necho "$COFFER_CERT_HOSTNAME" >> "${script}.hosts"\n`)
  chmodSync(script, 0o700)
  await cores.start('core-b', { ...settingsOf('core-b', '127.0.0.2'), 'letsEncrypt.onRotateScript': script }, { clock, home })
})
afterAll(async () => {
  await cores.stop()
  await acme.stop()
  await rm(home, { recursive: true, force: true })
})

/** Returns the serial number of the certificate of a core; undefined for one that the authority did not issue. */
const servedBy = (node: TestNode): Promise<string | undefined> =>
  new Promise((resolve) => {
    const socket = connect({ port: node.port, host: '127.0.0.1', servername: 'ana-lovelace.example.org', ca: acme.authority.cert }, () => {
      resolve(socket.getPeerCertificate().serialNumber)
      socket.destroy()
    })
    socket.on('error', () => resolve(undefined))
  })
const [a, b] = [(): TestNode => cores.node('core-a'), (): TestNode => cores.node('core-b')]

describe('the certificate of a domain', () => {
  it('is ordered by one core, and served by all without a restart', async () => {
    await Promise.all([a().node.certificates.check(), b().node.certificates.check()])
    await expect.poll(async () => [await servedBy(a()), await servedBy(b())], { timeout: 5000 }).not.toContain(undefined)
    expect(await servedBy(b())).toBe(await servedBy(a()))
    expect(acme.given).toEqual(['example.org', '*.example.org'])
  })

  it('is renewed by that core alone', async () => {
    const before = await servedBy(b())
    // It was the first to check.
    expect(await a().node.registry.records.get('lock', 'renewer')).toEqual({ core: 'core-a' })
    const hosts = (): string[] => (existsSync(join(home, 'rotated.hosts')) ? readFileSync(join(home, 'rotated.hosts'), 'utf8').trim().split('\n') : [])
    const ran = hosts().length
    const force = (node: TestNode): ReturnType<typeof secureRequest> =>
      secureRequest(`https://127.0.0.1:${node.port}/system/admin/certs/force-renew`, acme.authority.cert, { token: ADMIN_KEY, body: {}, servername: 'core-a.example.org' })
    expect(await force(b())).toMatchObject({ status: 400, body: { error: { id: 'renewal-failed', message: expect.stringContaining('core-a') as string } } })
    expect(await servedBy(b())).toBe(before)
    expect(await force(a())).toMatchObject({ status: 200, body: { ok: true } })
    await expect.poll(async () => (await servedBy(a())) === (await servedBy(b())) && (await servedBy(b())) !== before, { timeout: 5000 }).toBe(true)
    await expect.poll(hosts, { timeout: 5000 }).toHaveLength(ran + 1)
    expect(hosts().at(-1)).toBe('example.org')
  })

  it('has its key encrypted in the records of the platform', async () => {
    const stored = await a().node.registry.records.list('certificates')
    expect(stored.map(({ id }) => id)).toContain('host-example.org')
    expect(JSON.stringify(stored)).not.toContain('PRIVATE KEY')
  })

  it('is served by a core that starts while the registry is away', async () => {
    const serial = await servedBy(b())
    expect(serial).toBeDefined()
    await b().stop()
    cores.platform.stopAnswering()
    await cores.start('core-b', settingsOf('core-b', '127.0.0.2'), { clock, home })
    expect(await servedBy(b())).toBe(serial)
    await b().node.certificates.check()
    cores.platform.stopAnswering(false)
    expect(await servedBy(b())).toBe(serial)
  })

  it('is renewed by another core when that one no longer runs', async () => {
    const serial = await servedBy(b())
    const { core } = (await a().node.registry.records.get('lock', 'renewer')) as { core: string }
    const other = core === 'core-a' ? b() : a()
    clock.pass(170)
    await other.node.certificates.check()
    expect(await other.node.registry.records.get('lock', 'renewer')).toEqual({ core })
    clock.pass(61 * DAY)
    await other.node.certificates.check()
    expect(await other.node.registry.records.get('lock', 'renewer')).toEqual({ core: other.node.registry.core })
    await expect.poll(async () => (await servedBy(b())) !== serial && (await servedBy(a())) === (await servedBy(b())), { timeout: 5000 }).toBe(true)
  })
})

describe('the names of a certificate', () => {
  const namesOf = (flags: Record<string, unknown>): readonly string[] => certificateNames(loadConfig({ flags: { 'letsEncrypt.enabled': true, ...flags } }))
  const domain = { 'dnsLess.isActive': false, 'dns.domain': 'example.org' }
  it.each([
    ['those of the domain with the name server', { ...domain, 'dns.active': true, 'dns.publicIp': '203.0.113.5' }, ['example.org', '*.example.org']],
    ['those of the domain on a core that does not renew', { ...domain, 'letsEncrypt.certRenewer': false }, ['example.org', '*.example.org']],
    ['the host of the core with its own address', { ...domain, 'core.url': 'https://core-a.example.org' }, ['core-a.example.org']],
    ['the host of the core, not of the platform, with paths', { 'core.url': 'https://a.example.org', 'dnsLess.publicUrl': 'https://example.org' }, ['a.example.org']],
  ])('are %s', (_, flags, names) => expect(namesOf(flags)).toEqual(names))
})

describe('a challenge', () => {
  it('is published once the name servers of the other cores answer with it', async () => {
    const servers = [{ core: 'core-b', address: `127.0.0.2:${port}` }]
    expect(await awaitTextRecord(servers, '_acme-challenge.example.org', 'the-answer', 300)).toEqual(['core-b'])
    const withdraw = await addTextRecord(a().node.registry.records, '_acme-challenge', 'the-answer')
    expect(await awaitTextRecord(servers, '_acme-challenge.example.org', 'the-answer', 5000)).toEqual([])
    await withdraw()
  })

  it('does not wait for cores without a name server, and not forever for silent ones', async () => {
    const silent = createSocket('udp4')
    await new Promise<void>((done) => silent.bind(0, '127.0.0.1', done))
    const servers = [
      { core: 'without', address: `127.0.0.1:${await freePort()}` },
      { core: 'silent', address: `127.0.0.1:${silent.address().port}` },
    ]
    expect(await awaitTextRecord(servers, '_acme-challenge.example.org', 'the-answer', 500)).toEqual(['silent'])
    silent.close()
  })
})
