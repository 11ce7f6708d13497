/** Grant refresh_token: rotation, expiry, reuse detection and revocation (docs/interface/oauth.md#tokens). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findAccessRecord } from '../../../../src/store/accesses/accesses.js'
import type { Permission } from '../../../../src/store/model/access.js'
import { sweepCodes } from '../../../../src/server/api/oauth/codes.js'
import { revokeClient } from '../../../../src/server/api/oauth/clientChanges.js'
import { fakeClock, type FakeClock } from '../../../support/nodes/clock.js'
import { request, startTestNode, type Answer, type TestNode } from '../../../support/nodes/node.js'
import { callThrough, type Transport, type Stage } from '../../../support/http/methodTable.js'
import { deliverDue } from '../consents/support.js'
import { addClient, basic, consented, exchange, letsIn, token, type Consented } from '../../../support/people/oauth.js'

const DAY = 86_400

let node: TestNode
let clock: FakeClock
let secret: string
beforeAll(async () => {
  clock = fakeClock()
  node = await startTestNode({}, { clock })
  await addClient(node, 'public-app')
  secret = await addClient(node, 'secret-app', { confidential: true })
})
afterAll(() => node.stop())

interface Grant extends Consented {
  access: string
  refresh: string
}

async function newGrant(clientId = 'public-app', permissions?: Permission[], headers: Record<string, string> = {}): Promise<Grant> {
  const person = await consented(node, clientId, permissions)
  const { body } = await token(node, exchange(person.code, clientId), headers)
  return { ...person, access: String(body['access_token']), refresh: String(body['refresh_token']) }
}

const refreshTokens = (refresh: string, more: Record<string, string | undefined> = {}, headers: Record<string, string> = {}): Promise<Answer> =>
  token(node, { grant_type: 'refresh_token', refresh_token: refresh, client_id: 'public-app', ...more }, headers)

const USED = { status: 400, body: { error: 'invalid_grant', error_description: 'refresh_token is invalid or already used' } }
const REVOKED = { status: 400, body: { error: 'invalid_grant', error_description: 'consent has been revoked' } }

const endConsent = async ({ username, owner, consentId }: Consented): Promise<void> => {
  expect((await request(`${node.url}${username}/accesses/${consentId}`, { method: 'DELETE', token: owner })).status).toBe(200)
}

async function consentExists({ username, consentId }: Consented): Promise<boolean> {
  const account = (await node.node.accounts.find(username))?.account
  return account !== undefined && findAccessRecord(account.db, account.prefix, consentId) !== undefined
}

const actionsOf = async ({ username, owner }: Consented): Promise<string[]> => {
  const { body } = await request(`${node.url}${username}/events?streams=:_audit:actions&limit=100`, { token: owner })
  return (body['events'] as { content: { action: string } }[]).map(({ content }) => content.action).filter((one) => one.startsWith('oauth.'))
}

describe('a refresh', () => {
  it('returns new tokens, and leaves the former access token valid', async () => {
    const grant = await newGrant()
    const { status, body } = await refreshTokens(grant.refresh)
    expect({ status, body }).toMatchObject({ status: 200, body: { token_type: 'Bearer', expires_in: 3600, scope: 'cmc:study' } })
    expect(body['refresh_token']).not.toBe(grant.refresh)
    expect(body['access_token']).not.toBe(grant.access)
    expect(await letsIn(node, grant.username, grant.access)).toBe(true)
    expect(await letsIn(node, grant.username, String(body['access_token']))).toBe(true)
    expect(await actionsOf(grant)).toEqual(expect.arrayContaining(['oauth.code.exchanged', 'oauth.token.issued.authorization_code', 'oauth.token.refreshed']))
  })

  it('succeeds once in fifty concurrent calls', async () => {
    const { refresh } = await newGrant()
    const answers = await Promise.all(Array.from({ length: 50 }, () => refreshTokens(refresh)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 400)).toHaveLength(49)
  })

  it('never grants more than the chosen permissions', async () => {
    const chosen: Permission[] = [{ streamId: 'weight', level: 'read' }]
    const grant = await newGrant('public-app', chosen)
    const { body } = await refreshTokens(grant.refresh, { scope: 'cmc:everything' })
    const info = await request(`${node.url}${grant.username}/access-info`, { token: String(body['access_token']) })
    expect((info.body['permissions'] as Permission[]).filter((one) => !('streamId' in one) || !one.streamId.startsWith(':'))).toEqual([
      { streamId: 'weight', level: 'read' },
      { feature: 'selfRevoke', setting: 'allowed' },
    ])
  })

  it('grants no more than the current permissions of the consent', async () => {
    const grant = await newGrant('public-app', [{ streamId: 'weight', level: 'manage' }, { streamId: 'diary', level: 'read' }])
    const update = { permissions: [{ streamId: 'weight', level: 'read' }, { streamId: 'other', level: 'read' }] }
    await request(`${node.url}${grant.username}/accesses/${grant.consentId}`, { method: 'PUT', token: grant.owner, body: update })
    const { body } = await refreshTokens(grant.refresh)
    const info = await request(`${node.url}${grant.username}/access-info`, { token: String(body['access_token']) })
    const streams = (info.body['permissions'] as { streamId?: string }[]).filter(({ streamId }) => streamId !== undefined && !streamId.startsWith(':'))
    expect(streams).toEqual([{ streamId: 'weight', level: 'read' }])
  })

  it('fails after the end of the consent', async () => {
    const grant = await newGrant()
    await endConsent(grant)
    expect(await refreshTokens(grant.refresh)).toMatchObject(REVOKED)
    expect(await letsIn(node, grant.username, grant.access)).toBe(false)
  })

  it('fails after the deletion of the account', async () => {
    const grant = await newGrant()
    const key = node.node.config.get('auth.adminAccessKey') ?? ''
    const deletion = await request(`${node.url}users/${grant.username}`, { method: 'DELETE', token: key })
    expect(deletion.status).toBe(200)
    expect(await refreshTokens(grant.refresh)).toMatchObject(USED)
  })

  it('fails after the revocation of the client', async () => {
    await addClient(node, 'gone-app')
    const grant = await newGrant('gone-app')
    await revokeClient(node.node, 'gone-app')
    expect(await refreshTokens(grant.refresh, { client_id: 'gone-app' })).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
  })
})

describe('a consent and the tokens of its client', () => {
  const accessIdOf = async ({ username }: Consented, access: string): Promise<string> =>
    String((await request(`${node.url}${username}/access-info`, { token: access })).body['id'])
  const stageOf = ({ username, owner }: Consented): Pick<Stage, 'node' | 'username' | 'owner'> => ({ node, username, owner })
  const transports: Transport[] = ['http', 'form', 'batch', 'socket']

  it.each(transports)('end together when the consent is revoked (%s)', async (transport) => {
    const grant = await newGrant()
    const id = await accessIdOf(grant, grant.access)
    const { body: second } = await refreshTokens(grant.refresh)
    const secondId = await accessIdOf(grant, String(second['access_token']))
    const { status, body } = await callThrough(transport, stageOf(grant), grant.owner, 'accesses.delete', { id: grant.consentId })
    expect([status, body['accessDeletion']]).toEqual([200, { id: grant.consentId }])
    expect((body['relatedDeletions'] as { id: string }[]).map((one) => one.id).sort()).toEqual([id, secondId].sort())
    expect([await letsIn(node, grant.username, grant.access), await letsIn(node, grant.username, String(second['access_token']))]).toEqual([false, false])
  })

  it.each(transports)('end together when a token is revoked (%s)', async (transport) => {
    const grant = await newGrant()
    const { body: second } = await refreshTokens(grant.refresh)
    const id = await accessIdOf(grant, grant.access)
    const { status, body } = await callThrough(transport, stageOf(grant), grant.owner, 'accesses.delete', { id })
    expect([status, (body['relatedDeletions'] as { id: string }[]).map((one) => one.id)]).toEqual([200, expect.arrayContaining([grant.consentId])])
    expect(await consentExists(grant)).toBe(false)
    expect(await letsIn(node, grant.username, String(second['access_token']))).toBe(false)
    expect(await refreshTokens(String(second['refresh_token']))).toMatchObject(REVOKED)
  })

  it('end together when the consent is revoked by a message, whose event lists the tokens', async () => {
    const grant = await newGrant()
    const id = await accessIdOf(grant, grant.access)
    await request(`${node.url}${grant.username}/streams`, { token: grant.owner, body: { id: ':_cmc:apps:revoking', name: 'Revoking', parentId: ':_cmc:apps' } })
    const body = { streamIds: [':_cmc:apps:revoking'], type: 'consent/revoke-cmc', content: { accessId: grant.consentId } }
    const { event } = (await request(`${node.url}${grant.username}/events`, { token: grant.owner, body })).body as { event: { id: string } }
    await deliverDue(node)
    const { content } = (await request(`${node.url}${grant.username}/events/${event.id}`, { token: grant.owner })).body['event'] as { content: object }
    expect(content).toMatchObject({ status: 'completed', relatedDeletions: [{ id }] })
    expect(await letsIn(node, grant.username, grant.access)).toBe(false)
  })

  it('remain when a client deletes one of its accesses', async () => {
    const grant = await newGrant()
    const { body: second } = await refreshTokens(grant.refresh)
    const id = await accessIdOf(grant, grant.access)
    const answer = await request(`${node.url}${grant.username}/accesses/${id}`, { method: 'DELETE', token: grant.access })
    expect([answer.status, answer.body['relatedDeletions']]).toEqual([200, undefined])
    expect([await consentExists(grant), await letsIn(node, grant.username, String(second['access_token']))]).toEqual([true, true])
  })

  it('are independent of another consent', async () => {
    await addClient(node, 'other-app')
    const grant = await newGrant()
    const other = await newGrant('other-app')
    await endConsent(other)
    expect([await consentExists(grant), await letsIn(node, grant.username, grant.access)]).toEqual([true, true])
  })
})

describe('a reused refresh token', () => {
  it('is only refused within the grace period', async () => {
    const grant = await newGrant()
    await refreshTokens(grant.refresh)
    clock.pass(9)
    expect(await refreshTokens(grant.refresh)).toMatchObject(USED)
    expect(await consentExists(grant)).toBe(true)
    expect(await letsIn(node, grant.username, grant.access)).toBe(true)
  })

  it('revokes the consent and all later sessions, with the same error', async () => {
    const grant = await newGrant()
    const { body } = await refreshTokens(grant.refresh)
    clock.pass(11)
    expect(await refreshTokens(grant.refresh)).toMatchObject(USED)
    expect(await consentExists(grant)).toBe(false)
    expect(await letsIn(node, grant.username, grant.access)).toBe(false)
    expect(await letsIn(node, grant.username, String(body['access_token']))).toBe(false)
    expect(await refreshTokens(String(body['refresh_token']))).toMatchObject(REVOKED)
    expect(await refreshTokens(grant.refresh)).toMatchObject(USED)
    expect(await actionsOf(grant)).toEqual(expect.arrayContaining(['oauth.token.reuse_detected', 'oauth.token.revoked']))
  })

  it('is unknown after its expiry', async () => {
    const grant = await newGrant()
    await refreshTokens(grant.refresh)
    clock.pass(30 * DAY)
    expect(await refreshTokens(grant.refresh)).toMatchObject(USED)
    expect(await consentExists(grant)).toBe(true)
  })
})

describe('a refresh token is invalidated by', () => {
  it('another client', async () => {
    const grant = await newGrant()
    expect(await refreshTokens(grant.refresh, { client_id: 'secret-app' })).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
    expect(await refreshTokens(grant.refresh)).toMatchObject(USED)
  })

  it('a header of another client', async () => {
    const grant = await newGrant()
    expect(await refreshTokens(grant.refresh, {}, basic('secret-app', 'x'))).toMatchObject({ status: 401, body: { error: 'invalid_client' } })
    expect(await refreshTokens(grant.refresh)).toMatchObject(USED)
  })

  it('a confidential client without its secret', async () => {
    const grant = await newGrant('secret-app', undefined, basic('secret-app', secret))
    expect(await refreshTokens(grant.refresh, { client_id: 'secret-app' })).toMatchObject({ status: 401, body: { error: 'invalid_client' } })
    expect(await refreshTokens(grant.refresh, { client_id: 'secret-app' }, basic('secret-app', secret))).toMatchObject(USED)
  })
})

describe('expiry', () => {
  it('is extended by each refresh, up to the absolute limit', async () => {
    let { refresh } = await newGrant()
    for (const days of [29, 29, 29]) {
      clock.pass(days * DAY)
      const { status, body } = await refreshTokens(refresh)
      expect(status).toBe(200)
      refresh = String(body['refresh_token'])
    }
    clock.pass(3 * DAY)
    expect(await refreshTokens(refresh)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
  })

  it('ends an unused token', async () => {
    const { refresh } = await newGrant()
    clock.pass(30 * DAY)
    expect(await refreshTokens(refresh)).toMatchObject(USED)
  })
})

it('unexchanged codes leave no access', async () => {
  const person = await consented(node, 'public-app')
  const path = `${node.url}${person.username}/accesses/${person.accessId}`
  await sweepCodes(node.node)
  expect((await request(path, { token: person.owner })).status).toBe(200)
  clock.pass(600)
  await sweepCodes(node.node)
  expect((await request(path, { token: person.owner })).status).toBe(404)
})
