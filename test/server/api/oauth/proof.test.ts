/** Accepted and rejected DPoP proofs (docs/interface/oauth.md#dpop). */
import { sign } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { examine, type Expected } from '../../../../src/server/auth/dpop/proof.js'
import { newProofKey, proofOf, type ProofFor } from '../../../support/http/dpop.js'

const now = 1_700_000_000
const url = 'https://node.example/ana/events'
const token = 'the-token'
const key = newProofKey()
const other = newProofKey()
const defaults: ProofFor = { url, token, now }
const expected: Expected = { method: 'GET', url, token, now, skew: 120 }
const atToken: Expected = { method: 'GET', url, now, skew: 120 }

const proof = (more: Partial<ProofFor> = {}): string => proofOf(key, { ...defaults, ...more })
const withHeader = (header: Record<string, unknown>): string => proof({ header })
const withClaims = (claims: Record<string, unknown>): string => proof({ claims })
const swap = (text: string, at: number, by: (part: string) => string): string =>
  text.split('.').map((one, index) => (index === at ? by(one) : one)).join('.')
/** Encodes the same bytes differently: the last of 43 characters has two unused bits. */
const reencoded = (coordinate: string): string => {
  const symbols = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  return coordinate.slice(0, 42) + (symbols[symbols.indexOf(coordinate.slice(42)) ^ 1] ?? '')
}

describe('a proof is accepted', () => {
  it.each<[string, string, Partial<Expected>?]>([
    ['with all claims', proof()],
    ['for another method', proof({ method: 'DELETE' }), { method: 'DELETE' }],
    ['with the query and fragment of its URL', proof({ url: `${url}?limit=1#x` })],
    ['for a URL with a query', proof(), { url: `${url}?limit=1` }],
    ['with the host in upper case and the default port', proof({ url: 'https://NODE.example:443/ana/events' })],
    ['when it is 120 s old', proof({ now: now - 120 })],
    ['when it is 120 s ahead', proof({ now: now + 120 })],
    ['with an id of 256 characters', withClaims({ jti: 'x'.repeat(256) })],
    ['with unknown claims and key properties', proof({ claims: { nonce: 'n' }, header: { jwk: { ...key.jwk, use: 'sig' } } })],
  ])('%s', async (_, text, more) => {
    expect(await examine(text, { ...expected, ...more })).toMatchObject({ jkt: key.jkt })
  })

  it('for the token endpoint without the hash of a token', async () => {
    expect(await examine(proofOf(key, { url, now }), atToken)).toMatchObject({ jkt: key.jkt })
  })

  it('if it is the example of RFC 9449, 4.1', async () => {
    const text =
      'eyJ0eXAiOiJkcG9wK2p3dCIsImFsZyI6IkVTMjU2IiwiandrIjp7Imt0eSI6IkVDIiwieCI6Imw4dEZyaHgtMzR0VjNoUklDUkRZOXpDa0RscEJoRjQyVVFVZldWQVdCRnMiLCJ5IjoiOVZFNGpmX09rX282NHpiVFRsY3VOSmFqSG10NnY5VERWclUwQ2R2R1JEQSIsImNydiI6IlAtMjU2In19.' +
      'eyJqdGkiOiItQndDM0VTYzZhY2MybFRjIiwiaHRtIjoiUE9TVCIsImh0dSI6Imh0dHBzOi8vc2VydmVyLmV4YW1wbGUuY29tL3Rva2VuIiwiaWF0IjoxNTYyMjYyNjE2fQ.' +
      '2-GxA6T8lP4vfrg8v-FdWP0A0zdrj8igiMLvqRMUvwnQg4PtFLbdLXiOSsX0x7NVY-FNyJK70nfbV37xRZT3Lg'
    const expectation = { method: 'POST', url: 'https://server.example.com/token', now: 1562262616, skew: 120 }
    expect(await examine(text, expectation)).toEqual({ jkt: '0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I', jti: '-BwC3ESc6acc2lTc' })
  })
})

