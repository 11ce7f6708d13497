/**
 * Approval of access requests by the node: offers, choices, created and ended accesses (docs/interface/access-requests.md#pages).
 */
import { describe, expect, it } from 'vitest'
import { approve, refuse } from '../../../../src/server/api/accessRequests/approval.js'
import { offerFor, type Offer } from '../../../../src/server/api/accessRequests/offer.js'
import type { Call } from '../../../../src/server/call/method.js'
import { terminalCall } from '../../../../src/server/dispatch/terminalCaller.js'
import { askFor, diary, gist, heart, keyOf, pollOf, post } from '../../../support/people/accessRequests.js'
import { actionsOf } from '../../../support/people/audit.js'
import { fakeClock } from '../../../support/nodes/clock.js'
import { request } from '../../../support/nodes/node.js'
import { redeem } from '../sharedSecrets/support.js'
import { newStage, type Stage } from '../../../support/http/methodTable.js'
import { share } from '../../../support/people/shares.js'
import { withNode } from '../../../support/nodes/started.js'
import type { Node } from '../../../../src/server/index.js'

type Json = Record<string, unknown>
const clock = fakeClock()
const node = withNode({}, { clock })

async function callOf({ node: { node }, username }: Stage): Promise<Call<Node>> {
  const loaded = await node.accounts.find(username)
  if (loaded === undefined) throw new Error('no user')
  return terminalCall(node, loaded)
}

async function offeredRequest(s: Stage, body: Json = {}): Promise<{ key: string; call: Call<Node>; offer: Offer }> {
  const key = await keyOf(s.node, body)
  const call = await callOf(s)
  return { key, call, offer: await offerFor(call, s.node.node.accessRequests.find(key)) }
}

const accessesOf = async (s: Stage): Promise<Json[]> =>
  ((await s.arrange('accesses.get', {}))['accesses'] as Json[]).filter(({ type }) => type !== 'personal')
const streamsOf = async (s: Stage): Promise<unknown[]> =>
  ((await s.arrange('streams.get', {}))['streams'] as Json[]).map(({ id }) => id).filter((id) => !String(id).startsWith(':'))
const refusedAs = (id: string, data?: Json): object => expect.objectContaining({ id, ...(data === undefined ? {} : { data }) }) as object
const choice = { allowUserChoice: true, mandatory: ['heart'] }

