/** Certificates obtained from an authority with ACME. */
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from 'node:tls'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { initialise } from '../../../src/server/launch/init.js'
import { createLog } from '../../../src/server/base/log.js'
import { runRenewalHook } from '../../../src/server/tls/acme/renewalHook.js'
import { pairOf } from '../../../src/server/tls/pair.js'
import { Secret } from '../../../src/store/model/secret.js'
import { startAcme, type FakeAcme } from '../../support/services/acme.js'
import { fakeClock, type FakeClock } from '../../support/nodes/clock.js'
import { placesOf, startTestNode, type TestNode } from '../../support/nodes/node.js'
import { textsOnDisk } from '../../support/store/onDisk.js'
import { secureRequest } from './support.js'
import { KEY } from '../api/system/support.js'

const HOST = 'node.example.org'
const DAY = 86_400

let acme: FakeAcme
let home: string
let clock: FakeClock
let node: TestNode

const start = async (more: Record<string, unknown> = {}): Promise<TestNode> => {
  node = await startTestNode(
    {
      'auth.adminAccessKey': KEY,
      'dnsLess.publicUrl': `https://${HOST}`,
      'letsEncrypt.enabled': true,
      'letsEncrypt.directoryUrl': acme.directoryUrl,
      'letsEncrypt.email': 'ana@example.org',
      'http.ssl.redirectPort': 0,
      ...more,
    },
    { home, clock },
  )
  acme.challengePort = node.redirectPort ?? 0
  return node
}

beforeAll(async () => {
  acme = await startAcme()
  acme.refuses = { at: 'new-order', detail: 'too many of them' }
  home = mkdtempSync(join(tmpdir(), 'coffer-acme-'))
  await initialise(placesOf(home))
  clock = fakeClock(Date.now() / 1000)
  await start()
})
afterAll(async () => {
  await node.stop()
  await acme.stop()
  rmSync(home, { recursive: true })
})

interface ServedCertificate {
  serial: string
  issuer: string
  names: string
  lastsDays: number
}

/** Returns the certificate that a new connection receives, trusted or not. */
const served = (): Promise<ServedCertificate> =>
  new Promise((resolve, reject) => {
    const socket = connect({ port: node.port, host: '127.0.0.1', servername: HOST, rejectUnauthorized: false }, () => {
      const { serialNumber, issuer, subjectaltname = '', valid_to: until } = socket.getPeerCertificate()
      resolve({ serial: serialNumber, issuer: String(issuer.CN), names: subjectaltname, lastsDays: Math.round((Date.parse(until) - Date.now()) / DAY / 1000) })
      socket.destroy()
    })
    socket.on('error', reject)
  })
const trusted = (): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ port: node.port, host: '127.0.0.1', servername: HOST, ca: acme.authority.cert }, () => {
      resolve(socket.authorized)
      socket.destroy()
    })
    socket.on('error', () => resolve(false))
  })
const certificates = (): TestNode['node']['certificates'] => node.node.certificates
const problem = async (): Promise<{ fault: string; message: string } | null | undefined> => (await certificates().state())?.problem

const operator = (path: string, body?: unknown): Promise<{ status: number; body: Record<string, unknown> }> =>
  secureRequest(`https://127.0.0.1:${node.port}/${path}`, acme.authority.cert, { token: KEY, ...(body === undefined ? {} : { body }), servername: HOST })

/** Returns the number of failed requests to the authority. */
const failures = (): number => node.logged.filter((line) => line.includes('failed to obtain a certificate')).length

