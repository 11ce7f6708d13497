/** OAuth on a platform of several cores (docs/interface/oauth.md#cores). */
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createClient, revokeClient } from '../../../../src/server/api/oauth/clientChanges.js'
import { restoreKey, revokeKey } from '../../../../src/server/api/oauth/dpopKeys.js'
import { withCores } from '../../../support/nodes/memoryPlatform.js'
import { makeAccount, request, type Answer, type TestNode } from '../../../support/nodes/node.js'
import { addClient, basic, CHALLENGE, exchange, publishOffer, REDIRECT, token } from '../../../support/people/oauth.js'

const cores = withCores({ 'core-a': {}, 'core-b': {} })
const [a, b] = [() => cores().node('core-a'), () => cores().node('core-b')]
const permissions = [{ streamId: 'heart', level: 'read' }]

let personal: string
let capabilityUrl: string
beforeAll(async () => {
  // The client and its offer are on core-a, the person on core-b.
  const lab = await makeAccount(a(), 'heart-lab')
  personal = await makeAccount(b(), 'ana-there')
  const text = { en: 'A study' }
  capabilityUrl = await publishOffer(a(), 'heart-lab', lab, { title: text, description: text, consent: text, permissions })
  await addClient(a(), 'study', { cmcOffers: { study: { capabilityUrl } } })
})
afterEach(() => cores().platform.stopAnswering(false))

async function authorizeAt(node: TestNode, client = 'study'): Promise<Response> {
  const query = new URLSearchParams({ client_id: client, redirect_uri: REDIRECT, response_type: 'code', scope: 'cmc:study', state: 'own', code_challenge: CHALLENGE, code_challenge_method: 'S256' })
  return fetch(`${node.url}oauth2/authorize?${query}`, { redirect: 'manual' })
}
const stateOf = ({ headers }: Response): string => new URL(headers.get('location') ?? 'none:').searchParams.get('state') ?? ''
const acceptAt = (node: TestNode, state: string): Promise<Answer> =>
  request(`${node.url}oauth2/authorize/accept`, { body: { state, username: 'ana-there', userToken: personal, grantedPermissions: permissions } })

async function codeOf(client = 'study'): Promise<{ code: string; iss: string | null }> {
  const { status, body } = await acceptAt(b(), stateOf(await authorizeAt(a(), client)))
  expect({ status, body }).toMatchObject({ status: 200 })
  const { searchParams } = new URL(String(body['redirectTo']))
  return { code: searchParams.get('code') ?? '', iss: searchParams.get('iss') }
}

const used = { status: 400, body: { error: 'invalid_grant', error_description: 'code is invalid or already used' } }

describe('an authorization', () => {
  it('begins at any core, is accepted at the core of the person, and is exchanged and refreshed there', async () => {
    const state = stateOf(await authorizeAt(a()))
    expect(await acceptAt(a(), state)).toMatchObject({ status: 401, body: { error: 'invalid_request' } })
    const { code, iss } = await codeOf()
    expect(`${iss}/`).toBe(b().url)
    expect(await token(a(), exchange(code, 'study'))).toMatchObject(used)
    const tokens = await token(b(), exchange(code, 'study'))
    expect(tokens).toMatchObject({ status: 200, body: { scope: 'cmc:study' } })
    expect(String(tokens.body['apiEndpoint'])).toMatch(new RegExp(`@127.0.0.1:${b().port}/ana-there/$`))
    const refresh = { grant_type: 'refresh_token', client_id: 'study', refresh_token: String(tokens.body['refresh_token']) }
    expect(await token(a(), refresh)).toMatchObject({ status: 400, body: { error: 'invalid_grant', error_description: 'refresh_token is invalid or already used' } })
    expect((await token(b(), refresh)).status).toBe(200)
  })

  it('names each core as the issuer of its own metadata', async () => {
    for (const node of [a(), b()]) {
      const { body } = await request(`${node.url}.well-known/oauth-authorization-server`)
      expect([`${String(body['issuer'])}/`, body['token_endpoint']]).toEqual([node.url, `${node.url}oauth2/token`])
    }
  })
})

describe('a client', () => {
  it('has no id that is the name of an account of another core', async () => {
    await expect(createClient(a().node, { clientId: 'ana-there', redirectUris: [REDIRECT] })).rejects.toMatchObject({ id: 'item-already-exists' })
    await expect(createClient(a().node, { username: 'ana-there', redirectUris: [REDIRECT] })).rejects.toMatchObject({ id: 'wrong-core', message: expect.stringContaining(b().url) as string })
    const { client } = await createClient(a().node, { clientName: 'Ana there', redirectUris: [REDIRECT] })
    expect(client.clientId).toMatch(/^ana-there-/)
  })

  it('acts for its account at the core of that account', async () => {
    const secret = await addClient(a(), 'lab-client', { username: 'heart-lab', confidential: true, grantTypes: ['client_credentials'] })
    const own = (node: TestNode): Promise<Answer> => token(node, { grant_type: 'client_credentials' }, basic('lab-client', secret))
    expect((await own(a())).status).toBe(200)
    expect(await own(b())).toMatchObject({ status: 400, body: { error: 'invalid_grant', error_description: 'the account of this client is not on this core' } })
    expect(await token(b(), { grant_type: 'client_credentials' }, basic('lab-client', 'wrong'))).toMatchObject({ status: 401 })
  })

  it('that one core revokes loses its accesses and refresh tokens on all cores', async () => {
    await addClient(a(), 'passing', { cmcOffers: { study: { capabilityUrl } } })
    const { code } = await codeOf('passing')
    const { body } = await token(b(), exchange(code, 'passing'))
    const info = (): Promise<Answer> => request(`${b().url}ana-there/access-info`, { token: String(body['access_token']) })
    expect((await info()).status).toBe(200)
    await revokeClient(a().node, 'passing')
    await expect.poll(async () => (await info()).status, { timeout: 1000 }).not.toBe(200)
    expect(await token(b(), { grant_type: 'refresh_token', client_id: 'passing', refresh_token: String(body['refresh_token']) })).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
    expect((await authorizeAt(b(), 'passing')).status).toBe(400)
  })
})

it('a revoked DPoP key is revoked on all cores', async () => {
  const jkt = 'k'.repeat(43)
  await revokeKey(a().node, jkt)
  await expect.poll(() => b().node.revocations.isKeyRevoked(jkt), { timeout: 1000 }).toBe(true)
  await restoreKey(b().node, jkt)
  await expect.poll(() => a().node.revocations.isKeyRevoked(jkt), { timeout: 1000 }).toBe(false)
})