describe('an offer', () => {
  it('uses the names of existing streams, and marks new ones', async () => {
    const s = await newStage(node())
    await s.arrange('streams.create', { id: 'heart', name: 'My heart' })
    const { offer } = await offeredRequest(s, { requestedPermissions: [heart, diary, { streamId: '*', level: 'read' }] })
    expect(offer.entries.map(({ id, stream }) => [id, stream])).toEqual([
      ['heart', { name: 'My heart', state: 'there' }],
      ['diary', { name: 'Diary', state: 'new' }],
      ['*', undefined],
    ])
    expect(offer).toMatchObject({ username: s.username, allowsChoice: false, obstacles: [], invites: [] })
  })

  it.each([
    [undefined, [[false, true, true], [false, true, true]]],
    [{ mandatory: ['heart'], optIn: ['diary'] }, [[false, true, true], [false, true, true]]],
    [{ ...choice, optIn: ['diary'] }, [[true, true, true], [false, false, false]]],
    [choice, [[true, true, true], [false, true, false]]],
  ])('marks required, selected and locked entries: %j', async (consent, expected) => {
    const s = await newStage(node())
    const { offer } = await offeredRequest(s, { requestedPermissions: [heart, diary], ...(consent && { consent }) })
    expect(offer.entries.map(({ isRequired, isTicked, isLocked }) => [isRequired, isTicked, isLocked])).toEqual(expected)
  })

  it('gives each entry a unique id', async () => {
    const s = await newStage(node())
    const twice = [heart, { ...heart, level: 'manage' }, { feature: 'selfRevoke', setting: 'forbidden' }]
    const { offer } = await offeredRequest(s, { requestedPermissions: twice })
    expect(offer.entries.map(({ id }) => id)).toEqual(['heart', 'heart (2)', 'selfRevoke'])
  })

  it('reports a stream name that exists already', async () => {
    const s = await newStage(node())
    await s.arrange('streams.create', { id: 'other', name: 'Heart' })
    const { offer } = await offeredRequest(s)
    expect(offer).toMatchObject({ nameConflict: 'Heart', entries: [{ stream: { name: 'Heart (1)', state: 'new' } }] })
  })

  it.each([
    [{ actAs: 'allow', actAsManagedOnly: true }, 'MANAGED_ACCOUNT_UNAVAILABLE'],
    [{ cmcInvites: [{ capabilityUrl: 'https://x.example/c', mandatory: true }] }, 'MANDATORY_CONSENT_FAILED'],
    [{ requestedPermissions: [{ streamId: 'Not an id', level: 'read' }] }, 'IMPOSSIBLE_PERMISSIONS'],
    [{ requestedPermissions: [{ streamId: ':_system:email', level: 'manage' }] }, 'IMPOSSIBLE_PERMISSIONS'],
    [{ requestedPermissions: [{ feature: 'nothing-known', setting: 'allowed' }] }, 'IMPOSSIBLE_PERMISSIONS'],
    [{ clientData: { dpop: {} } }, 'IMPOSSIBLE_PERMISSIONS'],
  ])('cannot be accepted: %j', async (body, reasonId) => {
    const s = await newStage(node())
    const { key, call, offer } = await offeredRequest(s, body)
    expect(offer.obstacles).toMatchObject([{ reasonId }])
    await expect(approve(call, key, [])).rejects.toEqual(refusedAs('invalid-operation', { reasonId }))
    expect(await accessesOf(s)).toEqual([])
    expect(gist(await pollOf(node(), key))).toEqual([201, 'NEED_SIGNIN'])
  })
})