describe('before the first certificate', () => {
  it('a self-signed certificate for the name is served, valid for a day, and none is listed', async () => {
    expect(await served()).toMatchObject({ issuer: HOST, names: `DNS:${HOST}`, lastsDays: 1 })
    expect(await certificates().list()).toEqual([])
    expect(await problem()).toMatchObject({ fault: 'not-issued' })
    while (failures() === 0) await new Promise((resolve) => setTimeout(resolve, 10))
  })

  it('the request is repeated after a minute, and less often while it fails', async () => {
    expect(await problem()).toMatchObject({ fault: 'not-issued', message: expect.stringContaining('too many of them') as string })
    const counts = []
    for (const seconds of [30, 31, 61, 61]) {
      clock.pass(seconds)
      await certificates().check()
      counts.push(failures())
    }
    expect(counts).toEqual([1, 2, 2, 3])
  })

  it('the self-signed certificate is renewed before it expires', async () => {
    const { serial } = await served()
    clock.pass(23.5 * 3600)
    await certificates().check()
    delete acme.refuses
    expect((await served()).serial).not.toBe(serial)
    clock.pass(-23.5 * 3600)
  })

  it('a wrong answer to the challenge fails', async () => {
    acme.challengePort = 1
    await expect(certificates().renew()).rejects.toThrow(/returned another response/)
    acme.challengePort = node.redirectPort ?? 0
  })

  it('an unreachable authority is named in the failure', async () => {
    await node.stop()
    await start({ 'letsEncrypt.directoryUrl': 'http://127.0.0.1:1/directory' })
    await expect(certificates().renew()).rejects.toThrow(/authority at 127\.0\.0\.1:1 cannot be reached: .*ECONNREFUSED/)
    await node.stop()
    await start()
  })

  it('a certificate for another name is refused', async () => {
    acme.mistaken = 'other.example.org'
    await expect(certificates().renew()).rejects.toThrow(/does not cover node\.example\.org/)
    delete acme.mistaken
    expect((await served()).issuer).toBe(HOST)
  })
})

describe('a certificate', () => {
  it('is obtained once for concurrent calls, and served immediately', async () => {
    acme.isSlow = true
    const [one, other] = await Promise.all([certificates().renew(HOST), certificates().renew()])
    acme.isSlow = false
    expect(one).toEqual(other)
    expect(await trusted()).toBe(true)
    expect(acme.lastAnswer).toMatch(/^[\w-]+\.[\w-]+$/)
    expect((await certificates().list())[0]).toMatchObject({ hostname: HOST, daysUntilExpiry: 90 })
    expect(await problem()).toBeNull()
  })

  it('is requested with one account and its contact address', () => {
    expect([...acme.accounts.values()]).toEqual([{ contact: ['mailto:ana@example.org'], asked: 1 }])
  })

  it('can be renewed by the operator', async () => {
    const { status, body } = await operator('system/admin/certs/force-renew', { hostname: HOST })
    expect([status, body]).toMatchObject([200, { ok: true, hostname: HOST, issuedAt: expect.any(Number) as number, expiresAt: expect.any(Number) as number }])
    for (const hostname of ['other.example.org', '']) {
      expect(await operator('system/admin/certs/force-renew', { hostname })).toMatchObject({ status: 400, body: { ok: false, error: { id: 'renewal-failed' } } })
    }
    expect(await operator('system/admin/certs/force-renew', { hostname: 5 })).toMatchObject({ status: 400, body: { error: { id: 'invalid-request' } } })
    acme.refuses = { at: 'finalize', detail: 'not today' }
    expect(await operator('system/admin/certs/force-renew', {})).toMatchObject({ status: 400, body: { ok: false, error: { id: 'renewal-failed', message: expect.stringContaining('not today') as string } } })
    delete acme.refuses
    expect(await problem()).toMatchObject({ fault: 'not-renewed' })
    await certificates().renew()
    expect(await problem()).toBeNull()
  })

  it('is preserved in a restart, with the account', async () => {
    const before = await served()
    const issued = acme.given.length
    await node.stop()
    await start()
    expect(await served()).toEqual(before)
    await certificates().check()
    expect(acme.given.length).toBe(issued)
    await certificates().renew()
    expect([...acme.accounts.values()]).toEqual([{ contact: ['mailto:ana@example.org'], asked: 1 }])
    expect((await served()).serial).not.toBe(before.serial)
  })

  it('is renewed within the configured days before its expiry', async () => {
    const { serial } = await served()
    clock.pass(59 * DAY)
    await certificates().check()
    expect((await served()).serial).toBe(serial)
    clock.pass(1.5 * DAY)
    await certificates().check()
    expect((await served()).serial).not.toBe(serial)
    clock.pass(-60.5 * DAY)
  })

  it('remains while it cannot be renewed', async () => {
    const { serial } = await served()
    acme.refuses = { at: 'new-order', detail: 'too many of them' }
    await expect(certificates().renew()).rejects.toThrow(/too many of them/)
    delete acme.refuses
    expect((await served()).serial).toBe(serial)
    expect(await certificates().list()).toHaveLength(1)
  })

  it('that has expired, or is for another name, is not served after a restart', async () => {
    await node.stop()
    clock.pass(91 * DAY)
    await start()
    expect(await served()).toMatchObject({ issuer: HOST })
    await node.stop()
    clock.pass(-91 * DAY)
    acme.refuses = { at: 'new-order', detail: 'too many of them' }
    await start({ 'dnsLess.publicUrl': 'https://elsewhere.example.org' })
    expect(await served()).toMatchObject({ issuer: 'elsewhere.example.org' })
    await node.stop()
    delete acme.refuses
    await start()
    expect(await trusted()).toBe(true)
  })

  it('has its key encrypted on disk', async () => {
    expect(await textsOnDisk(home, ['PRIVATE KEY'])).toEqual([])
    expect(await textsOnDisk(home, ['BEGIN CERTIFICATE'])).not.toEqual([])
  })
})

