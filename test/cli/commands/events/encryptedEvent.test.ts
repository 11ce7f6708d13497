import { createCipheriv, createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decryptEvent } from '../../../../src/cli/commands/events/decrypt/event.js'
import { openBytes, openingBy } from '../../../../src/cli/commands/events/decrypt/methods.js'
import type { Method } from '../../../../src/cli/commands/events/decrypt/methods.js'
import { aes, ecies, legacy, recipient, sealAes, sealEcies, vectors } from '../../../support/people/encryptedEvents.js'

const keyOf = (key: string | Buffer) => ({ bytes: Buffer.from(key as string), from: 'of a file' })
const eventOf = (type: string, payload: unknown) => ({ id: 'e1', streamIds: ['s'], type, content: { payload, keyRef: 'k' }, tags: [] })
const decrypt = (type: string, payload: unknown, key: string | Buffer) => decryptEvent(eventOf(type, payload), keyOf(key))

/** Returns the problem that prevents decryption, or the decrypted content. */
function decryptionResult(type: string, payload: unknown, key: string | Buffer): unknown {
  const result = decrypt(type, payload, key)
  return 'problem' in result ? result.problem.is : result.event['content']
}

const aesKey = Buffer.from(aes.key, 'base64')
const privateKey = createPrivateKey({ key: recipient, format: 'jwk' })
const publicKey = createPublicKey(privateKey)
const { d: _, ...publicJwk } = recipient
const pkcs8 = privateKey.export({ format: 'der', type: 'pkcs8' })
const pem = (type: 'pkcs8' | 'sec1') => privateKey.export({ format: 'pem', type }).toString()

