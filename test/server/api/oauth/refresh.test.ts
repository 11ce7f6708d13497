/** The grant refresh_token: rotation, windows, reuse, and what ends with it (docs/interface/oauth.md#tokens). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findAccessRecord } from '../../../../src/store/accesses/accesses.js'
import type { Permission } from '../../../../src/store/model/access.js'
import { sweepCodes } from '../../../../src/server/api/oauth/codes.js'
import { revokeClient } from '../../../../src/server/api/oauth/clientChanges.js'
import { fakeClock, type FakeClock } from '../../../support/nodes/clock.js'
import { request, startTestNode, type Answer, type TestNode } from '../../../support/nodes/node.js'
import { callThrough, type Door, type Stage } from '../../../support/http/methodTable.js'
import { quiet } from '../consents/support.js'
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

interface Held extends Consented {
  access: string
  refresh: string
}

async function holding(clientId = 'public-app', permissions?: Permission[], headers: Record<string, string> = {}): Promise<Held> {
  const person = await consented(node, clientId, permissions)
  const { body } = await token(node, exchange(person.code, clientId), headers)
  return { ...person, access: String(body['access_token']), refresh: String(body['refresh_token']) }
}

const refreshed = (refresh: string, more: Record<string, string | undefined> = {}, headers: Record<string, string> = {}): Promise<Answer> =>
  token(node, { grant_type: 'refresh_token', refresh_token: refresh, client_id: 'public-app', ...more }, headers)

const USED = { status: 400, body: { error: 'invalid_grant', error_description: 'refresh_token is invalid or already used' } }
const REVOKED = { status: 400, body: { error: 'invalid_grant', error_description: 'consent has been revoked' } }

const endConsent = async ({ username, owner, consentId }: Consented): Promise<void> => {
  expect((await request(`${node.url}${username}/accesses/${consentId}`, { method: 'DELETE', token: owner })).status).toBe(200)
}

async function isConsentThere({ username, consentId }: Consented): Promise<boolean> {
  const account = (await node.node.accounts.find(username))?.account
  return account !== undefined && findAccessRecord(account.db, account.prefix, consentId) !== undefined
}

const actionsOf = async ({ username, owner }: Consented): Promise<string[]> => {
  const { body } = await request(`${node.url}${username}/events?streams=:_audit:actions&limit=100`, { token: owner })
  return (body['events'] as { content: { action: string } }[]).map(({ content }) => content.action).filter((one) => one.startsWith('oauth.'))
}

describe('a refresh', () => {
  it('gives other tokens, and leaves the former access as it is', async () => {
    const held = await holding()
    const { status, body } = await refreshed(held.refresh)
    expect({ status, body }).toMatchObject({ status: 200, body: { token_type: 'Bearer', expires_in: 3600, scope: 'cmc:study' } })
    expect(body['refresh_token']).not.toBe(held.refresh)
    expect(body['access_token']).not.toBe(held.access)
    expect(await letsIn(node, held.username, held.access)).toBe(true)
    expect(await letsIn(node, held.username, String(body['access_token']))).toBe(true)
    expect(await actionsOf(held)).toEqual(expect.arrayContaining(['oauth.code.exchanged', 'oauth.token.issued.authorization_code', 'oauth.token.refreshed']))
  })

  it('is for one of fifty', async () => {
    const { refresh } = await holding()
    const answers = await Promise.all(Array.from({ length: 50 }, () => refreshed(refresh)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 400)).toHaveLength(49)
  })

  it('never gives more than was chosen', async () => {
    const chosen: Permission[] = [{ streamId: 'weight', level: 'read' }]
    const held = await holding('public-app', chosen)
    const { body } = await refreshed(held.refresh, { scope: 'cmc:everything' })
    const info = await request(`${node.url}${held.username}/access-info`, { token: String(body['access_token']) })
    expect((info.body['permissions'] as Permission[]).filter((one) => !('streamId' in one) || !one.streamId.startsWith(':'))).toEqual([
      { streamId: 'weight', level: 'read' },
      { feature: 'selfRevoke', setting: 'allowed' },
    ])
  })

  it('gives no more than the consent gives by now', async () => {
    const held = await holding('public-app', [{ streamId: 'weight', level: 'manage' }, { streamId: 'diary', level: 'read' }])
    const update = { permissions: [{ streamId: 'weight', level: 'read' }, { streamId: 'other', level: 'read' }] }
    await request(`${node.url}${held.username}/accesses/${held.consentId}`, { method: 'PUT', token: held.owner, body: update })
    const { body } = await refreshed(held.refresh)
    const info = await request(`${node.url}${held.username}/access-info`, { token: String(body['access_token']) })
    const streams = (info.body['permissions'] as { streamId?: string }[]).filter(({ streamId }) => streamId !== undefined && !streamId.startsWith(':'))
    expect(streams).toEqual([{ streamId: 'weight', level: 'read' }])
  })

  it('ends with the consent', async () => {
    const held = await holding()
    await endConsent(held)
    expect(await refreshed(held.refresh)).toMatchObject(REVOKED)
    expect(await letsIn(node, held.username, held.access)).toBe(false)
  })

  it('ends with the account', async () => {
    const held = await holding()
    const key = node.node.config.get('auth.adminAccessKey') ?? ''
    const gone = await request(`${node.url}users/${held.username}`, { method: 'DELETE', token: key })
    expect(gone.status).toBe(200)
    expect(await refreshed(held.refresh)).toMatchObject(USED)
  })

  it('ends with the client', async () => {
    await addClient(node, 'gone-app')
    const held = await holding('gone-app')
    await revokeClient(node.node, 'gone-app')
    expect(await refreshed(held.refresh, { client_id: 'gone-app' })).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
  })
})

describe('a consent and the tokens of its client', () => {
  const accessIdOf = async ({ username }: Consented, access: string): Promise<string> =>
    String((await request(`${node.url}${username}/access-info`, { token: access })).body['id'])
  const stageOf = ({ username, owner }: Consented): Pick<Stage, 'node' | 'username' | 'owner'> => ({ node, username, owner })
  const doors: Door[] = ['http', 'form', 'batch', 'socket']

  it.each(doors)('end together when the consent is revoked (%s)', async (door) => {
    const held = await holding()
    const id = await accessIdOf(held, held.access)
    const { body: second } = await refreshed(held.refresh)
    const secondId = await accessIdOf(held, String(second['access_token']))
    const { status, body } = await callThrough(door, stageOf(held), held.owner, 'accesses.delete', { id: held.consentId })
    expect([status, body['accessDeletion']]).toEqual([200, { id: held.consentId }])
    expect((body['relatedDeletions'] as { id: string }[]).map((one) => one.id).sort()).toEqual([id, secondId].sort())
    expect([await letsIn(node, held.username, held.access), await letsIn(node, held.username, String(second['access_token']))]).toEqual([false, false])
  })

  it.each(doors)('end together when a token is revoked (%s)', async (door) => {
    const held = await holding()
    const { body: second } = await refreshed(held.refresh)
    const id = await accessIdOf(held, held.access)
    const { status, body } = await callThrough(door, stageOf(held), held.owner, 'accesses.delete', { id })
    expect([status, (body['relatedDeletions'] as { id: string }[]).map((one) => one.id)]).toEqual([200, expect.arrayContaining([held.consentId])])
    expect(await isConsentThere(held)).toBe(false)
    expect(await letsIn(node, held.username, String(second['access_token']))).toBe(false)
    expect(await refreshed(String(second['refresh_token']))).toMatchObject(REVOKED)
  })

  it('end together when the consent is revoked by a message, which says so', async () => {
    const held = await holding()
    const id = await accessIdOf(held, held.access)
    await request(`${node.url}${held.username}/streams`, { token: held.owner, body: { id: ':_cmc:apps:revoking', name: 'Revoking', parentId: ':_cmc:apps' } })
    const body = { streamIds: [':_cmc:apps:revoking'], type: 'consent/revoke-cmc', content: { accessId: held.consentId } }
    const { event } = (await request(`${node.url}${held.username}/events`, { token: held.owner, body })).body as { event: { id: string } }
    await quiet(node)
    const { content } = (await request(`${node.url}${held.username}/events/${event.id}`, { token: held.owner })).body['event'] as { content: object }
    expect(content).toMatchObject({ status: 'completed', relatedDeletions: [{ id }] })
    expect(await letsIn(node, held.username, held.access)).toBe(false)
  })

  it('part when a client gives up one token', async () => {
    const held = await holding()
    const { body: second } = await refreshed(held.refresh)
    const id = await accessIdOf(held, held.access)
    const answer = await request(`${node.url}${held.username}/accesses/${id}`, { method: 'DELETE', token: held.access })
    expect([answer.status, answer.body['relatedDeletions']]).toEqual([200, undefined])
    expect([await isConsentThere(held), await letsIn(node, held.username, String(second['access_token']))]).toEqual([true, true])
  })

  it('leave those of another consent', async () => {
    await addClient(node, 'other-app')
    const held = await holding()
    const other = await holding('other-app')
    await endConsent(other)
    expect([await isConsentThere(held), await letsIn(node, held.username, held.access)]).toEqual([true, true])
  })
})

describe('a refresh token that comes again', () => {
  it('is merely refused within the grace', async () => {
    const held = await holding()
    await refreshed(held.refresh)
    clock.pass(9)
    expect(await refreshed(held.refresh)).toMatchObject(USED)
    expect(await isConsentThere(held)).toBe(true)
    expect(await letsIn(node, held.username, held.access)).toBe(true)
  })

  it('ends the consent and every session after it, with the same answer', async () => {
    const held = await holding()
    const { body } = await refreshed(held.refresh)
    clock.pass(11)
    expect(await refreshed(held.refresh)).toMatchObject(USED)
    expect(await isConsentThere(held)).toBe(false)
    expect(await letsIn(node, held.username, held.access)).toBe(false)
    expect(await letsIn(node, held.username, String(body['access_token']))).toBe(false)
    expect(await refreshed(String(body['refresh_token']))).toMatchObject(REVOKED)
    expect(await refreshed(held.refresh)).toMatchObject(USED)
    expect(await actionsOf(held)).toEqual(expect.arrayContaining(['oauth.token.reuse_detected', 'oauth.token.revoked']))
  })

  it('is unknown once its own life is over', async () => {
    const held = await holding()
    await refreshed(held.refresh)
    clock.pass(30 * DAY)
    expect(await refreshed(held.refresh)).toMatchObject(USED)
    expect(await isConsentThere(held)).toBe(true)
  })
})

describe('a refresh token is burned by', () => {
  it('another client', async () => {
    const held = await holding()
    expect(await refreshed(held.refresh, { client_id: 'secret-app' })).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
    expect(await refreshed(held.refresh)).toMatchObject(USED)
  })

  it('a header of another client', async () => {
    const held = await holding()
    expect(await refreshed(held.refresh, {}, basic('secret-app', 'x'))).toMatchObject({ status: 401, body: { error: 'invalid_client' } })
    expect(await refreshed(held.refresh)).toMatchObject(USED)
  })

  it('a confidential client without its secret', async () => {
    const held = await holding('secret-app', undefined, basic('secret-app', secret))
    expect(await refreshed(held.refresh, { client_id: 'secret-app' })).toMatchObject({ status: 401, body: { error: 'invalid_client' } })
    expect(await refreshed(held.refresh, { client_id: 'secret-app' }, basic('secret-app', secret))).toMatchObject(USED)
  })
})

describe('windows', () => {
  it('slide with each refresh, until the whole is over', async () => {
    let { refresh } = await holding()
    for (const days of [29, 29, 29]) {
      clock.pass(days * DAY)
      const { status, body } = await refreshed(refresh)
      expect(status).toBe(200)
      refresh = String(body['refresh_token'])
    }
    clock.pass(3 * DAY)
    expect(await refreshed(refresh)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
  })

  it('end a token that nobody uses', async () => {
    const { refresh } = await holding()
    clock.pass(30 * DAY)
    expect(await refreshed(refresh)).toMatchObject(USED)
  })
})

it('codes that nobody exchanges leave no access', async () => {
  const person = await consented(node, 'public-app')
  const path = `${node.url}${person.username}/accesses/${person.accessId}`
  await sweepCodes(node.node)
  expect((await request(path, { token: person.owner })).status).toBe(200)
  clock.pass(600)
  await sweepCodes(node.node)
  expect((await request(path, { token: person.owner })).status).toBe(404)
})