describe('a proof is rejected:', () => {
  it.each<[string, string, Expected?]>([
    ['empty', ''],
    ['less than three parts', 'abc'],
    ['four parts', `${proof()}.x`],
    ['more than 4096 characters', withClaims({ filler: 'x'.repeat(4096) })],
    ['two proofs in one header', `${proof()}, ${proof()}`],
    ['base64 padding', swap(proof(), 2, (part) => `${part}=`)],
    ['leading white space', ` ${proof()}`],
    ['another type', withHeader({ typ: 'jwt' })],
    ['no type', withHeader({ typ: undefined })],
    ['another algorithm', withHeader({ alg: 'ES384' })],
    ['no algorithm', withHeader({ alg: 'none' })],
    ['a symmetric algorithm', withHeader({ alg: 'HS256' })],
    ['a critical extension', withHeader({ crit: ['b64'], b64: false })],
    ['no key', withHeader({ jwk: undefined })],
    ['a key id instead of a key', withHeader({ jwk: undefined, kid: 'k' })],
    ['a key of null', withHeader({ jwk: null })],
    ['another type of key', withHeader({ jwk: { ...key.jwk, kty: 'RSA' } })],
    ['another curve', withHeader({ jwk: { ...key.jwk, crv: 'P-384' } })],
    ['a private key', withHeader({ jwk: { ...key.jwk, d: key.jwk.x } })],
    ['a point that is not on the curve', withHeader({ jwk: { ...key.jwk, x: key.jwk.y } })],
    ['a short coordinate', withHeader({ jwk: { ...key.jwk, x: key.jwk.x.slice(1) } })],
    ['another encoding of its key, which has another thumbprint', withHeader({ jwk: { ...key.jwk, x: reencoded(key.jwk.x) } })],
    ['another key', withHeader({ jwk: other.jwk })],
    ['a header that is not an object', swap(proof(), 0, () => Buffer.from('[]').toString('base64url'))],
    ['a header that is not JSON', swap(proof(), 0, () => 'e30x')],
    ['a payload changed after signing', swap(proof(), 1, () => proof().split('.')[1] ?? '')],
    ['a signature of 63 bytes', swap(proof(), 2, (part) => Buffer.from(part, 'base64url').subarray(1).toString('base64url'))],
    ['a signature in DER', swap(proof(), 2, () => sign('sha256', Buffer.from(''), key.secret).toString('base64url'))],
    ['a signature of zeros', swap(proof(), 2, () => Buffer.alloc(64).toString('base64url'))],
    ['no id', withClaims({ jti: undefined })],
    ['an empty id', withClaims({ jti: '' })],
    ['a numeric id', withClaims({ jti: 5 })],
    ['an id of 257 characters', withClaims({ jti: 'x'.repeat(257) })],
    ['another method', proof({ method: 'POST' })],
    ['the method in lower case', proof({ method: 'get' })],
    ['no method', withClaims({ htm: undefined })],
    ['another path', proof({ url: `${url}/x` })],
    ['a path with a trailing slash', proof({ url: `${url}/` })],
    ['another host', proof({ url: 'https://evil.example/ana/events' })],
    ['another scheme', proof({ url: 'http://node.example/ana/events' })],
    ['another port', proof({ url: 'https://node.example:8443/ana/events' })],
    ['a relative URL', proof({ url: '/ana/events' })],
    ['no URL', withClaims({ htu: undefined })],
    ['an age of 121 s', proof({ now: now - 121 })],
    ['a time 121 s ahead', proof({ now: now + 121 })],
    ['a time that is a string', withClaims({ iat: String(now) })],
    ['no time', withClaims({ iat: undefined })],
    ['another token', proof({ token: 'another' })],
    ['no hash of the token', withClaims({ ath: undefined })],
    ['a hash of a token at the token endpoint', proof(), atToken],
    ['a hash of null at the token endpoint', withClaims({ ath: null }), atToken],
  ])('%s', async (_, text, expectation = expected) => {
    expect(await examine(text, expectation)).toBeUndefined()
  })
})