describe('approving', () => {
  it('creates the access and its streams, and returns the token to the app', async () => {
    const s = await newStage(node())
    const fields = { deviceName: 'phone', expireAfter: 600, token: 'chosen-token', clientData: { a: 1 } }
    const { key, call } = await offeredRequest(s, { requestedPermissions: [heart], ...fields })
    const { accessId, isNew } = await approve(call, key, [])
    expect(isNew).toBe(true)
    expect(await accessesOf(s)).toMatchObject([
      {
        id: accessId,
        type: 'app',
        name: 'heart-watch',
        deviceName: 'phone',
        token: 'chosen-token',
        clientData: { a: 1 },
        permissions: [{ streamId: 'heart', level: 'read' }],
        expires: clock.now() + 600,
      },
    ])
    const { status, body } = await pollOf(node(), key)
    const apiEndpoint = `${node().url.replace('://', '://chosen-token@')}${s.username}/`
    expect([status, body]).toEqual([200, { status: 'ACCEPTED', username: s.username, token: 'chosen-token', apiEndpoint }])
    const streams = await request(`${node().url}${s.username}/streams`, { token: 'chosen-token' })
    expect(streams.body['streams']).toContainEqual(expect.objectContaining({ id: 'heart', name: 'Heart' }))
    expect(await actionsOf(s, [':_audit:access-system'])).toEqual(['accesses.create'])
  })

  it('grants the chosen and the locked permissions', async () => {
    const s = await newStage(node())
    const { key, call } = await offeredRequest(s, { requestedPermissions: [heart, diary], consent: choice })
    await approve(call, key, [])
    expect(await accessesOf(s)).toMatchObject([{ permissions: [{ streamId: 'heart', level: 'read' }] }])
    expect(await streamsOf(s)).toEqual(['heart'])
  })

  it.each([
    ['an empty choice', { consent: { allowUserChoice: true } }, [], 'invalid-consent-grant'],
    ['a permission that was not requested', {}, ['other'], 'invalid-parameters'],
    [
      'a choice that grants more than the request',
      { requestedPermissions: [{ streamId: '*', level: 'manage' }, heart], consent: { allowUserChoice: true } },
      ['*'],
      'invalid-consent-grant',
    ],
  ])('refuses %s, without effect', async (_, body, chosen, id) => {
    const s = await newStage(node())
    const { key, call } = await offeredRequest(s, body)
    await expect(approve(call, key, chosen)).rejects.toEqual(refusedAs(id))
    expect(await accessesOf(s)).toEqual([])
    expect(gist(await pollOf(node(), key))).toEqual([201, 'NEED_SIGNIN'])
  })

  it('creates an access without permissions for a request without permissions', async () => {
    const s = await newStage(node())
    const { key, call } = await offeredRequest(s, { requestedPermissions: [] })
    await approve(call, key, [])
    expect(await accessesOf(s)).toMatchObject([{ permissions: [] }])
  })

  it('reuses a matching access', async () => {
    const s = await newStage(node())
    await s.arrange('streams.create', { id: 'heart', name: 'Heart' })
    await share(s, { type: 'app', name: 'heart-watch', permissions: [{ streamId: 'heart', level: 'read' }], token: 'old-token' })
    const { key, call, offer } = await offeredRequest(s)
    expect(offer.granted).toBeDefined()
    expect(offer).not.toHaveProperty('replaces')
    expect(await approve(call, key, [])).toMatchObject({ isNew: false })
    expect((await pollOf(node(), key)).body).toMatchObject({ token: 'old-token' })
    expect(await accessesOf(s)).toHaveLength(1)
  })

  it('ends a different access of the app, with the accesses shared by it', async () => {
    const s = await newStage(node())
    await s.arrange('streams.create', { id: 'heart', name: 'Heart' })
    await share(s, { type: 'app', name: 'heart-watch', permissions: [{ streamId: 'heart', level: 'manage' }], token: 'old-token' })
    const shared = { name: 'friend', permissions: [{ streamId: 'heart', level: 'read' }] }
    await request(`${node().url}${s.username}/accesses`, { token: 'old-token', body: shared })
    const { key, call, offer } = await offeredRequest(s)
    expect(offer).toMatchObject({ replaces: { shares: 1 } })
    await approve(call, key, [])
    expect(await accessesOf(s)).toMatchObject([{ name: 'heart-watch', permissions: [{ level: 'read' }] }])
    expect((await request(`${node().url}${s.username}/streams`, { token: 'old-token' })).status).toBe(403)
    expect(await actionsOf(s, [':_audit:access-system'])).toEqual(expect.arrayContaining(['accesses.create', 'accesses.delete']))
  })

  it('replaces an expired access, with the same requested token', async () => {
    const s = await newStage(node())
    const body = { expireAfter: 10, token: 'the-apps-own' }
    const first = await offeredRequest(s, body)
    await approve(first.call, first.key, [])
    clock.pass(11)
    const second = await offeredRequest(s, body)
    expect(second.offer).not.toHaveProperty('granted')
    expect(await approve(second.call, second.key, [])).toMatchObject({ isNew: true })
    expect(await accessesOf(s)).toHaveLength(1)
  })

  it('restores a trashed stream', async () => {
    const s = await newStage(node())
    await s.arrange('streams.create', { id: 'heart', name: 'Heart' })
    await s.arrange('streams.delete', { id: 'heart' })
    const { key, call, offer } = await offeredRequest(s)
    expect(offer).toMatchObject({ entries: [{ stream: { state: 'trashed' } }] })
    await approve(call, key, [])
    expect(await streamsOf(s)).toEqual(['heart'])
  })

  it('hands the token off once when a hand-off is requested, also when it is repeated', async () => {
    const s = await newStage(node())
    const { key, call } = await offeredRequest(s, { credentialHandoff: 'shared-secret' })
    node().logged.length = 0
    const answers = await Promise.all([approve(call, key, []), approve(call, key, [])])
    expect(new Set(answers.map(({ accessId }) => accessId)).size).toBe(1)
    expect(answers.filter(({ isNew }) => isNew)).toHaveLength(1)
    const { body } = await pollOf(node(), key)
    expect(body).not.toHaveProperty('token')
    const redeemed = await redeem(s, (body['handoff'] as { key: string }).key)
    expect(redeemed.body['secret']).toMatchObject({ username: s.username })
    expect((await redeem(s, (body['handoff'] as { key: string }).key)).status).toBe(403)
    expect(node().logged.filter((line) => line.includes('handed off'))).toEqual([])
  })

  it('creates one access for concurrent approvals', async () => {
    const s = await newStage(node())
    const { key, call } = await offeredRequest(s)
    const answers = await Promise.all(Array.from({ length: 50 }, () => approve(call, key, [])))
    expect(answers.filter(({ isNew }) => isNew)).toHaveLength(1)
    expect(new Set(answers.map(({ accessId }) => accessId)).size).toBe(1)
    expect(await accessesOf(s)).toHaveLength(1)
  })

  it('returns a valid token when concurrent approvals differ in their choices', async () => {
    const s = await newStage(node())
    for (let round = 0; round < 5; round++) {
      const { key, call } = await offeredRequest(s, { requestingAppId: `app-round-${round}`, requestedPermissions: [heart, diary], consent: choice })
      await Promise.allSettled([[], ['diary'], [], ['diary']].map((chosen) => approve(call, key, chosen)))
      const { body } = await pollOf(node(), key)
      const { status } = await request(`${node().url}${s.username}/access-info`, { token: String(body['token']) })
      expect([body['status'], status]).toEqual(['ACCEPTED', 200])
      expect(await accessesOf(s)).toHaveLength(round + 1)
    }
  })

  it('succeeds for one of two accounts', async () => {
    const [s, other] = [await newStage(node()), await newStage(node())]
    const { key, call } = await offeredRequest(s)
    const both = await Promise.allSettled([approve(call, key, []), approve(await callOf(other), key, [])])
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect((await accessesOf(s)).length + (await accessesOf(other)).length).toBe(1)
  })

  it('rolls back the access when the request is refused concurrently', async () => {
    const s = await newStage(node())
    const { key, call } = await offeredRequest(s)
    const accepting = approve(call, key, [])
    await post(node(), key, { status: 'REFUSED' })
    const [outcome] = await Promise.allSettled([accepting])
    const { status } = await pollOf(node(), key)
    expect([outcome.status, status, (await accessesOf(s)).length]).toEqual(
      outcome.status === 'fulfilled' ? ['fulfilled', 200, 1] : ['rejected', 403, 0],
    )
  })

  it('creates and ends no access when the response would be too large', async () => {
    const s = await newStage(node())
    let size = 16_384
    while ((await askFor(node(), { clientData: { a: 'x'.repeat(size) } })).status !== 201) size -= 50
    const { key, call } = await offeredRequest(s, { clientData: { a: 'x'.repeat(size) } })
    await share(s, { type: 'app', name: 'heart-watch', permissions: [], token: 'old-token' })
    await expect(approve(call, key, [])).rejects.toEqual(refusedAs('payload-too-large'))
    expect(await accessesOf(s)).toMatchObject([{ token: 'old-token' }])
    expect((await request(`${node().url}${s.username}/streams`, { token: 'old-token' })).status).toBe(200)
    expect(gist(await pollOf(node(), key))).toEqual([201, 'NEED_SIGNIN'])
  })
})

describe('refusing', () => {
  it('returns the reason to the app, and creates no access', async () => {
    const s = await newStage(node())
    const { key, call } = await offeredRequest(s)
    await refuse(node().node, key)
    const { status, body } = await pollOf(node(), key)
    expect([status, body]).toEqual([403, { status: 'REFUSED', reasonId: 'USER_DENIED', reasonID: 'USER_DENIED', message: 'The user refused.' }])
    await expect(approve(call, key, [])).rejects.toEqual(refusedAs('invalid-operation'))
    expect(await accessesOf(s)).toEqual([])
  })
})
