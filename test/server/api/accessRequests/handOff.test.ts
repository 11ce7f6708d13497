/** Handing a token off as a shared secret (docs/interface/access-requests.md#hand-off). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Marker } from '../../../../src/store/model/delegation.js'
import { grantAccess } from '../../../support/people/access.js'
import { askFor, heart, keyOf, pollOf, post } from '../../../support/people/accessRequests.js'
import { fakeClock } from '../../../support/nodes/clock.js'
import { request, startTestNode, type TestNode } from '../../../support/nodes/node.js'
import { newStage, type Stage } from '../../../support/http/methodTable.js'
import { accessIdOf, itemsOf, redeem, type Item } from '../sharedSecrets/support.js'

type Json = Record<string, unknown>
const clock = fakeClock()
let node: TestNode
let stage: Stage
beforeAll(async () => {
  node = await startTestNode({}, { clock })
  stage = await newStage(node)
  await stage.arrange('streams.create', { id: 'heart', name: 'Heart' })
})
afterAll(() => node.stop())

const asking = { credentialHandoff: 'shared-secret' }
const appToken = (): Promise<string> => stage.app([{ streamId: 'heart', level: 'read' }])
const accepted = (token: string, more: Json = {}): Json => ({
  status: 'ACCEPTED',
  username: stage.username,
  token,
  apiEndpoint: `https://${token}@host.example/${stage.username}/?auth=${token}&keep=1`,
  ...more,
})
const items = async (token: string): Promise<Item[]> =>
  itemsOf(stage, token, { streams: `:_shared-secrets:${await accessIdOf(stage, token)}`, state: 'all' })
const keyIn = (body: Json): string => (body['handoff'] as { key: string }).key

describe('a posted token', () => {
  it('is kept as a secret, of which the app gets the key', async () => {
    const token = await appToken()
    const asked = await askFor(node, asking)
    expect(asked.body).toMatchObject(asking)
    const key = String(asked.body['key'])
    const answer = await post(node, key, accepted(token))
    expect(answer).toMatchObject({ status: 200 })
    expect(Object.keys(answer.body).sort()).toEqual(['apiEndpoint', 'handoff', 'status', 'username'])
    expect(answer.body).toMatchObject({ apiEndpoint: `https://host.example/${stage.username}/?keep=1`, handoff: { type: 'shared-secret' } })
    for (let poll = 0; poll < 3; poll++) expect((await pollOf(node, key)).body).toEqual(answer.body)
    const { username, apiEndpoint } = accepted(token)
    expect(await redeem(stage, keyIn(answer.body))).toMatchObject({ status: 200, body: { secret: { username, token, apiEndpoint } } })
    const again = await redeem(stage, keyIn(answer.body))
    expect(again).toMatchObject({ status: 403, body: { error: { data: { id: 'shared-secret-unavailable' } } } })
  })

  it('is a secret of its own access, with the app in its title, for the shortest of three times', async () => {
    const token = await appToken()
    const key = await keyOf(node, asking)
    await post(node, key, accepted(token))
    expect(await items(token)).toMatchObject([{ duration: 600, content: { title: 'access-handoff:heart-watch' } }])
    const late = await keyOf(node, asking)
    clock.pass(3500)
    const other = await appToken()
    await post(node, late, accepted(other))
    expect(await items(other)).toMatchObject([{ duration: 100 }])
  })

  it('is handed off once, when the same is posted again and at once', async () => {
    const token = await appToken()
    const key = await keyOf(node, asking)
    const answers = await Promise.all(Array.from({ length: 10 }, () => post(node, key, accepted(token))))
    expect(new Set(answers.map(({ status, body }) => `${status} ${JSON.stringify(body)}`)).size).toBe(1)
    expect(await items(token)).toHaveLength(1)
    expect(await post(node, key, accepted(await appToken()))).toMatchObject({ status: 400, body: { error: { id: 'invalid-operation' } } })
  })

  it('leaves no secret behind when the answer is not taken', async () => {
    const token = await appToken()
    const key = await keyOf(node, { ...asking, cmcInvites: [{ capabilityUrl: 'https://x.example/c' }] })
    const limit = await startTestNode({ 'access.maxRequestBytes': 900 }, { clock })
    const there = await newStage(limit)
    const small = await keyOf(limit, asking)
    const own = await there.app([])
    const answer = await post(limit, small, { ...accepted(own), username: there.username, apiEndpoint: `https://h.example/${'x'.repeat(700)}` })
    expect(answer).toMatchObject({ status: 413 })
    expect(await itemsOf(there, own, { streams: ':_shared-secrets:', state: 'all' })).toEqual([])
    await limit.stop()
    expect((await post(node, key, accepted(token, { cmcInvites: [] }))).status).toBe(400)
    expect(await items(token)).toEqual([])
  })

  it('that a consent form was checked for is handed off too', async () => {
    const token = await appToken()
    const key = await keyOf(node, { ...asking, requestedPermissions: [heart], consent: { allowUserChoice: true } })
    expect((await post(node, key, accepted(token))).body).toHaveProperty('handoff')
  })

  it('is recorded as a call of its access, without anything that lets in', async () => {
    const token = await appToken()
    const key = await keyOf(node, asking)
    const { body } = await post(node, key, accepted(token))
    const id = await accessIdOf(stage, token)
    const query = new URLSearchParams({ streams: `:_audit:access-${id}` })
    const records = await request(`${node.url}${stage.username}/events?${query}`, { token: stage.owner })
    const text = JSON.stringify(records.body['events'])
    expect(text).toContain('"sharedSecrets.create"')
    for (const secret of [token, keyIn(body)]) expect(text + node.logged.join('')).not.toContain(secret)
  })
})

describe('goes inline, with one line in the log', () => {
  const delegation: Marker = { kind: 'delegated-child', relId: 'r', delegate: { username: 'ana', hostSlug: 'x' }, viaAccessId: 'x' }
  const hint = (): Json => ({ isDelegatedAccess: true, controlledUsername: stage.username, delegate: { username: 'ana' } })
  const cases: [what: string, posted: () => Promise<Json>][] = [
    ['what is no token of the account', () => Promise.resolve(accepted('made-up'))],
    ['the token of an account elsewhere', async () => accepted(await appToken(), { username: 'elsewhere' })],
    ['the token of an access that may not share secrets', async () => accepted(await stage.app([{ feature: 'secretSharing', setting: 'forbidden' }]))],
    ['a token that derives from a delegation', async () => accepted((await grantAccess(node, stage.username, [], { clientData: { delegation } })).token)],
    ['a token that is said to be of a delegation', async () => accepted(await appToken(), { delegation: hint() })],
    ['a token with an endpoint that is none', async () => accepted(await appToken(), { apiEndpoint: 'not an address' })],
    ['a token with an endpoint of another kind', async () => accepted(await appToken(), { apiEndpoint: 'ftp://host.example/' })],
    ['the token of an access that has expired', async () => accepted((await grantAccess(node, stage.username, [], { expires: clock.now() })).token)],
    ['what is too large for a secret', async () => accepted(await appToken(), { apiEndpoint: `https://h.example/${'x'.repeat(5000)}` })],
  ]
  it.each(cases)('%s', async (_, posting) => {
    const posted = await posting()
    const key = await keyOf(node, asking)
    node.logged.length = 0
    for (let time = 0; time < 2; time++) expect(await post(node, key, posted)).toMatchObject({ status: 200, body: posted })
    expect(node.logged.filter((line) => line.includes('hand-off requested'))).toHaveLength(1)
    expect(node.logged.join('')).not.toContain(String(posted['token']))
  })

  it('where shared secrets are switched off', async () => {
    const off = await startTestNode({ 'sharedSecrets.enabled': false })
    const there = await newStage(off)
    const posted = { ...accepted(await there.app([])), username: there.username }
    expect((await post(off, await keyOf(off, asking), posted)).body).toEqual(posted)
    expect(off.logged.filter((line) => line.includes('hand-off requested'))).toHaveLength(1)
    await off.stop()
  })

  it('and needs none where no app asked for it', async () => {
    const posted = accepted(await appToken())
    node.logged.length = 0
    expect((await post(node, await keyOf(node), posted)).body).toEqual(posted)
    expect(node.logged.join('')).not.toContain('hand-off requested')
  })
})

describe('a secret that the page made itself', () => {
  const handoff = { type: 'shared-secret', key: `an-event.${'a'.repeat(32)}` }
  const posted = (more: Json = {}): Json => ({ status: 'ACCEPTED', username: stage.username, apiEndpoint: `https://host.example/${stage.username}/`, handoff, ...more })

  it('is passed on as it is', async () => {
    const key = await keyOf(node, asking)
    expect((await post(node, key, posted())).body).toEqual(posted())
    expect((await pollOf(node, key)).body).toEqual(posted())
  })

  it.each<[string, Json]>([
    ['a token beside it', { token: 'x' }],
    ['an endpoint with a token', { apiEndpoint: 'https://t@host.example/' }],
    ['an endpoint with auth', { apiEndpoint: 'https://host.example/?auth=t' }],
    ['an endpoint of another kind', { apiEndpoint: 'ftp://host.example/' }],
    ['a key with a short half', { handoff: { ...handoff, key: 'id.short' } }],
    ['a key with two dots', { handoff: { ...handoff, key: `${handoff.key}.x` } }],
  ])('is refused with %s', async (_, more) => {
    const key = await keyOf(node, asking)
    expect(await post(node, key, posted(more))).toMatchObject({ status: 400, body: { error: { id: 'invalid-parameters' } } })
    expect((await pollOf(node, key)).body['status']).toBe('NEED_SIGNIN')
  })
})
