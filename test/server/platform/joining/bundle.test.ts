/** Tests of join bundles: their content, their encryption, and every way in which they are refused. */
import { beforeAll, describe, expect, it } from 'vitest'
import { Secret } from '../../../../src/store/model/secret.js'
import { decryptBundle, encryptBundle, parseBundle, settingsOfBundle, type Bundle } from '../../../../src/server/platform/joining/bundle.js'
import { BundleError } from '../../../../src/server/platform/joining/bundleError.js'
import { coreOfEnvelope, MAX_BUNDLE_LENGTH, sealEnvelope } from '../../../../src/server/platform/joining/envelope.js'
import { newPassphrase } from '../../../../src/server/platform/joining/passphrase.js'
import { exampleBundle } from './exampleBundle.js'

const passphrase = newPassphrase()
const other = newPassphrase()
let bundle: Bundle
let file: string
beforeAll(async () => {
  bundle = await exampleBundle()
  file = await encryptBundle(bundle, passphrase)
})

const faultOf = async (work: Promise<unknown>): Promise<string> => {
  const error = await work.then(() => undefined, (thrown: unknown) => thrown)
  return error instanceof BundleError ? error.fault : String(error)
}

describe('a passphrase', () => {
  it('has six groups of five characters, and differs each time', () => {
    expect(passphrase.reveal()).toMatch(/^([0-9a-hjkmnp-tv-z]{5}-){5}[0-9a-hjkmnp-tv-z]{5}$/)
    expect(passphrase.reveal()).not.toBe(other.reveal())
  })

  it('may be typed in capitals, without hyphens, and with letters that look like digits', async () => {
    const typed = passphrase.reveal().replaceAll('-', ' ').toUpperCase().replaceAll('0', 'O').replaceAll('1', 'I')
    expect(await decryptBundle(file, new Secret(typed))).toEqual(bundle)
  })
})

describe('an encrypted bundle', () => {
  it('is an armoured text that names its core, and no secret', () => {
    expect(file).toMatch(/^-----BEGIN COFFER JOIN BUNDLE-----\nEnvelope: 1\nCore: core-b\nKdf: scrypt 131072 8 1 /)
    expect(file).toMatch(/\n-----END COFFER JOIN BUNDLE-----\n$/)
    expect(coreOfEnvelope(file)).toBe('core-b')
    for (const secret of [bundle.cluster.joinToken, bundle.platformSecrets.auth.adminAccessKey, bundle.platformSecrets.platform.key]) expect(file).not.toContain(secret)
    expect(Math.max(...file.split('\n').map((line) => line.length))).toBeLessThan(100)
  })

  it('decrypts to the same bundle, also after mail programs changed line ends', async () => {
    expect(await decryptBundle(file, passphrase)).toEqual(bundle)
    expect(await decryptBundle(`Hello,\r\n\r\n${file.replaceAll('\n', '\r\n')}\r\nBye`, passphrase)).toEqual(bundle)
  })

  it('differs each time', async () => {
    const again = await encryptBundle(bundle, passphrase)
    const [a, b] = [file, again].map((each) => each.split('\n'))
    expect(a?.[3]).not.toBe(b?.[3])
    expect(a?.[8]).not.toBe(b?.[8])
  })

  it('is refused with another passphrase', async () => {
    expect(await faultOf(decryptBundle(file, other))).toBe('wrong-passphrase')
    expect(await faultOf(decryptBundle(file, new Secret('')))).toBe('wrong-passphrase')
  })

  it.each<[string, (text: string) => string, string]>([
    ['another version', (text) => text.replace('Envelope: 1', 'Envelope: 2'), 'too-new'],
    ['no version', (text) => text.replace('Envelope: 1\n', ''), 'damaged'],
    ['another core', (text) => text.replace('Core: core-b', 'Core: core-c'), 'damaged'],
    ['a cheaper key derivation', (text) => text.replace('scrypt 131072', 'scrypt 16384'), 'damaged'],
    ['another salt', (text) => text.replace(/(Kdf: scrypt 131072 8 1 ).{4}/, '$1AAAA'), 'damaged'],
    ['another nonce', (text) => text.replace(/(Cipher: aes-256-gcm ).{4}/, '$1AAAA'), 'damaged'],
    ['another cipher', (text) => text.replace('aes-256-gcm', 'aes-128-gcm'), 'damaged'],
    ['another checksum', (text) => text.replace(/Checksum: .{4}/, 'Checksum: 0000'), 'damaged'],
    ['a changed first byte', (text) => text.replace(/\n\n./, (found) => (found.endsWith('A') ? '\n\nB' : '\n\nA')), 'damaged'],
    ['a changed authentication tag', (text) => text.replace(/.{8}\n-----END/, 'AAAAAAA=\n-----END'), 'damaged'],
    ['a missing line', (text) => text.replace(/\n\n.*\n/, '\n\n'), 'damaged'],
    ['a missing end', (text) => text.slice(0, -20), 'damaged'],
    ['no lines', (text) => text.replace(/\n\n[\s\S]*\n-----END/, '\n\n-----END'), 'damaged'],
    ['an additional header line', (text) => text.replace('\nChecksum', '\nX: 1\nChecksum'), 'damaged'],
    ['no markers', (text) => text.replace(/-----BEGIN.*\n/, ''), 'not-a-bundle'],
    ['no content', () => '', 'not-a-bundle'],
    ['a size beyond the limit', (text) => text + ' '.repeat(MAX_BUNDLE_LENGTH), 'too-large'],
  ])('is refused with %s', async (_, change, fault) => {
    expect(change(file)).not.toBe(file)
    expect(await faultOf(decryptBundle(change(file), passphrase))).toBe(fault)
  })

  it('is authenticated with its header, also when the checksum was made to fit', async () => {
    const { createHash } = await import('node:crypto')
    const lines = file.replace('Core: core-b', 'Core: core-c').split('\n')
    const body = Buffer.from(lines.slice(lines.indexOf('') + 1, -2).join(''), 'base64')
    const sum = createHash('sha256').update(lines.slice(1, 5).join('\n')).update('\n').update(body).digest('hex')
    const forged = lines.map((line) => (line.startsWith('Checksum: ') ? `Checksum: ${sum}` : line)).join('\n')
    expect(coreOfEnvelope(forged)).toBe('core-c')
    expect(await faultOf(decryptBundle(forged, passphrase))).toBe('wrong-passphrase')
  })
})

