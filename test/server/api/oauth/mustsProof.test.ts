/**
 * What RFC 9449 (DPoP) and RFC 6750 (Bearer) demand of who issues tokens and of who takes them, each with a call that shows
 * it. The specification answers 403 where the RFCs answer 401.
 */
import { createHash, sign } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { request, type Answer } from '../../../support/nodes/node.js'
import { consented, exchange, token } from '../../../support/people/oauth.js'
import { newProofKey, proofOf, type ProofFor, type ProofKey } from '../../../support/http/dpop.js'
import { PUBLIC, startMusts, type Must, type Musts } from './mustsSupport.js'

let at: Musts
let bound: { access: string; refresh: string; url: string }
let plain: { access: string; url: string }
const key = newProofKey()
const other = newProofKey()

const sha256 = (text: string): string => createHash('sha256').update(text).digest('base64url')
const atToken = (by: ProofKey = key, more: Partial<ProofFor> = {}): Record<string, string> => ({
  dpop: proofOf(by, { method: 'POST', url: `${at.node.url}oauth2/token`, now: at.clock.now(), ...more }),
})
const atEvents = (more: Partial<ProofFor> = {}, by: ProofKey = key): string =>
  proofOf(by, { url: bound.url, token: bound.access, now: at.clock.now(), ...more })
const read = (headers: Record<string, string>, url = bound.url): Promise<Answer> => request(url, { headers })
const readBy = (proof: string, scheme = 'DPoP'): Promise<Answer> => read({ authorization: `${scheme} ${bound.access}`, dpop: proof })
const refreshed = (refreshToken: unknown, headers: Record<string, string>): Promise<Answer> =>
  token(at.node, { grant_type: 'refresh_token', client_id: PUBLIC, refresh_token: String(refreshToken) }, headers)

const INVALID = { status: 400, body: { error: 'invalid_dpop_proof' } }
const refusedAtEvents = async (proof: string): Promise<void> => {
  const { status, headers } = await readBy(proof)
  expect([status, headers.get('www-authenticate')]).toEqual([403, 'DPoP algs="ES256", error="invalid_token"'])
}
/** No token for a proof like this, and the code is not used up. */
const refusedAtToken = async (headers: Record<string, string>): Promise<void> => {
  const code = await at.codeOf()
  expect(await token(at.node, exchange(code, PUBLIC), headers)).toMatchObject(INVALID)
  expect((await token(at.node, exchange(code, PUBLIC), atToken())).status).toBe(200)
}

beforeAll(async () => {
  at = await startMusts()
  const held = async (headers: Record<string, string>): Promise<{ access: string; refresh: string; url: string }> => {
    const { code, username } = await consented(at.node, PUBLIC)
    const { body } = await token(at.node, exchange(code, PUBLIC), headers)
    return { access: String(body['access_token']), refresh: String(body['refresh_token']), url: `${at.node.url}${username}/events` }
  }
  bound = await held(atToken())
  plain = await held({})
})
afterAll(() => at.stop())

const withHeader = (header: Record<string, unknown>): Partial<ProofFor> => ({ header })

/** RFC 9449, 4.3, by its numbers: the twelve checks, at both ends. */
const checks: [must: string, broken: Partial<ProofFor>][] = [
  ['2: one well-formed JWT', { header: { typ: undefined, alg: undefined, jwk: undefined } }],
  ['3: all claims that are required: jti', { claims: { jti: undefined } }],
  ['3: all claims that are required: htm', { claims: { htm: undefined } }],
  ['3: all claims that are required: htu', { claims: { htu: undefined } }],
  ['3: all claims that are required: iat', { claims: { iat: undefined } }],
  ['4: the type dpop+jwt', withHeader({ typ: 'jwt' })],
  ['5: an asymmetric algorithm, not none', withHeader({ alg: 'none' })],
  ['5: one that is taken', withHeader({ alg: 'HS256' })],
  ['6: a signature by the key in the header', withHeader({ jwk: other.jwk })],
  ['7: no private key', withHeader({ jwk: { ...key.jwk, d: key.jwk.x } })],
  ['8: the method', { method: 'PUT' }],
  ['9: the address', { url: 'https://evil.example/' }],
  ['11: made lately, not long ago', { claims: { iat: 1 } }],
  ['11: made lately, not in time to come', { claims: { iat: 4_000_000_000 } }],
]

