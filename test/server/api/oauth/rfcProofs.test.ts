/**
 * Requirements of RFC 9449 (DPoP) and RFC 6750 (Bearer) for the token endpoint and for resources, each verified by a call.
 * The specification returns 403 where the RFCs require 401.
 */
import { createHash, sign } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { request, type Answer } from '../../../support/nodes/node.js'
import { consented, exchange, token } from '../../../support/people/oauth.js'
import { newProofKey, proofOf, type ProofFor, type ProofKey } from '../../../support/http/dpop.js'
import { PUBLIC, startRfcSetup, type Requirement, type RfcSetup } from './rfcSupport.js'

let setup: RfcSetup
let bound: { access: string; refresh: string; url: string }
let plain: { access: string; url: string }
const key = newProofKey()
const other = newProofKey()

const sha256 = (text: string): string => createHash('sha256').update(text).digest('base64url')
const tokenProof = (signer: ProofKey = key, more: Partial<ProofFor> = {}): Record<string, string> => ({
  dpop: proofOf(signer, { method: 'POST', url: `${setup.node.url}oauth2/token`, now: setup.clock.now(), ...more }),
})
const eventsProof = (more: Partial<ProofFor> = {}, signer: ProofKey = key): string =>
  proofOf(signer, { url: bound.url, token: bound.access, now: setup.clock.now(), ...more })
const read = (headers: Record<string, string>, url = bound.url): Promise<Answer> => request(url, { headers })
const readBy = (proof: string, scheme = 'DPoP'): Promise<Answer> => read({ authorization: `${scheme} ${bound.access}`, dpop: proof })
const refreshTokens = (refreshToken: unknown, headers: Record<string, string>): Promise<Answer> =>
  token(setup.node, { grant_type: 'refresh_token', client_id: PUBLIC, refresh_token: String(refreshToken) }, headers)

const INVALID = { status: 400, body: { error: 'invalid_dpop_proof' } }
const expectRefusedByEvents = async (proof: string): Promise<void> => {
  const { status, headers } = await readBy(proof)
  expect([status, headers.get('www-authenticate')]).toEqual([403, 'DPoP algs="ES256", error="invalid_token"'])
}
/** Checks that the token endpoint refuses a proof without consuming the code. */
const expectRefusedByToken = async (headers: Record<string, string>): Promise<void> => {
  const code = await setup.codeOf()
  expect(await token(setup.node, exchange(code, PUBLIC), headers)).toMatchObject(INVALID)
  expect((await token(setup.node, exchange(code, PUBLIC), tokenProof())).status).toBe(200)
}

beforeAll(async () => {
  setup = await startRfcSetup()
  const newTokens = async (headers: Record<string, string>): Promise<{ access: string; refresh: string; url: string }> => {
    const { code, username } = await consented(setup.node, PUBLIC)
    const { body } = await token(setup.node, exchange(code, PUBLIC), headers)
    return { access: String(body['access_token']), refresh: String(body['refresh_token']), url: `${setup.node.url}${username}/events` }
  }
  bound = await newTokens(tokenProof())
  plain = await newTokens({})
})
afterAll(() => setup.stop())

const withHeader = (header: Record<string, unknown>): Partial<ProofFor> => ({ header })

/** Checks of RFC 9449, 4.3, by number, for the token endpoint and resources. */
const checks: [requirement: string, broken: Partial<ProofFor>][] = [
  ['2: one well-formed JWT', { header: { typ: undefined, alg: undefined, jwk: undefined } }],
  ['3: the required claim jti', { claims: { jti: undefined } }],
  ['3: the required claim htm', { claims: { htm: undefined } }],
  ['3: the required claim htu', { claims: { htu: undefined } }],
  ['3: the required claim iat', { claims: { iat: undefined } }],
  ['4: the type dpop+jwt', withHeader({ typ: 'jwt' })],
  ['5: an asymmetric algorithm, not none', withHeader({ alg: 'none' })],
  ['5: a supported algorithm', withHeader({ alg: 'HS256' })],
  ['6: a signature by the key in the header', withHeader({ jwk: other.jwk })],
  ['7: no private key', withHeader({ jwk: { ...key.jwk, d: key.jwk.x } })],
  ['8: the method', { method: 'PUT' }],
  ['9: the URL', { url: 'https://evil.example/' }],
  ['11: a recent time, not in the past', { claims: { iat: 1 } }],
  ['11: a recent time, not in the future', { claims: { iat: 4_000_000_000 } }],
]

