/** Complete OAuth flow with real consents between accounts (docs/interface/oauth.md). */
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Permission } from '../../../../src/store/model/access.js'
import { makeAccount, request, startTestNode, type Answer, type TestNode } from '../../../support/nodes/node.js'
import { addClient, CHALLENGE, exchange, REDIRECT, token } from '../../../support/people/oauth.js'

const weight = { streamId: 'weight', level: 'contribute' }
const diary = { streamId: 'diary', level: 'read' }
const text = { en: 'A study' }

let node: TestNode
let app: string
let ana: string
let capabilityId: string
beforeAll(async () => {
  node = await startTestNode()
  ;[app, ana] = await Promise.all([makeAccount(node, 'study-app'), makeAccount(node, 'ana-lovelace')])
  const permissions = [{ ...weight, mandatory: true }, { ...diary, defaultName: 'Diary', optIn: true }, { feature: 'selfRevoke', setting: 'forbidden' }]
  const content = {
    to: null,
    capabilityRequested: true,
    capability: { mode: 'open-link' },
    request: { title: text, description: text, consent: text, permissions, allowUserChoice: true },
  }
  await request(`${node.url}study-app/streams`, { token: app, body: { id: ':_cmc:apps:study', name: 'Study', parentId: ':_cmc:apps' } })
  const { status, body } = await request(`${node.url}study-app/events`, {
    token: app,
    body: { streamIds: [':_cmc:apps:study'], type: 'consent/request-cmc', content },
  })
  expect({ status, body }).toMatchObject({ status: 201 })
  const offer = (body['event'] as { content: { capabilityUrl: string; capabilityId: string } }).content
  capabilityId = offer.capabilityId
  await addClient(node, 'study', { username: 'study-app', cmcOffers: { study: { capabilityUrl: offer.capabilityUrl } } })
})
afterAll(() => node.stop())

async function acceptOffer(grantedPermissions: unknown[], username = 'ana-lovelace', userToken = ana): Promise<Answer> {
  const query = new URLSearchParams({
    client_id: 'study',
    redirect_uri: REDIRECT,
    response_type: 'code',
    scope: 'cmc:study',
    state: 's',
    code_challenge: CHALLENGE,
    code_challenge_method: 'S256',
  })
  const redirect = await fetch(`${node.url}oauth2/authorize?${query}`, { redirect: 'manual' })
  const state = new URL(redirect.headers.get('location') ?? '').searchParams.get('state')
  return request(`${node.url}oauth2/authorize/accept`, { method: 'POST', body: { state, username, userToken, grantedPermissions } })
}

it('an accepted offer issues tokens, and the end of its consent revokes them', async () => {
  const { status, body } = await acceptOffer([weight, { feature: 'selfRevoke', setting: 'forbidden' }])
  expect({ status, body }).toMatchObject({ status: 200 })
  const code = new URL(String(body['redirectTo'])).searchParams.get('code') ?? ''
  const tokens = await token(node, exchange(code, 'study'))
  expect(tokens).toMatchObject({ status: 200, body: { scope: 'cmc:study' } })
  const info = await request(`${node.url}ana-lovelace/access-info`, { token: String(tokens.body['access_token']) })
  const own = (info.body['permissions'] as Permission[]).filter((one) => !('streamId' in one) || !one.streamId.startsWith(':'))
  expect(own).toEqual([weight, { feature: 'selfRevoke', setting: 'allowed' }])
  const { body: listed } = await request(`${node.url}ana-lovelace/accesses`, { token: ana })
  const consents = (listed['accesses'] as { id: string; permissions?: Permission[]; clientData?: { cmc?: { role?: string } } }[]).filter(
    ({ clientData }) => clientData?.cmc?.role === 'counterparty',
  )
  expect(consents).toHaveLength(1)
  expect(consents[0]?.permissions).toEqual(expect.arrayContaining([weight, { feature: 'selfRevoke', setting: 'forbidden' }]))
  const refresh = { grant_type: 'refresh_token', client_id: 'study', refresh_token: String(tokens.body['refresh_token']) }
  const renewed = await token(node, refresh)
  expect(renewed.status).toBe(200)
  // A second consent adds permissions to the first one, and creates the requested stream.
  const diaries = async (): Promise<string[]> => {
    const { body: tree } = await request(`${node.url}ana-lovelace/streams`, { token: ana })
    return (tree['streams'] as { id: string; name: string }[]).filter(({ id }) => id === 'diary').map(({ name }) => name)
  }
  expect(await diaries()).toEqual([])
  expect((await acceptOffer([weight, diary])).status).toBe(200)
  expect(await diaries()).toEqual(['Diary'])
  const again = await request(`${node.url}ana-lovelace/accesses/${consents[0]?.id ?? ''}`, { token: ana })
  expect((again.body['access'] as { permissions: Permission[] }).permissions).toEqual(expect.arrayContaining([weight, diary]))
  await request(`${node.url}ana-lovelace/accesses/${(again.body['access'] as { id: string }).id}`, { method: 'DELETE', token: ana })
  const late = await token(node, { ...refresh, refresh_token: String(renewed.body['refresh_token']) })
  expect(late).toMatchObject({ status: 400, body: { error: 'invalid_grant', error_description: 'consent has been revoked' } })
})

it('an invalidated offer link is refused', async () => {
  const streams = { streamIds: [':_cmc:apps:study'], type: 'consent/invalidate-link-cmc', content: { capabilityId } }
  const { body } = await request(`${node.url}study-app/events`, { token: app, body: streams })
  const { id } = body['event'] as { id: string }
  const statusOf = async (): Promise<unknown> => {
    const found = await request(`${node.url}study-app/events/${id}`, { token: app })
    return (found.body['event'] as { content: { status?: string } }).content.status
  }
  await expect.poll(statusOf, { timeout: 10_000 }).toBe('completed')
  const bob = await makeAccount(node, 'bob-babbage')
  expect(await acceptOffer([weight], 'bob-babbage', bob)).toMatchObject({
    status: 400,
    body: { error: 'invalid_grant', error_description: 'consent accept rejected: cmc-capability-invalidated' },
  })
})
