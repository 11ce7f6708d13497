/**
 * Signed states, scopes, PKCE challenges, issuer and metadata of OAuth (docs/interface/oauth.md#issuer,
 * docs/interface/oauth.md#metadata).
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { publicBaseOf } from '../../../../src/server/config/apiEndpoint.js'
import { loadConfig } from '../../../../src/server/config/config.js'
import { issuerOf, tokenEndpoint } from '../../../../src/server/api/oauth/issuer.js'
import { isChallenge, verifies } from '../../../../src/server/api/oauth/pkce.js'
import { parseScope, scopesIn } from '../../../../src/server/api/oauth/scopes.js'
import { readState, signState } from '../../../../src/server/auth/signedState.js'
import { startTestNode, type TestNode } from '../../../support/nodes/node.js'
import { CHALLENGE, VERIFIER } from '../../../support/people/oauth.js'

describe('a signed state', () => {
  const key = Buffer.from('a key')
  const now = 1_700_000_000
  const state = signState({ clientId: 'app' }, key, { now, ttl: 300 })
  const [body = '', signature = ''] = state.split('.')

  it('returns its payload', () => {
    expect(state).toMatch(/^[\w-]+\.[\w-]{43}$/)
    expect(readState(state, key, now)).toEqual({ payload: { clientId: 'app', iat: now, exp: now + 300 } })
  })

  const forged = Buffer.from(JSON.stringify({ clientId: 'other', iat: now, exp: now + 300 })).toString('base64url')
  it.each([
    ['another body', `${forged}.${signature}`, 'bad_signature'],
    ['another signature', `${body}.${'A'.repeat(43)}`, 'bad_signature'],
    ['a shorter signature', `${body}.${signature.slice(1)}`, 'bad_signature'],
    ['no dot', body, 'malformed'],
    ['a trailing dot', `${body}.`, 'malformed'],
    ['a leading dot', `.${signature}`, 'malformed'],
    ['three parts', `${state}.x`, 'malformed'],
    ['a number', 7, 'malformed'],
    ['undefined', undefined, 'malformed'],
  ])('is refused with %s', (_, input, verdict) => expect(readState(input, key, now)).toEqual({ verdict }))

  it('is refused with another key', () => expect(readState(state, Buffer.from('other'), now)).toEqual({ verdict: 'bad_signature' }))
  it('is valid until a second before its expiry', () => {
    expect(readState(state, key, now + 299)).toHaveProperty('payload')
    expect(readState(state, key, now + 300)).toEqual({ verdict: 'expired' })
  })
  it('is not valid before its creation', () => expect(readState(state, key, now - 1)).toEqual({ verdict: 'not_yet_valid' }))
  it('requires a key', () => expect(() => signState({}, Buffer.alloc(0), { now, ttl: 300 })).toThrow('key'))
})

describe('scopes', () => {
  it('are separated by white space, without duplicates', () => {
    expect(scopesIn(' cmc:a \t cmc:b\n cmc:a ')).toEqual(['cmc:a', 'cmc:b'])
    expect([scopesIn(''), scopesIn(undefined), scopesIn(7), scopesIn(['x'])]).toEqual([[], [], [], []])
  })
  it('have a known namespace and a name', () => {
    expect(parseScope('cmc:a-study.2')).toEqual({ namespace: 'cmc', name: 'a-study.2' })
    for (const scope of ['study', ':study', 'pryv:read', 'cmc:', 'cmc:.a', 'cmc:a b', `cmc:${'a'.repeat(65)}`]) {
      expect(() => parseScope(scope), scope).toThrow('invalid_scope')
    }
  })
})

describe('challenges (RFC 7636, 4.2, 4.6)', () => {
  it('are the SHA-256 of their verifier', () => {
    expect(verifies(VERIFIER, CHALLENGE)).toBe(true)
    expect(verifies(`${VERIFIER}x`, CHALLENGE)).toBe(false)
    expect(verifies('dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk', 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM')).toBe(true)
    expect(verifies(CHALLENGE, CHALLENGE)).toBe(false)
  })
  it('have a length and character set', () => expect(['', 'a b', 'x'.repeat(129), CHALLENGE].map(isChallenge)).toEqual([false, false, false, true]))
})

describe('the issuer', () => {
  const of = (flags: Record<string, unknown>): string => {
    const config = loadConfig({ flags })
    return issuerOf({ config, publicBase: () => publicBaseOf(config) ?? 'http://127.0.0.1:3000' })
  }
  it('is the configured one without a trailing slash, or the URL of the node', () => {
    expect(of({})).toBe('http://127.0.0.1:3000')
    expect(of({ 'dnsLess.publicUrl': 'https://node.example/' })).toBe('https://node.example')
    expect(of({ 'oauth.issuer': 'https://id.example//', 'dnsLess.publicUrl': 'https://node.example' })).toBe('https://id.example')
    expect(tokenEndpoint({ config: loadConfig({ flags: { 'oauth.issuer': 'https://id.example/' } }), publicBase: () => '' })).toBe('https://id.example/oauth2/token')
  })
})

describe('settings', () => {
  it('refuse open registration', () => {
    expect(() => loadConfig({ flags: { 'oauth.clientRegistration.mode': 'open' } })).toThrow('oauth.clientRegistration.mode')
  })
  it.each([0, -5, 'soon', null])('replace the interval %s by the default', (input) => {
    const config = loadConfig({ flags: { 'oauth.clientRevokeCheckSeconds': input, 'oauth.dpop.keyRevokeCheckSeconds': input } })
    expect([config.get('oauth.clientRevokeCheckSeconds'), config.get('oauth.dpop.keyRevokeCheckSeconds')]).toEqual([30, 30])
  })
})

describe('metadata (RFC 8414)', () => {
  let node: TestNode
  beforeAll(async () => {
    const settings = { 'oauth.issuer': 'https://id.example/' }
    node = await startTestNode(settings)
  })
  afterAll(() => node.stop())

  it('list the supported endpoints, grants and algorithms', async () => {
    const response = await fetch(`${node.url}.well-known/oauth-authorization-server`, { headers: { origin: 'https://app.example' } })
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'public, max-age=300',
      'access-control-allow-origin': '*',
    })
    expect(await response.json()).toEqual({
      issuer: 'https://id.example',
      authorization_endpoint: 'https://id.example/oauth2/authorize',
      token_endpoint: 'https://id.example/oauth2/token',
      scopes_supported: ['cmc:*'],
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      grant_types_supported: ['authorization_code', 'refresh_token', 'client_credentials'],
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'private_key_jwt', 'none'],
      token_endpoint_auth_signing_alg_values_supported: ['ES256'],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
      dpop_signing_alg_values_supported: ['ES256'],
    })
  })
})