describe('the content of a bundle', () => {
  /** Returns the fault of a text and its message, which names no value. */
  const problemOf = (text: string): string => {
    try {
      parseBundle(text)
    } catch (error) {
      if (error instanceof BundleError) return `${error.fault} ${error.message}`
    }
    return 'none'
  }

  type Change = (bundle: Record<string, Record<string, unknown>>) => unknown
  const refused: [string, Change, string][] = [
    ['version', (all) => ((all as Record<string, unknown>)['version'] = 5), 'too-new'],
    ['version', (all) => ((all as Record<string, unknown>)['version'] = 3), 'too-old'],
    ['version', (all) => delete (all as Record<string, unknown>)['version'], 'version'],
    ['issuedAt', (all) => ((all as Record<string, unknown>)['issuedAt'] = 'yesterday'), 'issuedAt'],
    ['cluster.ackUrl', (all) => (all['cluster']!['ackUrl'] = 'ftp://a/'), 'cluster.ackUrl'],
    ['cluster.joinToken', (all) => (all['cluster']!['joinToken'] = 'short'), 'cluster.joinToken'],
    ['cluster.ca', (all) => (all['cluster']!['ca'] = { certPem: 'x' }), 'cluster.ca.certPem'],
    ['node.id', (all) => (all['node']!['id'] = 'Core_B'), 'node.id'],
    ['node.ip', (all) => (all['node']!['ip'] = '300.1.1.1'), 'node.ip'],
    ['node.keyPem', (all) => (all['node']!['keyPem'] = all['node']!['certPem']), 'node.keyPem'],
    ['platformSecrets.auth', (all) => (all['platformSecrets']!['auth'] = { adminAccessKey: 'x' }), 'platformSecrets.auth.filesReadTokenSecret'],
    ['platformSecrets.platform.key', (all) => (all['platformSecrets']!['platform'] = { id: 'p1234567', key: 'x' }), 'platformSecrets.platform.key'],
    ['etcd.endpoints', (all) => (all['etcd']!['endpoints'] = []), 'etcd.endpoints'],
    ['etcd.keyPem', (all) => (all['etcd']!['keyPem'] = null), 'etcd.keyPem'],
    ['settings', (all) => (all['settings']!['http.port'] = 1), 'settings'],
    ['settings', (all) => (all['settings']!['platform.piiMode'] = 'none'), 'settings.platform.piiMode'],
    ['an unknown member', (all) => (all['rqlite'] = {}), 'the whole content'],
  ]
  it.each(refused)('is refused with an invalid %s', (_, change, message) => {
    const changed = structuredClone(bundle) as unknown as Record<string, Record<string, unknown>>
    change(changed)
    expect(problemOf(JSON.stringify(changed))).toContain(message)
  })

  it('is refused by its writer as by its reader', async () => {
    const changed = { ...bundle, settings: { 'http.port': 1 } }
    expect(await faultOf(encryptBundle(changed, passphrase))).toBe('invalid')
    // Encrypted without a check, as another program might do.
    expect(await faultOf(decryptBundle(await sealEnvelope(JSON.stringify(changed), 'core-b', passphrase), passphrase))).toBe('invalid')
  })

  it.each(['{', '[]', 'null', '""'])('is refused when it is %s', (text) => expect(problemOf(text)).toMatch(/^invalid /))

  it('becomes settings of the new core, with its members last', () => {
    const settings = settingsOfBundle(bundle, { etcdCa: '/ca', etcdCert: '/cert', etcdKey: '/key' })
    expect(settings).toMatchObject({
      'core.id': 'core-b',
      'core.url': 'https://b.example.org/',
      'platform.id': 'p1234567',
      'platform.etcdCa': '/ca',
      'auth.adminAccessKey': bundle.platformSecrets.auth.adminAccessKey,
      'service.name': 'Example',
      'dns.domain': null,
    })
    expect(Object.keys(settings).at(-1)).toBe('platform.etcd')
    const plain = settingsOfBundle({ ...bundle, etcd: { ...bundle.etcd, caPem: null, certPem: null, keyPem: null } }, { etcdCa: '/ca', etcdCert: '/cert', etcdKey: '/key' })
    expect([plain['platform.etcdCa'], plain['platform.etcdCert'], plain['platform.etcdKey']]).toEqual([null, null, null])
  })
})
