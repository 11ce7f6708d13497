/**
 * Settings of OAuth, audit records and known DPoP keys (docs/interface/oauth.md#dpop, docs/interface/oauth.md#records).
 */
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { restoreKey, revokeKey, knownKeys } from '../../../../src/server/api/oauth/dpopKeys.js'
import { newProofKey, proofOf, type ProofKey } from '../../../support/http/dpop.js'
import { request, startTestNode, type Answer, type TestNode } from '../../../support/nodes/node.js'
import { addClient, basic, consented, exchange, letsIn, post, token, type Consented } from '../../../support/people/oauth.js'
import { fakeClock, type FakeClock } from '../../../support/nodes/clock.js'
import { PUBLIC, SECRET, startRfcSetup, type RfcSetup } from './rfcSupport.js'

const refresh = (node: TestNode, refreshToken: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
  token(node, { grant_type: 'refresh_token', client_id: PUBLIC, refresh_token: String(refreshToken) }, headers)

describe('the setting', () => {
  const consentUrl = 'https://consent.example/page?kept=1'
  let node: TestNode
  let clock: FakeClock
  beforeAll(async () => {
    clock = fakeClock()
    const lifetimes = { 'oauth.accessTokenTTL': 60, 'oauth.refreshTokenTTL': 600, 'oauth.refreshTokenAbsoluteTTL': 1000, 'oauth.refreshReuseGraceSeconds': 0 }
    node = await startTestNode({ ...lifetimes, 'oauth.consentUrl': consentUrl, 'oauth.dpop.clockSkewSeconds': 10 }, { clock })
    await addClient(node, PUBLIC)
  })
  afterAll(() => node.stop())

  const newTokens = async (): Promise<Consented & { body: Answer['body'] }> => {
    const person = await consented(node, PUBLIC)
    return { ...person, body: (await token(node, exchange(person.code, PUBLIC))).body }
  }

  it('accessTokenTTL limits the life of an access token', async () => {
    const { username, body } = await newTokens()
    expect(body['expires_in']).toBe(60)
    clock.pass(59)
    expect(await letsIn(node, username, String(body['access_token']))).toBe(true)
    clock.pass(1)
    expect(await letsIn(node, username, String(body['access_token']))).toBe(false)
  })

  it('refreshTokenTTL limits a refresh token, and refreshTokenAbsoluteTTL its chain', async () => {
    const first = await newTokens()
    clock.pass(599)
    const second = await refresh(node, first.body['refresh_token'])
    expect(second.status).toBe(200)
    clock.pass(400)
    expect((await refresh(node, second.body['refresh_token'])).status).toBe(200)
    const late = await newTokens()
    clock.pass(600)
    expect((await refresh(node, late.body['refresh_token'])).status).toBe(400)
    const chain = await newTokens()
    clock.pass(599)
    const last = await refresh(node, chain.body['refresh_token'])
    clock.pass(401)
    expect((await refresh(node, last.body['refresh_token'])).body).toMatchObject({ error: 'invalid_grant' })
  })

  it('refreshReuseGraceSeconds of 0 revokes the chain at any reuse', async () => {
    const { body } = await newTokens()
    const next = await refresh(node, body['refresh_token'])
    await refresh(node, body['refresh_token'])
    expect((await refresh(node, next.body['refresh_token'])).body).toMatchObject({ error_description: 'consent has been revoked' })
  })

  it('clockSkewSeconds limits the deviation of the time of a proof', async () => {
    const url = `${node.url}oauth2/token`
    for (const [skew, status] of [[10, 200], [11, 400], [-10, 200], [-11, 400]] as const) {
      const { code } = await consented(node, PUBLIC)
      const dpop = proofOf(newProofKey(), { method: 'POST', url, now: clock.now() + skew })
      expect((await token(node, exchange(code, PUBLIC), { dpop })).status, String(skew)).toBe(status)
    }
  })
})

describe('OAuth calls', () => {
  let setup: RfcSetup
  let key: ProofKey
  beforeAll(async () => {
    setup = await startRfcSetup()
    key = newProofKey()
  })
  afterAll(() => setup.stop())
  afterEach(() => vi.restoreAllMocks())

  const proof = (signer = key): Record<string, string> => ({
    dpop: proofOf(signer, { method: 'POST', url: `${setup.node.url}oauth2/token`, now: setup.clock.now() }),
  })
  const actionsOf = async (username: string, owner: string): Promise<string[]> => {
    const { body } = await request(`${setup.node.url}${username}/events?streams=:_audit:actions&limit=100`, { token: owner })
    return (body['events'] as { content: { action: string } }[]).map(({ content }) => content.action).filter((one) => one.startsWith('oauth.'))
  }

  it('are recorded in the audit of the affected account', async () => {
    await setup.consentRedirect()
    expect(await setup.ownActions('ana-lovelace')).toEqual(['oauth.consent.granted'])
    expect((await token(setup.node, { grant_type: 'client_credentials' }, basic(SECRET, setup.secret))).status).toBe(200)
    expect(await setup.ownActions('heart-lab')).toEqual(['oauth.token.issued.client_credentials'])
    const { username, owner, code } = await consented(setup.node, PUBLIC)
    const { body } = await token(setup.node, exchange(code, PUBLIC), proof())
    await refresh(setup.node, body['refresh_token'], proof(newProofKey()))
    expect((await actionsOf(username, owner)).sort()).toEqual(['oauth.code.exchanged', 'oauth.token.dpop_mismatch', 'oauth.token.issued.authorization_code'])
  })

  it('are recorded in the platform audit without an account', async () => {
    const recorded = vi.spyOn(setup.node.node.audit, 'recordPlatform')
    const state = (await setup.authorizeRedirect()).searchParams.get('state') ?? ''
    await post(setup.node, 'oauth2/authorize/refuse', { state }, { json: true })
    await token(setup.node, exchange('never-was', PUBLIC))
    const calls = recorded.mock.calls.map(([{ action, callerId }]) => [action, callerId])
    expect(calls).toEqual(['oauth.consent.shown', 'oauth.consent.refused', 'oauth.code.reused'].map((action) => [action, `oauth:${PUBLIC}`]))
  })

  it('succeed when the audit record fails', async () => {
    vi.spyOn(setup.node.node.audit, 'begin').mockImplementation(() => {
      throw new Error('no room')
    })
    expect((await setup.tokensOf()).status).toBe(200)
  })

  it('are refused for a revoked key, without consuming code or refresh token', async () => {
    const code = await setup.codeOf()
    const { body } = await setup.tokensOf(PUBLIC, proof())
    await revokeKey(setup.node.node, key.jkt)
    const refused = { status: 400, body: { error: 'invalid_dpop_proof', error_description: 'DPoP proof verification failed' } }
    expect(await token(setup.node, exchange(code, PUBLIC), proof())).toMatchObject(refused)
    expect(await refresh(setup.node, body['refresh_token'], proof())).toMatchObject(refused)
    await restoreKey(setup.node.node, key.jkt)
    expect((await token(setup.node, exchange(code, PUBLIC), proof())).status).toBe(200)
    expect((await refresh(setup.node, body['refresh_token'], proof())).status).toBe(200)
  })

  it('store only keys for which tokens were issued', async () => {
    const ownKey = newProofKey()
    const isStored = async (): Promise<boolean> => (await knownKeys(setup.node.node, PUBLIC)).some(({ jkt }) => jkt === ownKey.jkt)
    await token(setup.node, exchange(await setup.codeOf(), PUBLIC, { code_verifier: 'x' }), proof(ownKey))
    expect(await isStored()).toBe(false)
    await setup.tokensOf(PUBLIC, proof(ownKey))
    expect(await isStored()).toBe(true)
  })

  it('succeed when the key cannot be stored', async () => {
    const { records } = setup.node.node.registry
    const change = records.change.bind(records)
    const failing = ((family: string, ...rest: never[]) =>
      family === 'dpop-jkt-seen' ? Promise.reject(new Error('no room')) : (change as (family: string, ...rest: never[]) => unknown)(family, ...rest)) as typeof records.change
    vi.spyOn(records, 'change').mockImplementation(failing)
    expect((await setup.tokensOf(PUBLIC, proof(newProofKey()))).status).toBe(200)
  })

  it('return internal errors without details', async () => {
    vi.spyOn(setup.node.node.registry.records, 'get').mockRejectedValue(new Error('a disk named secret'))
    vi.spyOn(setup.node.node.registry.records, 'change').mockRejectedValue(new Error('a disk named secret'))
    const answer = await token(setup.node, exchange('x', PUBLIC))
    expect([answer.status, answer.body['error']]).toEqual([500, 'server_error'])
    expect(JSON.stringify(answer.body)).not.toContain('secret')
    const response = await setup.authorize()
    expect([response.status, (await response.text()).includes('secret')]).toEqual([500, false])
  })
})
