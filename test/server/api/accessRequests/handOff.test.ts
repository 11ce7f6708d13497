/** Hand-off of a token as a shared secret (docs/interface/access-requests.md#hand-off). */
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

const requestBody = { credentialHandoff: 'shared-secret' }
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
  it('is stored as a shared secret, and the app receives its key', async () => {
    const token = await appToken()
    const created = await askFor(node, requestBody)
    expect(created.body).toMatchObject(requestBody)
    const key = String(created.body['key'])
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

  it('is a secret of its own access, titled with the app, and expires no later than the request', async () => {
    const token = await appToken()
    const key = await keyOf(node, requestBody)
    await post(node, key, accepted(token))
    expect(await items(token)).toMatchObject([{ duration: 600, content: { title: 'access-handoff:heart-watch' } }])
    const late = await keyOf(node, requestBody)
    clock.pass(3500)
    const other = await appToken()
    await post(node, late, accepted(other))
    expect(await items(other)).toMatchObject([{ duration: 100 }])
  })

  it('is handed off once when the same decision is posted concurrently', async () => {
    const token = await appToken()
    const key = await keyOf(node, requestBody)
    const answers = await Promise.all(Array.from({ length: 10 }, () => post(node, key, accepted(token))))
    expect(new Set(answers.map(({ status, body }) => `${status} ${JSON.stringify(body)}`)).size).toBe(1)
    expect(await items(token)).toHaveLength(1)
    expect(await post(node, key, accepted(await appToken()))).toMatchObject({ status: 400, body: { error: { id: 'invalid-operation' } } })
  })

  it('leaves no secret when the decision is refused', async () => {
    const token = await appToken()
    const key = await keyOf(node, { ...requestBody, cmcInvites: [{ capabilityUrl: 'https://x.example/c' }] })
    const limit = await startTestNode({ 'access.maxRequestBytes': 900 }, { clock })
    const there = await newStage(limit)
    const small = await keyOf(limit, requestBody)
    const own = await there.app([])
    const answer = await post(limit, small, { ...accepted(own), username: there.username, apiEndpoint: `https://h.example/${'x'.repeat(700)}` })
    expect(answer).toMatchObject({ status: 413 })
    expect(await itemsOf(there, own, { streams: ':_shared-secrets:', state: 'all' })).toEqual([])
    await limit.stop()
    expect((await post(node, key, accepted(token, { cmcInvites: [] }))).status).toBe(400)
    expect(await items(token)).toEqual([])
  })

  it('is also handed off for a request with a consent form', async () => {
    const token = await appToken()
    const key = await keyOf(node, { ...requestBody, requestedPermissions: [heart], consent: { allowUserChoice: true } })
    expect((await post(node, key, accepted(token))).body).toHaveProperty('handoff')
  })

  it('is recorded as a call of its access, without the token or the key', async () => {
    const token = await appToken()
    const key = await keyOf(node, requestBody)
    const { body } = await post(node, key, accepted(token))
    const id = await accessIdOf(stage, token)
    const query = new URLSearchParams({ streams: `:_audit:access-${id}` })
    const records = await request(`${node.url}${stage.username}/events?${query}`, { token: stage.owner })
    const text = JSON.stringify(records.body['events'])
    expect(text).toContain('"sharedSecrets.create"')
    for (const secret of [token, keyIn(body)]) expect(text + node.logged.join('')).not.toContain(secret)
  })
})

describe('the node returns a token inline, and logs it once, for', () => {
  const delegation: Marker = { kind: 'delegated-child', relId: 'r', delegate: { username: 'ana', hostSlug: 'x' }, viaAccessId: 'x' }
  const hint = (): Json => ({ isDelegatedAccess: true, controlledUsername: stage.username, delegate: { username: 'ana' } })
  const cases: [name: string, posted: () => Promise<Json>][] = [
    ['an invalid token', () => Promise.resolve(accepted('made-up'))],
    ['the token of an account of another node', async () => accepted(await appToken(), { username: 'elsewhere' })],
    ['the token of an access that may not share secrets', async () => accepted(await stage.app([{ feature: 'secretSharing', setting: 'forbidden' }]))],
    ['a token that derives from a delegation', async () => accepted((await grantAccess(node, stage.username, [], { clientData: { delegation } })).token)],
    ['a token declared as a delegated access', async () => accepted(await appToken(), { delegation: hint() })],
    ['a token with an invalid endpoint', async () => accepted(await appToken(), { apiEndpoint: 'not an address' })],
    ['a token with an ftp endpoint', async () => accepted(await appToken(), { apiEndpoint: 'ftp://host.example/' })],
    ['the token of an access that has expired', async () => accepted((await grantAccess(node, stage.username, [], { expires: clock.now() })).token)],
    ['a token with an endpoint too large for a secret', async () => accepted(await appToken(), { apiEndpoint: `https://h.example/${'x'.repeat(5000)}` })],
  ]
  it.each(cases)('%s', async (_, posting) => {
    const posted = await posting()
    const key = await keyOf(node, requestBody)
    node.logged.length = 0
    for (let time = 0; time < 2; time++) expect(await post(node, key, posted)).toMatchObject({ status: 200, body: posted })
    expect(node.logged.filter((line) => line.includes('hand-off requested'))).toHaveLength(1)
    expect(node.logged.join('')).not.toContain(String(posted['token']))
  })

  it('any token while shared secrets are disabled', async () => {
    const off = await startTestNode({ 'sharedSecrets.enabled': false })
    const there = await newStage(off)
    const posted = { ...accepted(await there.app([])), username: there.username }
    expect((await post(off, await keyOf(off, requestBody), posted)).body).toEqual(posted)
    expect(off.logged.filter((line) => line.includes('hand-off requested'))).toHaveLength(1)
    await off.stop()
  })

})

it('a token without requested hand-off is returned inline, and not logged', async () => {
  const posted = accepted(await appToken())
  node.logged.length = 0
  expect((await post(node, await keyOf(node), posted)).body).toEqual(posted)
  expect(node.logged.join('')).not.toContain('hand-off requested')
})

describe('a secret created by the page', () => {
  const handoff = { type: 'shared-secret', key: `an-event.${'a'.repeat(32)}` }
  const posted = (more: Json = {}): Json => ({ status: 'ACCEPTED', username: stage.username, apiEndpoint: `https://host.example/${stage.username}/`, handoff, ...more })

  it('is returned unchanged', async () => {
    const key = await keyOf(node, requestBody)
    expect((await post(node, key, posted())).body).toEqual(posted())
    expect((await pollOf(node, key)).body).toEqual(posted())
  })

  it.each<[string, Json]>([
    ['a token beside it', { token: 'x' }],
    ['an endpoint with a token', { apiEndpoint: 'https://t@host.example/' }],
    ['an endpoint with auth', { apiEndpoint: 'https://host.example/?auth=t' }],
    ['an ftp endpoint', { apiEndpoint: 'ftp://host.example/' }],
    ['a key with a short second part', { handoff: { ...handoff, key: 'id.short' } }],
    ['a key with two dots', { handoff: { ...handoff, key: `${handoff.key}.x` } }],
  ])('is refused with %s', async (_, more) => {
    const key = await keyOf(node, requestBody)
    expect(await post(node, key, posted(more))).toMatchObject({ status: 400, body: { error: { id: 'invalid-parameters' } } })
    expect((await pollOf(node, key)).body['status']).toBe('NEED_SIGNIN')
  })
})
