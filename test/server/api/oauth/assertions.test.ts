/** Client authentication by signed assertions (docs/interface/oauth.md#tokens; RFC 7523). */
import { exportJWK, generateKeyPair, SignJWT, type JWTPayload } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fakeClock, type FakeClock } from '../../../support/nodes/clock.js'
import { makeAccount, startTestNode, type Answer, type TestNode } from '../../../support/nodes/node.js'
import { addClient, consented, exchange, token } from '../../../support/people/oauth.js'

type Keys = Awaited<ReturnType<typeof generateKeyPair>>

const TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'

let node: TestNode
let clock: FakeClock
let keys: Keys
let other: Keys
let count = 0
beforeAll(async () => {
  clock = fakeClock()
  node = await startTestNode({}, { clock })
  ;[keys, other] = await Promise.all([generateKeyPair('ES256', { extractable: true }), generateKeyPair('ES256', { extractable: true })])
  const pick = async ({ publicKey }: Keys, kid: string): Promise<object> => {
    const { kty, crv, x, y } = await exportJWK(publicKey)
    return { kty, crv, x, y, kid }
  }
  await makeAccount(node, 'signing-account')
  const jwks = { keys: [await pick(await generateKeyPair('ES256', { extractable: true }), 'old'), await pick(keys, 'new')] }
  await addClient(node, 'signing', { jwks, username: 'signing-account', grantTypes: ['client_credentials', 'authorization_code'] })
})
afterAll(() => node.stop())

const claims = (more: Record<string, unknown> = {}): JWTPayload => ({
  iss: 'signing',
  sub: 'signing',
  aud: `${node.url}oauth2/token`,
  jti: `id-${(count += 1)}`,
  iat: clock.now(),
  exp: clock.now() + 60,
  ...(more as JWTPayload),
})

const signed = (payload: JWTPayload, header: object = {}, signer = keys): Promise<string> =>
  new SignJWT(payload).setProtectedHeader({ alg: 'ES256', ...header }).sign(signer.privateKey)

const requestToken = (assertion: string, more: Record<string, string> = {}): Promise<Answer> =>
  token(node, { grant_type: 'client_credentials', client_id: 'signing', client_assertion_type: TYPE, client_assertion: assertion, ...more })

const REFUSED = { status: 401, body: { error: 'invalid_client', error_description: 'client authentication failed' } }

describe('an assertion', () => {
  const good: [string, () => JWTPayload, object?][] = [
    ['for the token endpoint', () => claims()],
    ['for the issuer', () => claims({ aud: node.url.slice(0, -1) })],
    ['for one of several audiences', () => claims({ aud: ['https://x.example', node.url.slice(0, -1)] })],
    ['with the id of its key', () => claims(), { kid: 'new' }],
    ['that expired less than a minute ago', () => claims({ exp: clock.now() - 59 })],
    ['that expires in a second less than six minutes', () => claims({ exp: clock.now() + 359 })],
    ['without iat', () => claims({ iat: undefined })],
    ['from a clock a minute ahead', () => claims({ iat: clock.now() + 60 })],
  ]
  it.each(good)('%s authenticates its client once', async (_, payload, header) => {
    const assertion = await signed(payload(), header)
    expect((await requestToken(assertion)).status).toBe(200)
    expect(await requestToken(assertion)).toMatchObject(REFUSED)
  })

  const bad: [string, () => JWTPayload, object?][] = [
    ['of another issuer', () => claims({ iss: 'other' })],
    ['of another subject', () => claims({ sub: 'other' })],
    ['for another server', () => claims({ aud: 'https://x.example/oauth2/token' })],
    ['without an audience', () => claims({ aud: undefined })],
    ['without an id', () => claims({ jti: undefined })],
    ['with an empty id', () => claims({ jti: '' })],
    ['with too long an id', () => claims({ jti: 'x'.repeat(257) })],
    ['without an expiry', () => claims({ exp: undefined })],
    ['that expired a minute ago', () => claims({ exp: clock.now() - 60 })],
    ['with too long a lifetime', () => claims({ exp: clock.now() + 361 })],
    ['issued in the future', () => claims({ iat: clock.now() + 61 })],
    ['with the id of another key', () => claims(), { kid: 'old' }],
    ['with an unknown key id', () => claims(), { kid: 'unknown' }],
    ['with a critical header', () => claims(), { crit: ['x'], x: 1 }],
    ['that is too long', () => claims({ more: 'x'.repeat(8192) })],
  ]
  it.each(bad)('%s is refused', async (_, payload, header) => {
    const assertion = await signed(payload(), header).catch(async () => `${await signed(payload())}x`)
    expect(await requestToken(assertion)).toMatchObject(REFUSED)
  })

  it('by another key, another algorithm or none is refused', async () => {
    expect(await requestToken(await signed(claims(), {}, other))).toMatchObject(REFUSED)
    const secret = new TextEncoder().encode('a secret of thirty-two characters')
    expect(await requestToken(await new SignJWT(claims()).setProtectedHeader({ alg: 'HS256' }).sign(secret))).toMatchObject(REFUSED)
    const none = [{ alg: 'none' }, claims()].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')
    for (const text of [`${none}.`, none, 'x', 'a.b.c']) expect(await requestToken(text)).toMatchObject(REFUSED)
  })

  it('is not consumed by a refused call, and is accepted once in concurrent calls', async () => {
    const payload = claims()
    expect(await requestToken(await signed(payload, {}, other))).toMatchObject(REFUSED)
    const assertion = await signed(payload)
    const answers = await Promise.all(Array.from({ length: 20 }, () => requestToken(assertion)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  })

  it('accepts precedence over a secret, and requires its type', async () => {
    const secret = await addClient(node, 'both-ways', { confidential: true, username: 'signing-account', grantTypes: ['client_credentials'] })
    const credentials = { client_id: 'both-ways', client_secret: secret }
    expect((await token(node, { grant_type: 'client_credentials', ...credentials })).status).toBe(200)
    expect(await requestToken('a.b.c', credentials)).toMatchObject(REFUSED)
    expect(await requestToken(await signed(claims()), { client_assertion_type: 'x' })).toMatchObject(REFUSED)
  })
})

it('a client with keys and no secret must sign the exchange of its codes', async () => {
  const first = await consented(node, 'signing')
  expect(await token(node, exchange(first.code, 'signing'))).toMatchObject({ status: 401, body: { error_description: 'client authentication required' } })
  const second = await consented(node, 'signing')
  const more = { client_assertion_type: TYPE, client_assertion: await signed(claims()) }
  expect((await token(node, exchange(second.code, 'signing', more))).status).toBe(200)
})