describe('the port of plain HTTP', () => {
  it('redirects requests for unknown challenges', async () => {
    const response = await fetch(`http://127.0.0.1:${node.redirectPort}/.well-known/acme-challenge/none`, { redirect: 'manual' })
    expect([response.status, response.headers.get('location')]).toEqual([308, 'https://127.0.0.1/.well-known/acme-challenge/none'])
  })
})

/** Checks that a process runs and is not a zombie. */
function runs(pid: string): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

describe('the renewal hook', () => {
  let folder: string
  let script: string
  const logged: string[] = []
  const log = createLog('info', () => 0, (line) => void logged.push(line))
  const write = (text: string): void => {
    writeFileSync(script, `#!/bin/sh\n${text}\n`)
    chmodSync(script, 0o700)
  }
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'coffer-rotated-'))
    script = join(folder, 'script')
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  it('is run by the node with certificate and key', async () => {
    write(`cat "$COFFER_CERT_PATH" > "${folder}/cert.pem"; cat "$COFFER_CERT_KEYPATH" > "${folder}/key.pem"; env > "${folder}/env"; echo "$COFFER_CERT_HOSTNAME" > "${folder}/host"`)
    await node.stop()
    process.env['COFFER_SET_AUTH_ADMIN_ACCESS_KEY'] = 'a secret of the operator'
    try {
      await start({ 'letsEncrypt.onRotateScript': script })
      await certificates().renew()
      while (!node.logged.some((line) => line.includes('program for new certificates'))) await new Promise((resolve) => setTimeout(resolve, 10))
    } finally {
      delete process.env['COFFER_SET_AUTH_ADMIN_ACCESS_KEY']
    }
    const read = (name: string): string => readFileSync(join(folder, name), 'utf8')
    expect(read('host')).toBe(`${HOST}\n`)
    expect(pairOf({ cert: read('cert.pem'), key: new Secret(read('key.pem')) }, { certFile: 'c', keyFile: 'k' }, Date.now()).names).toEqual([HOST])
    expect(read('env')).not.toContain('a secret')
    expect(readdirSync(home).filter((name) => name.startsWith('rotated-'))).toEqual([])
  })

  it.each([
    ['cannot be run', undefined, 10_000, /ENOENT/],
    ['fails', 'echo it went wrong >&2; exit 3', 10_000, /it went wrong/],
    ['does not end', 'sleep 600 & echo $! > "$0.pid"; wait', 500, /did not exit within 0\.5 s/],
  ])('that %s is logged', async (_, text, limitMs, message) => {
    if (text === undefined) rmSync(script)
    else write(text)
    const issued = await acme.authority.issue({ names: [HOST] })
    const pair = pairOf({ cert: issued.cert, key: new Secret(issued.key) }, { certFile: 'c', keyFile: 'k' }, Date.now())
    logged.length = 0
    await runRenewalHook(script, HOST, pair, { home: folder, log, limitMs })
    expect(logged.join('')).toMatch(message)
    if (existsSync(`${script}.pid`)) while (runs(readFileSync(`${script}.pid`, 'utf8').trim())) await new Promise((resolve) => setTimeout(resolve, 10))
    expect(readdirSync(folder).filter((name) => name.startsWith('rotated-'))).toEqual([])
  })
})