const tokenRows: Requirement[] = [
  ['9449 4.3', '1: a single proof', async () => {
    const code = await setup.codeOf()
    const two = { dpop: `${tokenProof()['dpop'] ?? ''}, ${tokenProof()['dpop'] ?? ''}` }
    expect(await token(setup.node, exchange(code, PUBLIC), two)).toMatchObject(INVALID)
  }],
  ['9449 4.3', '6: the signature matches the content', async () => {
    const [head = '', , tail = ''] = (tokenProof()['dpop'] ?? '').split('.')
    const [, body = ''] = (tokenProof()['dpop'] ?? '').split('.')
    await expectRefusedByToken({ dpop: `${head}.${body}.${tail}` })
    await expectRefusedByToken({ dpop: `${head}.${body}.${sign('sha256', Buffer.from(`${head}.${body}`), key.secret).toString('base64url')}` })
  }],
  ['9449 4.3', '9: query and fragment of the URL are ignored', async () => {
    const headers = tokenProof(key, { url: `${setup.node.url}oauth2/token?x=1#y` })
    expect((await token(setup.node, exchange(await setup.codeOf(), PUBLIC), headers)).body['token_type']).toBe('DPoP')
  }],
  ['9449 5', 'a bound token has the type DPoP', async () => {
    const { headers, body } = await token(setup.node, exchange(await setup.codeOf(), PUBLIC), tokenProof())
    expect([body['token_type'], headers.get('cache-control')]).toEqual(['DPoP', 'no-store'])
  }],
  ['9449 5', 'a token without a proof has the type Bearer', async () => expect((await setup.tokensOf()).body['token_type']).toBe('Bearer')],
  ['9449 5', 'a refresh token of a public client is bound to the key', async () => {
    for (const headers of [{}, tokenProof(other)]) {
      const { body } = await setup.tokensOf(PUBLIC, tokenProof())
      expect(await refreshTokens(body['refresh_token'], headers)).toMatchObject(INVALID)
    }
    const { body } = await setup.tokensOf(PUBLIC, tokenProof())
    expect(await refreshTokens(body['refresh_token'], tokenProof())).toMatchObject({ status: 200, body: { token_type: 'DPoP' } })
  }],
  ['9449 5.1', 'the metadata list only asymmetric algorithms', async () => {
    const { body } = await request(`${setup.node.url}.well-known/oauth-authorization-server`)
    expect(body['dpop_signing_alg_values_supported']).toEqual(['ES256'])
  }],
  ['9449 6.1', 'a token is bound to the thumbprint of RFC 7638', async () => {
    const { crv, kty, x, y } = key.jwk
    expect(sha256(JSON.stringify({ crv, kty, x, y }))).toBe(key.jkt)
    const { access } = bound
    const info = await read({ authorization: `DPoP ${access}`, dpop: eventsProof({ url: bound.url.replace('events', 'access-info') }) }, bound.url.replace('events', 'access-info'))
    expect(info.body['clientData']).toEqual({ dpop: { jkt: key.jkt }, cmc: { kind: 'oauth-session', dataGrantAccessId: expect.any(String) as string } })
  }],
  ['9449 11.1', 'a proof is accepted once', async () => {
    const headers = tokenProof()
    expect((await token(setup.node, exchange(await setup.codeOf(), PUBLIC), headers)).status).toBe(200)
    await expectRefusedByToken(headers)
  }],
]

const resourceRows: Requirement[] = [
  ['9449 4.3', '1: a single proof', () => expectRefusedByEvents(`${eventsProof()}, ${eventsProof()}`)],
  ['9449 4.3', '12a: the hash of the token', async () => {
    await expectRefusedByEvents(eventsProof({ claims: { ath: undefined } }))
    await expectRefusedByEvents(eventsProof({ token: plain.access }))
  }],
  ['9449 4.3', '12b: the key that the token is bound to', () => expectRefusedByEvents(eventsProof({}, other))],
  ['9449 7.1', 'the scheme is DPoP, in any case', async () => {
    for (const scheme of ['DPoP', 'dpop', 'DPOP']) expect((await readBy(eventsProof(), scheme)).status).toBe(200)
  }],
  ['9449 7.1', 'the challenge contains the scheme and the algorithms', () => expectRefusedByEvents('none')],
  ['9449 7.2', 'a bound token is refused as Bearer', async () => {
    expect((await readBy(eventsProof(), 'Bearer')).status).toBe(403)
    expect((await read({ authorization: `Bearer ${bound.access}` })).status).toBe(403)
  }],
  ['9449 7.1', 'an unbound token is refused with the scheme DPoP', async () => {
    const dpop = proofOf(key, { url: plain.url, token: plain.access, now: setup.clock.now() })
    expect((await read({ authorization: `DPoP ${plain.access}`, dpop }, plain.url)).status).toBe(403)
  }],
  ['9449 11.1', 'a proof is accepted once', async () => {
    const proof = eventsProof()
    expect((await readBy(proof)).status).toBe(200)
    await expectRefusedByEvents(proof)
  }],
  ['9449 11.1', 'a proof is accepted once in concurrent calls', async () => {
    const proof = eventsProof()
    const answers = await Promise.all(Array.from({ length: 20 }, () => readBy(proof)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  }],
  ['9449 11.2', 'a proof generated in advance expires', async () => {
    const proof = eventsProof()
    setup.clock.pass(121)
    await expectRefusedByEvents(proof)
  }],
  ['6750 2.1', 'a token in the header Authorization is accepted, with a case-insensitive scheme', async () => {
    for (const scheme of ['Bearer', 'bearer']) expect((await read({ authorization: `${scheme} ${plain.access}` }, plain.url)).status).toBe(200)
  }],
  ['6750 3', 'a call without a token gets a challenge with the scheme only', async () => {
    const { status, headers } = await read({}, plain.url)
    expect([status, headers.get('www-authenticate')]).toEqual([401, expect.stringMatching(/^Bearer realm="[^"]*"$/)])
  }],
  ['6750 3.1', 'an unknown token fails with invalid_token', async () => {
    const { headers } = await read({ authorization: 'Bearer nobodys' }, plain.url)
    expect(headers.get('www-authenticate')).toContain('error="invalid_token"')
  }],
  ['6750 5.3', 'a token expires', async () => {
    const { access, url } = plain
    setup.clock.pass(3601)
    expect((await read({ authorization: `Bearer ${access}` }, url)).status).toBe(403)
  }],
]

describe('the token endpoint', () => {
  it.each(checks)('RFC 9449 4.3: checks %s', async (_, broken) => expectRefusedByToken(tokenProof(key, broken)))
  it.each(tokenRows)('RFC %s: %s', async (_section, _requirement, check) => check())
})

describe('resources', () => {
  it.each(checks)('RFC 9449 4.3: checks %s', async (_, broken) => expectRefusedByEvents(eventsProof(broken.url === '' ? { header: broken.header ?? {} } : broken)))
  it.each(resourceRows)('RFC %s: %s', async (_section, _requirement, check) => check())
})