const issuing: Must[] = [
  ['9449 4.3', '1: one proof', async () => {
    const code = await at.codeOf()
    const two = { dpop: `${atToken()['dpop'] ?? ''}, ${atToken()['dpop'] ?? ''}` }
    expect(await token(at.node, exchange(code, PUBLIC), two)).toMatchObject(INVALID)
  }],
  ['9449 4.3', '6: the signature is of what is there', async () => {
    const [head = '', , tail = ''] = (atToken()['dpop'] ?? '').split('.')
    const [, body = ''] = (atToken()['dpop'] ?? '').split('.')
    await refusedAtToken({ dpop: `${head}.${body}.${tail}` })
    await refusedAtToken({ dpop: `${head}.${body}.${sign('sha256', Buffer.from(`${head}.${body}`), key.secret).toString('base64url')}` })
  }],
  ['9449 4.3', '9: query and fragment of the address say nothing', async () => {
    const headers = atToken(key, { url: `${at.node.url}oauth2/token?x=1#y` })
    expect((await token(at.node, exchange(await at.codeOf(), PUBLIC), headers)).body['token_type']).toBe('DPoP')
  }],
  ['9449 5', 'a token that is bound is of the type DPoP', async () => {
    const { headers, body } = await token(at.node, exchange(await at.codeOf(), PUBLIC), atToken())
    expect([body['token_type'], headers.get('cache-control')]).toEqual(['DPoP', 'no-store'])
  }],
  ['9449 5', 'without a proof it is Bearer', async () => expect((await at.tokensOf()).body['token_type']).toBe('Bearer')],
  ['9449 5', 'a refresh token of a public client is bound to the key', async () => {
    for (const headers of [{}, atToken(other)]) {
      const { body } = await at.tokensOf(PUBLIC, atToken())
      expect(await refreshed(body['refresh_token'], headers)).toMatchObject(INVALID)
    }
    const { body } = await at.tokensOf(PUBLIC, atToken())
    expect(await refreshed(body['refresh_token'], atToken())).toMatchObject({ status: 200, body: { token_type: 'DPoP' } })
  }],
  ['9449 5.1', 'algorithms are in the metadata, none and symmetric ones are not', async () => {
    const { body } = await request(`${at.node.url}.well-known/oauth-authorization-server`)
    expect(body['dpop_signing_alg_values_supported']).toEqual(['ES256'])
  }],
  ['9449 6.1', 'a token is bound to the thumbprint of RFC 7638', async () => {
    const { crv, kty, x, y } = key.jwk
    expect(sha256(JSON.stringify({ crv, kty, x, y }))).toBe(key.jkt)
    const { access } = bound
    const info = await read({ authorization: `DPoP ${access}`, dpop: atEvents({ url: bound.url.replace('events', 'access-info') }) }, bound.url.replace('events', 'access-info'))
    expect(info.body['clientData']).toEqual({ dpop: { jkt: key.jkt }, cmc: { kind: 'oauth-session', dataGrantAccessId: expect.any(String) as string } })
  }],
  ['9449 11.1', 'a proof is taken once', async () => {
    const headers = atToken()
    expect((await token(at.node, exchange(await at.codeOf(), PUBLIC), headers)).status).toBe(200)
    await refusedAtToken(headers)
  }],
]

const taking: Must[] = [
  ['9449 4.3', '1: one proof', () => refusedAtEvents(`${atEvents()}, ${atEvents()}`)],
  ['9449 4.3', '12a: the hash of the token', async () => {
    await refusedAtEvents(atEvents({ claims: { ath: undefined } }))
    await refusedAtEvents(atEvents({ token: plain.access }))
  }],
  ['9449 4.3', '12b: the key that the token is bound to', () => refusedAtEvents(atEvents({}, other))],
  ['9449 7.1', 'the scheme is DPoP, in any case', async () => {
    for (const scheme of ['DPoP', 'dpop', 'DPOP']) expect((await readBy(atEvents(), scheme)).status).toBe(200)
  }],
  ['9449 7.1', 'the challenge names the scheme and the algorithms', () => refusedAtEvents('none')],
  ['9449 7.2', 'a bound token is refused as Bearer', async () => {
    expect((await readBy(atEvents(), 'Bearer')).status).toBe(403)
    expect((await read({ authorization: `Bearer ${bound.access}` })).status).toBe(403)
  }],
  ['9449 7.1', 'a token that is not bound is refused by the scheme DPoP', async () => {
    const dpop = proofOf(key, { url: plain.url, token: plain.access, now: at.clock.now() })
    expect((await read({ authorization: `DPoP ${plain.access}`, dpop }, plain.url)).status).toBe(403)
  }],
  ['9449 11.1', 'a proof is taken once', async () => {
    const proof = atEvents()
    expect((await readBy(proof)).status).toBe(200)
    await refusedAtEvents(proof)
  }],
  ['9449 11.1', 'and once by as many as send it at the same time', async () => {
    const proof = atEvents()
    const answers = await Promise.all(Array.from({ length: 20 }, () => readBy(proof)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  }],
  ['9449 11.2', 'a proof made beforehand ends with its time', async () => {
    const proof = atEvents()
    at.clock.pass(121)
    await refusedAtEvents(proof)
  }],
  ['6750 2.1', 'a token in the header Authorization, the scheme in any case', async () => {
    for (const scheme of ['Bearer', 'bearer']) expect((await read({ authorization: `${scheme} ${plain.access}` }, plain.url)).status).toBe(200)
  }],
  ['6750 3', 'who comes without a token is told the scheme and nothing more', async () => {
    const { status, headers } = await read({}, plain.url)
    expect([status, headers.get('www-authenticate')]).toEqual([401, expect.stringMatching(/^Bearer realm="[^"]*"$/)])
  }],
  ['6750 3.1', 'a token that is none is invalid_token', async () => {
    const { headers } = await read({ authorization: 'Bearer nobodys' }, plain.url)
    expect(headers.get('www-authenticate')).toContain('error="invalid_token"')
  }],
  ['6750 5.3', 'a token ends', async () => {
    const { access, url } = plain
    at.clock.pass(3601)
    expect((await read({ authorization: `Bearer ${access}` }, url)).status).toBe(403)
  }],
]

describe('who issues tokens', () => {
  it.each(checks)('RFC 9449 4.3: checks %s', async (_, broken) => refusedAtToken(atToken(key, broken)))
  it.each(issuing)('RFC %s: %s', async (_section, _must, check) => check())
})

describe('who takes tokens', () => {
  it.each(checks)('RFC 9449 4.3: checks %s', async (_, broken) => refusedAtEvents(atEvents(broken.url === '' ? { header: broken.header ?? {} } : broken)))
  it.each(taking)('RFC %s: %s', async (_section, _must, check) => check())
})
