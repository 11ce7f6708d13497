import sodium from 'libsodium-wrappers'
import { beforeAll, describe, expect, it } from 'vitest'
import { Secret } from '../../../src/store/model/secret.js'
import { nodeText } from '../../../src/sync/channel/signer.js'
import { fingerprintOf, parseFingerprint } from '../../../src/sync/pairing/fingerprint.js'
import { pairingUrlText, parsePairingUrl } from '../../../src/sync/pairing/pairingUrl.js'
import { parsePairingMessage, scopeOfPeer, printableName } from '../../../src/sync/pairing/messages.js'
import { commitmentOf, WORDS, wordsOf } from '../../../src/sync/pairing/sas.js'

beforeAll(() => sodium.ready)

const key = (n: number): Uint8Array => Uint8Array.from({ length: 32 }, (_, at) => (at * 7 + n) & 255)
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

describe('a fingerprint', () => {
  it('is parsed as shown, and as people type it', () => {
    for (let n = 0; n < 50; n++) {
      const shown = fingerprintOf(key(n))
      expect(shown).toMatch(/^([0-9A-HJKMNP-TV-Z]{5}-){3}[0-9A-HJKMNP-TV-Z]{5}$/)
      expect(parseFingerprint(shown)).toBe(shown)
      expect(parseFingerprint(` ${shown.toLowerCase().replace(/-/g, ' ').replace(/0/g, 'o').replace(/1/g, 'l')}`)).toBe(shown)
    }
  })

  it('names the group with a wrong character or two swapped ones', () => {
    const shown = fingerprintOf(key(1))
    for (let at = 0; at < shown.length; at++) {
      if (shown[at] === '-') continue
      const group = Math.floor(at / 6) + 1
      for (const other of ALPHABET) {
        if (other === shown[at]) continue
        expect(() => parseFingerprint(shown.slice(0, at) + other + shown.slice(at + 1))).toThrow(`Group ${group} `)
      }
      const [one = '', two = ''] = [shown[at], shown[at + 1]]
      if (two === '-' || two === '' || one === two || '0Z0'.includes(one + two)) continue
      expect(() => parseFingerprint(shown.slice(0, at) + two + one + shown.slice(at + 2))).toThrow(`Group ${group} `)
    }
    const [a = '', b = '', ...rest] = shown.split('-')
    expect(() => parseFingerprint([b, a, ...rest].join('-'))).toThrow('Group 1 ')
    expect(() => parseFingerprint(shown.slice(1))).toThrow('too few characters: 19')
    expect(() => parseFingerprint(`${shown}A`)).toThrow('too many')
  })
})

describe('a pairing link', () => {
  const of = (address = 'https://home.example:3000/'): string =>
    pairingUrlText({ node: nodeText(key(3)), secret: new Secret(key(9).subarray(0, 16)), address })

  it('is parsed as created', () => {
    const link = parsePairingUrl(` ${of()}\n`)
    expect([link.node, link.address]).toEqual([nodeText(key(3)), 'https://home.example:3000/'])
    expect(link.secret.reveal()).toEqual(key(9).subarray(0, 16))
    expect(JSON.stringify(link)).toContain('•••')
    expect(parsePairingUrl(of('http://[::1]:3000')).address).toBe('http://[::1]:3000/')
  })

  it('is parsed with line breaks from copying', () => {
    const whole = of()
    for (let at = 1; at < whole.length; at += 7) {
      const broken = `${whole.slice(0, at)}  \r\n  ${whole.slice(at)}`
      expect(parsePairingUrl(broken).address, broken).toBe('https://home.example:3000/')
    }
  })

  it('is refused when truncated at any place of the code', () => {
    const whole = of()
    for (let at = 1; at <= whole.indexOf('@') + 1; at++) {
      expect(() => parsePairingUrl(whole.slice(0, at)), `at ${at}`).toThrow(expect.objectContaining({ reason: 'cut' }))
    }
  })

  it('is refused with any character of its code wrong or missing', () => {
    const whole = of()
    const from = 'coffer:pair/'.length
    for (let at = from; at < whole.indexOf('@'); at++) {
      const wrong = whole[at] === 'A' ? 'B' : 'A'
      for (const text of [whole.slice(0, at) + wrong + whole.slice(at + 1), whole.slice(0, at) + whole.slice(at + 1)]) {
        expect(() => parsePairingUrl(text), text).toThrow(expect.objectContaining({ reason: 'mistyped' }))
      }
    }
  })

  it.each([
    ['', 'not-a-link'],
    ['https://home.example:3000/', 'not-a-link'],
    ['coffer:pair/a b@http://x/', 'mistyped'],
  ])('is not accepted as %j', (text, reason) => expect(() => parsePairingUrl(text)).toThrow(expect.objectContaining({ reason })))

  it.each(['ftp://x/', 'home.example', 'http://', `http://${'x'.repeat(3000)}/`])('is refused with the address %s', (address) => {
    expect(() => parsePairingUrl(of(address))).toThrow(expect.objectContaining({ reason: 'address' }))
  })
})