describe('an encrypted event', () => {
  it.each(vectors)('of $type is decrypted, with the stored event in decryptedFrom', ({ type, key, payload, content }) => {
    const event = eventOf(type, payload)
    const result = decryptEvent(event, keyOf(key))
    expect(result).toMatchObject({ event: { ...event, type: 'note/txt', content, decryptedFrom: event } })
  })

  const forms: [kind: string, type: string, key: string | Buffer][] = [
    ['32 bytes', aes.type, aesKey],
    ['Base64', aes.type, aes.key],
    ['Base64 with a line break', aes.type, `${aes.key}\n`],
    ['a JWK', ecies.type, ecies.key],
    ['a JWK with other members', ecies.type, JSON.stringify({ ...recipient, kid: 'k', ext: true, key_ops: ['deriveBits'] }, null, 2)],
    ['a pair of JWK', ecies.type, JSON.stringify({ publicKey: publicJwk, privateKey: recipient })],
    ['a pair with PKCS#8', ecies.type, JSON.stringify({ publicKey: 'x', privateKey: pkcs8.toString('base64') })],
    ['PKCS#8 as PEM', ecies.type, pem('pkcs8')],
    ['SEC1 as PEM', ecies.type, pem('sec1')],
    ['PKCS#8 bytes', ecies.type, pkcs8],
    ['PKCS#8 in Base64', ecies.type, pkcs8.toString('base64')],
    ['PKCS#8 in Base64 of several lines', ecies.type, pem('pkcs8').replace(/-----.*-----\n/g, '')],
    ['a passphrase of a file', legacy.type, `${legacy.key}\r\n`],
  ]
  it.each(forms)('is decrypted by a key given as %s', (_kind, type, key) => {
    const vector = vectors.find((each) => each.type === type)
    expect(decryptionResult(type, vector?.payload, key)).toBe(vector?.content)
  })

  const other = generateKeyPairSync('ec', { namedCurve: 'secp384r1' })
  const locked = privateKey.export({ format: 'pem', type: 'pkcs8', cipher: 'aes-256-cbc', passphrase: 'x' }).toString()
  const unsuitable: [type: string, key: string | Buffer, why: string][] = [
    [aes.type, aesKey.subarray(1), 'is not 32 bytes'],
    [aes.type, Buffer.concat([aesKey, aesKey]), 'is not 32 bytes'],
    [aes.type, aesKey.toString('hex'), 'is not 32 bytes'],
    [aes.type, '', 'is not 32 bytes'],
    [aes.type, ecies.key, 'is not 32 bytes'],
    [ecies.type, aes.key, 'is not a private key'],
    [ecies.type, '', 'is not a private key'],
    [ecies.type, '{', 'is not a private key'],
    [ecies.type, '{"kty":"RSA","n":"x"}', 'is not a private key'],
    [ecies.type, '{"kty":"oct","k":"AAAA"}', 'is not a private key'],
    [ecies.type, JSON.stringify({ ...recipient, d: '' }), 'is not a private key'],
    [ecies.type, JSON.stringify({ privateKey: 7 }), 'is not a private key'],
    [ecies.type, '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----', 'is not a private key'],
    [ecies.type, JSON.stringify(publicJwk), 'is a public key'],
    [ecies.type, JSON.stringify({ publicKey: publicJwk }), 'is a public key'],
    [ecies.type, publicKey.export({ format: 'pem', type: 'spki' }).toString(), 'is a public key'],
    [ecies.type, publicKey.export({ format: 'der', type: 'spki' }), 'is a public key'],
    [ecies.type, JSON.stringify(other.privateKey.export({ format: 'jwk' })), 'is not on the curve P-256'],
    [ecies.type, other.privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(), 'is not on the curve P-256'],
    [ecies.type, generateKeyPairSync('x25519').privateKey.export({ format: 'der', type: 'pkcs8' }), 'is not on the curve P-256'],
    [ecies.type, locked, 'is protected by a passphrase'],
    [legacy.type, '\n', 'is empty'],
  ]
  it.each(unsuitable)('of %s rejects the key %j, which %s', (type, key, why) => {
    const vector = vectors.find((each) => each.type === type)
    const result = decrypt(type, vector?.payload, key)
    expect('problem' in result && 'why' in result.problem ? result.problem.why : result).toContain(why)
  })

  const wrongKey = { [aes.type]: Buffer.alloc(32), [ecies.type]: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'pem', type: 'pkcs8' }), [legacy.type]: 'wrong' }
  it.each(vectors)('of $type is not decrypted by another key', ({ type, payload }) => {
    expect(decryptionResult(type, payload, wrongKey[type] ?? '')).toBe('refused')
  })

  const malformed: [type: string, payload: unknown][] = [
    ...vectors.flatMap(({ type, payload }): [string, unknown][] => [
      [type, undefined],
      [type, ''],
      [type, 7],
      [type, `${payload}!`],
      [type, payload.slice(0, -1)],
      [type, Buffer.from(payload, 'base64').toString('base64url')],
    ]),
    [aes.type, Buffer.alloc(27).toString('base64')],
    [ecies.type, Buffer.alloc(92).toString('base64')],
    [ecies.type, Buffer.alloc(120).toString('base64')],
    [ecies.type, `BA${'A'.repeat(200)}=`.slice(0, 200)],
    [legacy.type, Buffer.from('Salted__12345678').toString('base64')],
    [legacy.type, Buffer.from(`Salted__12345678${'x'.repeat(17)}`).toString('base64')],
    [legacy.type, Buffer.from(`salted__12345678${'x'.repeat(16)}`).toString('base64')],
  ]
  it.each(malformed)('of %s is malformed with the payload %j', (type, payload) => {
    const key = vectors.find((each) => each.type === type)?.key ?? ''
    expect(decryptionResult(type, payload, key)).toBe('malformed')
  })

  it.each([aes, ecies])('of $type is not decrypted when any byte was changed or the end is missing', ({ type, key, payload }) => {
    const bytes = Buffer.from(payload, 'base64')
    for (let at = 0; at < bytes.length; at += 1) {
      const changed = Buffer.from(bytes)
      changed[at] = (changed[at] ?? 0) ^ 1
      expect(['refused', 'malformed']).toContain(decryptionResult(type, changed.toString('base64'), key))
      expect(['refused', 'malformed']).toContain(decryptionResult(type, bytes.subarray(0, at).toString('base64'), key))
    }
  })

  it('of an unknown method is not decrypted', () => {
    for (const type of ['encrypted/rot13', 'encrypted/', 'note/txt', 'encrypted/AES-256-GCM']) {
      expect(decryptionResult(type, aes.payload, aes.key)).toBe('unknown method')
    }
  })

  const plaintexts = ['', 'x', '[]', '7', 'null', '{}', '{"type":"a/b"}', '{"type":"a/b","content":null}', '{"type":null,"content":1}', '{"content":1}', '{"type":7,"content":1}', Buffer.from([0x22, 0xff, 0x22])]
  it.each(plaintexts)('with the plaintext %j contains no event', async (plaintext) => {
    const payload = (await sealAes(aesKey, Buffer.from(plaintext as string))).toString('base64')
    expect(decryptionResult(aes.type, payload, aes.key)).toBe('no event inside')
  })

  it('can contain any type and content', async () => {
    for (const content of [0, false, '', [], {}, { deep: ['é', '\u0000'] }]) {
      const plain = Buffer.from(JSON.stringify({ type: 'own/thing', content }))
      for (const [type, key, bytes] of [
        [aes.type, aes.key, await sealAes(aesKey, plain)],
        [ecies.type, ecies.key, await sealEcies(recipient, plain)],
      ] as const) {
        expect(decrypt(type, bytes.toString('base64'), key)).toMatchObject({ event: { type: 'own/thing', content } })
      }
    }
  })

  it('is decrypted or refused without throwing, for any payload and key', () => {
    const types = fc.constantFrom(...vectors.map((each) => each.type), 'encrypted/x', 7)
    const payload = fc.oneof(fc.base64String(), fc.anything(), fc.constantFrom(...vectors.map((each) => each.payload)))
    const key = fc.oneof(fc.uint8Array({ maxLength: 200 }), fc.constantFrom(...vectors.map((each) => Buffer.from(each.key))))
    fc.assert(
      fc.property(types, payload, key, (type, given, bytes) => {
        const result = decryptEvent({ type, content: { payload: given } }, { bytes: Buffer.from(bytes), from: '' })
        expect('problem' in result || 'decryptedFrom' in result.event).toBe(true)
      }),
      { numRuns: 500 },
    )
  })
})

