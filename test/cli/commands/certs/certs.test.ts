/** Tests of the commands for the certificate of a node that serves HTTPS itself. */
import { chmodSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startAcme } from '../../../support/services/acme.js'
import { createAuthority, type Authority, type Issued } from '../../../support/services/certificates.js'
import { pairFolder, NAMES, type PairFolder } from '../../../server/tls/support.js'
import { startTestNode } from '../../../support/nodes/node.js'
import { testHome, type TestHome } from '../../support/closedHome.js'

const DAY_MS = 86_400_000

let home: TestHome
let authority: Authority
let good: Issued
let files: PairFolder
beforeAll(async () => {
  home = await testHome()
  authority = await createAuthority()
  good = await authority.issue({ names: NAMES })
  files = pairFolder()
})
beforeEach(() => files.put(good))
afterAll(async () => {
  files.remove()
  await home.remove()
})

const set = async (): Promise<void> => {
  for (const [key, value] of Object.entries(files.settings)) await home.json(['config', 'set', key, value])
}
const unset = async (): Promise<void> => {
  for (const key of Object.keys(files.settings)) await home.json(['config', 'unset', key])
}
interface Finding {
  state: string
  says: string
  next?: string
}
async function doctor(flags = ''): Promise<{ code: number; findings: Finding[] }> {
  const { code, out } = await home.run(`doctor certificate ${flags} --json`)
  return { code, findings: (JSON.parse(out) as { findings: Finding[] }).findings }
}

describe('without a certificate', () => {
  it('lists none, and explains how to serve HTTPS', async () => {
    expect(await home.json('certs list')).toEqual({ certs: [] })
    const { code, out, err } = await home.run('certs list')
    expect([code, out]).toEqual([0, ''])
    expect(err).toContain('config set http.ssl.certFile')
    expect(await doctor()).toMatchObject({ code: 0, findings: [{ state: 'off' }] })
  })

  it.each([
    ['http.ssl.certFile', '/x/cert.pem', 'http.ssl.certFile has no effect without http.ssl.keyFile'],
    ['http.ssl.keyFile', '/x/key.pem', 'http.ssl.keyFile has no effect without http.ssl.certFile'],
    ['http.ssl.redirectPort', '80', 'needs http.ssl.certFile and http.ssl.keyFile'],
  ])('refuses to start with %s but without the settings that it needs', async (key, value, says) => {
    await home.json(['config', 'set', key, value])
    const { code, err } = await home.run('start')
    await home.json(['config', 'unset', key])
    expect([code, err]).toEqual([1, expect.stringContaining(says)])
  })

  it.each(['relative.pem', ''])('rejects a path that is not absolute: %j', async (path) => {
    expect((await home.run(['config', 'set', 'http.ssl.certFile', path])).code).toBe(2)
  })
})

describe('a certificate from an authority', () => {
  const HOST = 'node.example.org'
  const address = ['dnsLess.publicUrl', `https://${HOST}`]

  it.each([
    ['a public address', [], 'dnsLess.publicUrl'],
    ['HTTPS in the public address', [['dnsLess.publicUrl', `http://${HOST}`]], 'dnsLess.publicUrl'],
    ['a host name in the public address', [['dnsLess.publicUrl', 'https://203.0.113.5']], 'host name'],
    ['a public host name', [['dnsLess.publicUrl', 'https://nas']], 'host name'],
    ['accounts in paths', [address, ['dnsLess.isActive', 'false'], ['dns.domain', 'example.org']], 'http.ssl.certFile'],
    ['unset certificate files', [address, ['http.ssl.certFile', '/x/cert.pem'], ['http.ssl.keyFile', '/x/key.pem']], 'mutually exclusive'],
  ])('requires %s', async (_, pairs, says) => {
    const words = [['letsEncrypt.enabled', 'true'], ...pairs].flatMap(([key, value]) => ['--set', `${key}=${value}`])
    const { code, err } = await home.run(['start', ...words])
    expect([code, err]).toEqual([2, expect.stringContaining(says)])
  })

  it.each([
    ['letsEncrypt.email', 'nobody'],
    ['letsEncrypt.renewBeforeDays', '0'],
    ['letsEncrypt.onRotateScript', 'script.sh'],
    ['letsEncrypt.directoryUrl', 'example.org'],
  ])('rejects %s = %s', async (key, value) => {
    expect((await home.run(['config', 'set', key, value])).code).toBe(2)
  })

  it('cannot be renewed without a running node', async () => {
    expect((await home.run('certs renew')).code).toBe(7)
  })

  it('is requested by certs renew, which reports why the authority refused', async () => {
    const acme = await startAcme()
    acme.refuses = { at: 'new-order', detail: 'too many of them' }
    const settings = { 'dnsLess.publicUrl': `https://${HOST}`, 'letsEncrypt.enabled': true, 'letsEncrypt.directoryUrl': acme.directoryUrl, 'http.ssl.redirectPort': 0 }
    const node = await startTestNode(settings, { home: home.home })
    acme.challengePort = node.redirectPort ?? 0
    try {
      const failed = await home.run('certs renew')
      expect([failed.code, failed.err]).toEqual([1, expect.stringMatching(/too many of them[^]*coffer doctor certificate/)])
      expect(await doctor()).toMatchObject({ code: 1, findings: [{ state: 'fault', says: expect.stringContaining('too many of them') as string, next: expect.stringContaining('certs renew') as string }] })
      expect((await home.run('certs list')).err).toContain('the authority has not issued one yet')
      const file = join(home.home, 'report.json')
      await home.run(`doctor certificate --report ${file}`)
      expect(readFileSync(file, 'utf8')).not.toContain(HOST)
      delete acme.refuses
      expect(await home.json(`certs renew ${HOST}`)).toEqual({ ok: true, hostname: HOST, issuedAt: expect.any(Number) as number, expiresAt: expect.any(Number) as number })
      expect((await home.run('certs renew -q')).out).toBe(`${HOST}\n`)
      const other = await home.run('certs renew other.example.org')
      expect([other.code, other.err]).toEqual([1, expect.stringContaining(`for ${HOST} only`)])
      expect(await home.json('certs list')).toMatchObject({ certs: [{ hostname: HOST, daysUntilExpiry: 90 }] })
      expect(await doctor()).toMatchObject({ code: 0, findings: [{ state: 'fine' }] })
    } finally {
      await node.stop()
      await acme.stop()
    }
  })
})

