/**
 * What operators set, what is recorded, and which keys are noted (docs/interface/oauth.md#dpop, docs/interface/oauth.md#records).
 */
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { restoreKey, revokeKey, knownKeys } from '../../../../src/server/api/oauth/dpopKeys.js'
import { newProofKey, proofOf, type ProofKey } from '../../../support/http/dpop.js'
import { request, startTestNode, type Answer, type TestNode } from '../../../support/nodes/node.js'
import { addClient, basic, consented, exchange, letsIn, post, token, type Consented } from '../../../support/people/oauth.js'
import { fakeClock, type FakeClock } from '../../../support/nodes/clock.js'
import { PUBLIC, SECRET, startMusts, type Musts } from './mustsSupport.js'

const refresh = (node: TestNode, refreshToken: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
  token(node, { grant_type: 'refresh_token', client_id: PUBLIC, refresh_token: String(refreshToken) }, headers)

describe('what is set', () => {
  const consentUrl = 'https://consent.example/page?kept=1'
  let node: TestNode
  let clock: FakeClock
  beforeAll(async () => {
    clock = fakeClock()
    const lives = { 'oauth.accessTokenTTL': 60, 'oauth.refreshTokenTTL': 600, 'oauth.refreshTokenAbsoluteTTL': 1000, 'oauth.refreshReuseGraceSeconds': 0 }
    node = await startTestNode({ ...lives, 'oauth.consentUrl': consentUrl, 'oauth.dpop.clockSkewSeconds': 10 }, { clock })
    await addClient(node, PUBLIC)
  })
  afterAll(() => node.stop())

  const held = async (): Promise<Consented & { body: Answer['body'] }> => {
    const person = await consented(node, PUBLIC)
    return { ...person, body: (await token(node, exchange(person.code, PUBLIC))).body }
  }

  it('is how long an access token is good', async () => {
    const { username, body } = await held()
    expect(body['expires_in']).toBe(60)
    clock.pass(59)
    expect(await letsIn(node, username, String(body['access_token']))).toBe(true)
    clock.pass(1)
    expect(await letsIn(node, username, String(body['access_token']))).toBe(false)
  })

  it('is how long a refresh token is, alone and with those after it', async () => {
    const first = await held()
    clock.pass(599)
    const second = await refresh(node, first.body['refresh_token'])
    expect(second.status).toBe(200)
    clock.pass(400)
    expect((await refresh(node, second.body['refresh_token'])).status).toBe(200)
    const late = await held()
    clock.pass(600)
    expect((await refresh(node, late.body['refresh_token'])).status).toBe(400)
    const whole = await held()
    clock.pass(599)
    const last = await refresh(node, whole.body['refresh_token'])
    clock.pass(401)
    expect((await refresh(node, last.body['refresh_token'])).body).toMatchObject({ error: 'invalid_grant' })
  })

  it('is the grace: with none, whatever comes again ends the chain', async () => {
    const { body } = await held()
    const next = await refresh(node, body['refresh_token'])
    await refresh(node, body['refresh_token'])
    expect((await refresh(node, next.body['refresh_token'])).body).toMatchObject({ error_description: 'consent has been revoked' })
  })

  it('is how far the time of a proof may be off', async () => {
    const url = `${node.url}oauth2/token`
    for (const [off, status] of [[10, 200], [11, 400], [-10, 200], [-11, 400]] as const) {
      const { code } = await consented(node, PUBLIC)
      const dpop = proofOf(newProofKey(), { method: 'POST', url, now: clock.now() + off })
      expect((await token(node, exchange(code, PUBLIC), { dpop })).status, String(off)).toBe(status)
    }
  })
})

describe('at a node', () => {
  let at: Musts
  let key: ProofKey
  beforeAll(async () => {
    at = await startMusts()
    key = newProofKey()
  })
  afterAll(() => at.stop())
  afterEach(() => vi.restoreAllMocks())

  const proof = (by = key): Record<string, string> => ({
    dpop: proofOf(by, { method: 'POST', url: `${at.node.url}oauth2/token`, now: at.clock.now() }),
  })
  const actionsOf = async (username: string, owner: string): Promise<string[]> => {
    const { body } = await request(`${at.node.url}${username}/events?streams=:_audit:actions&limit=100`, { token: owner })
    return (body['events'] as { content: { action: string } }[]).map(({ content }) => content.action).filter((one) => one.startsWith('oauth.'))
  }

  it('records of an account what was done in it', async () => {
    await at.agreed()
    expect(await at.ownActions('ana-lovelace')).toEqual(['oauth.consent.granted'])
    expect((await token(at.node, { grant_type: 'client_credentials' }, basic(SECRET, at.secret))).status).toBe(200)
    expect(await at.ownActions('heart-lab')).toEqual(['oauth.token.issued.client_credentials'])
    const { username, owner, code } = await consented(at.node, PUBLIC)
    const { body } = await token(at.node, exchange(code, PUBLIC), proof())
    await refresh(at.node, body['refresh_token'], proof(newProofKey()))
    expect((await actionsOf(username, owner)).sort()).toEqual(['oauth.code.exchanged', 'oauth.token.dpop_mismatch', 'oauth.token.issued.authorization_code'])
  })

  it('tells the system log of what belongs to no account', async () => {
    const told = vi.spyOn(at.node.node.audit, 'recordPlatform')
    const state = (await at.led()).searchParams.get('state') ?? ''
    await post(at.node, 'oauth2/authorize/refuse', { state }, { json: true })
    await token(at.node, exchange('never-was', PUBLIC))
    const calls = told.mock.calls.map(([{ action, callerId }]) => [action, callerId])
    expect(calls).toEqual(['oauth.consent.shown', 'oauth.consent.refused', 'oauth.code.reused'].map((action) => [action, `oauth:${PUBLIC}`]))
  })

  it('fails no grant because its record fails', async () => {
    vi.spyOn(at.node.node.audit, 'begin').mockImplementation(() => {
      throw new Error('no room')
    })
    expect((await at.tokensOf()).status).toBe(200)
  })

  it('gives nothing for a revoked key, and uses up neither code nor refresh token', async () => {
    const code = await at.codeOf()
    const { body } = await at.tokensOf(PUBLIC, proof())
    await revokeKey(at.node.node, key.jkt)
    const refused = { status: 400, body: { error: 'invalid_dpop_proof', error_description: 'DPoP proof verification failed' } }
    expect(await token(at.node, exchange(code, PUBLIC), proof())).toMatchObject(refused)
    expect(await refresh(at.node, body['refresh_token'], proof())).toMatchObject(refused)
    await restoreKey(at.node.node, key.jkt)
    expect((await token(at.node, exchange(code, PUBLIC), proof())).status).toBe(200)
    expect((await refresh(at.node, body['refresh_token'], proof())).status).toBe(200)
  })

  it('notes keys that tokens were given for, and no others', async () => {
    const mine = newProofKey()
    const noted = async (): Promise<boolean> => (await knownKeys(at.node.node, PUBLIC)).some(({ jkt }) => jkt === mine.jkt)
    await token(at.node, exchange(await at.codeOf(), PUBLIC, { code_verifier: 'x' }), proof(mine))
    expect(await noted()).toBe(false)
    await at.tokensOf(PUBLIC, proof(mine))
    expect(await noted()).toBe(true)
  })

  it('gives a token also where its key cannot be noted', async () => {
    const { records } = at.node.node.registry
    const change = records.change.bind(records)
    const failing = ((family: string, ...rest: never[]) =>
      family === 'dpop-jkt-seen' ? Promise.reject(new Error('no room')) : (change as (family: string, ...rest: never[]) => unknown)(family, ...rest)) as typeof records.change
    vi.spyOn(records, 'change').mockImplementation(failing)
    expect((await at.tokensOf(PUBLIC, proof(newProofKey()))).status).toBe(200)
  })

  it('answers what goes wrong inside with nothing of it', async () => {
    vi.spyOn(at.node.node.registry.records, 'get').mockRejectedValue(new Error('a disk named secret'))
    vi.spyOn(at.node.node.registry.records, 'change').mockRejectedValue(new Error('a disk named secret'))
    const answer = await token(at.node, exchange('x', PUBLIC))
    expect([answer.status, answer.body['error']]).toEqual([500, 'server_error'])
    expect(JSON.stringify(answer.body)).not.toContain('secret')
    const led = await at.authorize()
    expect([led.status, (await led.text()).includes('secret')]).toEqual([500, false])
  })
})