describe('words', () => {
  it('are 256 short ones, each once', () => {
    expect(new Set(WORDS).size).toBe(256)
    expect(WORDS.every((word) => /^[a-z]{3,9}$/.test(word))).toBe(true)
    expect([...WORDS].sort()).toEqual(WORDS)
  })

  it('depend on the session and the numbers of both sides', () => {
    const words = wordsOf(key(1), key(2).subarray(0, 16), key(3).subarray(0, 16))
    expect(wordsOf(key(1), key(2).subarray(0, 16), key(3).subarray(0, 16))).toEqual(words)
    expect(wordsOf(key(4), key(2).subarray(0, 16), key(3).subarray(0, 16))).not.toEqual(words)
    expect(wordsOf(key(1), key(4).subarray(0, 16), key(3).subarray(0, 16))).not.toEqual(words)
    expect(wordsOf(key(1), key(2).subarray(0, 16), key(4).subarray(0, 16))).not.toEqual(words)
    expect(commitmentOf(key(1))).not.toEqual(commitmentOf(key(2)))
  })
})

describe('a message of a pairing', () => {
  const nonce = Buffer.from(key(1).subarray(0, 16)).toString('base64url')
  const whole = { is: 'offer', pairing: nonce, scope: { is: 'mirror' }, nonce, name: 'home', account: 'anna1', clock: 5 }
  const bytes = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value))

  it('is parsed', () => expect(parsePairingMessage(bytes(whole))).toMatchObject({ is: 'offer', name: 'home', pairing: nonce }))

  const share = { is: 'share', streams: ['a'], direction: 'send', grantor: 'us' }
  it.each([
    [{ ...whole, name: 'x'.repeat(65) }],
    [{ ...whole, name: 'a\u001b[2Jb' }],
    [{ ...whole, name: 'a\u202eb' }],
    [{ ...whole, name: '' }],
    [{ ...whole, clock: 'now' }],
    [{ ...whole, address: 'javascript:alert(1)' }],
    [{ ...whole, nonce: `${nonce}A` }],
    [{ ...whole, scope: undefined }],
    [{ ...whole, scope: { ...share, streams: [] } }],
    [{ ...whole, scope: { ...share, streams: ['a', 5] } }],
    [{ ...whole, scope: { ...share, direction: 'away' } }],
    [{ ...whole, scope: { ...share, grantor: 'me' } }],
    [{ is: 'reveal' }],
    [{ is: 'other' }],
    [null],
    ['x'.repeat(70_000)],
  ])('is refused: %j', (value) => expect(() => parsePairingMessage(bytes(value))).toThrow(expect.objectContaining({ reason: 'damaged' })))

  it('shows printable names alone', () => {
    expect(printableName('anna\u001b’s laptop')).toBe('anna’s laptop')
    expect(printableName('x'.repeat(80))).toHaveLength(64)
    expect(printableName('\u0007')).toBe('node')
  })

  it('inverts a scope', () => {
    const scope = { is: 'share', streams: ['a'], direction: 'send', grantor: 'us' } as const
    expect(scopeOfPeer(scope)).toEqual({ is: 'share', streams: ['a'], direction: 'receive', grantor: 'them' })
    expect(scopeOfPeer(scopeOfPeer(scope))).toEqual(scope)
  })
})