describe('an encrypted file', () => {
  it('is decrypted equally in chunks of any lengths and as a whole', async () => {
    const privateNumber = Buffer.from(recipient.d, 'base64url')
    const lengths = fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1, maxLength: 40 })
    const method = fc.constantFrom<Method>('aes-256-gcm', 'ecies-aes-256-gcm')
    await fc.assert(
      fc.asyncProperty(method, lengths, fc.uint8Array({ maxLength: 500 }), async (by, cuts, plain) => {
        const key = by === 'aes-256-gcm' ? aesKey : privateNumber
        const bytes = by === 'aes-256-gcm' ? await sealAes(aesKey, plain) : await sealEcies(recipient, plain)
        const opening = openingBy(by, key)
        const got: Buffer[] = []
        for (let at = 0, n = 0; at < bytes.length; n += 1) {
          const length = cuts[n % cuts.length] ?? 1
          got.push(opening.update(bytes.subarray(at, at + length)))
          at += length
        }
        expect(opening.end()).toBeUndefined()
        expect(Buffer.concat(got).equals(Buffer.from(plain))).toBe(true)
        expect(openBytes(by, bytes, key)).toEqual({ plain: Buffer.from(plain) })
      }),
      { numRuns: 60 },
    )
  })

  it('with a truncated authentication tag is refused', () => {
    const cipher = createCipheriv('aes-256-gcm', aesKey, Buffer.alloc(12), { authTagLength: 4 })
    const bytes = Buffer.concat([Buffer.alloc(12), cipher.update('x'.repeat(40)), cipher.final(), cipher.getAuthTag()])
    expect(openBytes('aes-256-gcm', bytes, aesKey)).toEqual({ fault: 'refused' })
  })
})