describe('with a certificate', () => {
  beforeAll(set)
  afterAll(unset)

  it('lists it without a running node', async () => {
    const { certs } = await home.json('certs list')
    expect(certs).toEqual([{ hostname: '127.0.0.1', issuedAt: expect.any(Number) as number, expiresAt: expect.any(Number) as number, daysUntilExpiry: 90 }])
    expect((await home.run('certs list -q')).out).toBe('127.0.0.1\n')
    expect((await home.run('certs list', { tty: true })).out).toMatch(/HOST NAME +ISSUED +EXPIRES +DAYS LEFT\n127\.0\.0\.1 .* 90\n/)
  })

  it.each([
    ['is valid', {}, 0, ['fine']],
    ['expires in a few days', { until: 13 * DAY_MS }, 0, ['warning']],
    ['has expired', { until: -DAY_MS }, 1, ['fault']],
    ['is for another name', { names: ['other.example'] }, 0, ['fine', 'warning']],
  ] as const)('checks with doctor one that %s', async (_, { names = NAMES, until = 90 * DAY_MS }: { names?: readonly string[]; until?: number }, exit, states) => {
    files.put(await authority.issue({ names, until: Date.now() + until, from: Date.now() - 2 * DAY_MS }))
    const { code, findings } = await doctor()
    expect([code, findings.map(({ state }) => state)]).toEqual([exit, states])
    for (const { state, next } of findings) if (state !== 'fine') expect(next).toBeTruthy()
  })

  it('repairs the permissions of the key file with doctor --fix', async () => {
    chmodSync(files.keyFile, 0o644)
    expect(await doctor()).toMatchObject({ code: 0, findings: [{ state: 'fine' }, { state: 'warning', next: `chmod 600 ${files.keyFile}` }] })
    expect(await doctor('--fix')).toMatchObject({ findings: [{ state: 'fine' }, { state: 'fine' }] })
    expect((await doctor()).findings).toHaveLength(1)
  })

  it.each([
    ['a key of another certificate', async () => ({ key: (await authority.issue({ names: NAMES })).key }), /privkey\.pem does not belong to .*fullchain\.pem[^]*openssl pkey/],
    ['a certificate in place of the key', () => Promise.resolve({ key: good.cert }), /privkey\.pem does not contain a private key[^]*config set http\.ssl\.keyFile/],
    ['a key in place of the certificate', () => Promise.resolve({ cert: good.key }), /fullchain\.pem does not contain a certificate[^]*config set http\.ssl\.certFile/],
    ['an expired certificate', () => authority.issue({ names: NAMES, until: Date.now() - 31_000 }), /fullchain\.pem has expired[^]*certbot renew/],
    ['a certificate that is not valid yet', () => authority.issue({ names: NAMES, from: Date.now() + DAY_MS }), /not valid until[^]*timedatectl/],
  ])('does not start with %s', async (_, issue, says) => {
    files.put(await issue())
    const { code, err } = await home.run('start')
    expect(code).toBe(1)
    expect(err).toMatch(says)
    expect(err).toContain('config unset http.ssl.certFile')
    expect(err).not.toContain('PRIVATE KEY-----\n')
  })

  it('does not print a configuration for a reverse proxy', async () => {
    const { code, err } = await home.run('service proxy nginx')
    expect([code, err]).toEqual([2, expect.stringContaining('config unset http.ssl.certFile')])
  })

  it('reports problems of the certificate files of a running node', async () => {
    const node = await startTestNode({}, { home: home.home })
    try {
      files.put({ key: (await authority.issue({ names: NAMES })).key })
      const renewal = await home.run('certs renew')
      expect([renewal.code, renewal.err]).toEqual([1, expect.stringContaining('reads its certificate from files')])
      const { code, err, out } = await home.run('certs list')
      expect([code, err]).toEqual([0, expect.stringMatching(/Certificate problem: the key does not belong[^]*doctor certificate/)])
      expect(out).toContain('127.0.0.1')
      expect(await doctor()).toMatchObject({ code: 1, findings: [{ state: 'fault', says: expect.stringContaining('previous certificate is served') as string }, { state: 'fine' }] })
      files.put(await authority.issue({ names: NAMES, until: Date.now() + 5 * DAY_MS }))
      await node.node.certificates.check()
      const status = await home.run('status')
      expect([status.code, status.out]).toEqual([0, expect.stringMatching(/! The certificate for 127\.0\.0\.1 expires in 5 d: .*doctor certificate/)])
      // Only these tests know the authority.
      const { out: report } = await home.run('doctor address --json')
      expect(JSON.parse(report)).toMatchObject({ ok: true, findings: [{ state: 'warning', next: expect.stringContaining('NODE_EXTRA_CA_CERTS') as string }] })
    } finally {
      await node.stop()
    }
  })
})
