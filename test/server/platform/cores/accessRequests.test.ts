/** Access requests on a platform of several cores (docs/interface/access-requests.md#cores). */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { Secret } from '../../../../src/store/model/secret.js'
import { makeAccount, request, type Answer, type TestNode } from '../../../support/nodes/node.js'
import { ADMIN_KEY, withCores } from '../../../support/nodes/memoryPlatform.js'
import { askFor, gist, heart, keyOf, pollOf, post } from '../../../support/people/accessRequests.js'
import { accept, refuse } from '../../../support/people/authorize.js'
import { visitor, type Visitor } from '../../../support/people/visitor.js'

type Json = Record<string, unknown>
const cores = withCores({ 'core-a': {}, 'core-b': {} }, { shared: { 'access.maxLiveRequests': 8 } })
const node = (id: string): TestNode => cores().node(id)
const [a, b] = [() => node('core-a'), () => node('core-b')]

/** Personal token of `ana-there`, whose account is on core-b. */
let personal: string
beforeAll(async () => {
  personal = await makeAccount(b(), 'ana-there')
  for (const [id, parentId] of [['heart', null], ['rate', 'heart'], ['diary', null]] as const) {
    await request(`${b().url}ana-there/streams`, { token: personal, body: { id, name: id, parentId } })
  }
})

let names = 0
/** Creates an access of `ana-there`; returns its token. */
async function granted(permissions: Json[], more: Json = {}): Promise<string> {
  names += 1
  const answer = await request(`${b().url}ana-there/accesses`, { token: personal, body: { type: 'app', name: `app ${names}`, permissions, ...more } })
  expect(answer).toMatchObject({ status: 201 })
  return String((answer.body['access'] as Json)['token'])
}

const accepted = (token: string, more: Json = {}): Json => ({ status: 'ACCEPTED', username: 'ana-there', token, ...more })

afterEach(() => {
  const { platform } = cores()
  platform.stopAnswering(false)
  platform.setLive('core-a', true)
  platform.setLive('core-b', true)
})

describe('an access request', () => {
  it('is polled at the core that made it, or at any other', async () => {
    const { status, body } = await askFor(a(), { oauthState: 'own' })
    const key = String(body['key'])
    expect({ status, poll: body['poll'] }).toEqual({ status: 201, poll: `${a().url}reg/access/${key}` })
    expect(String(body['authUrl'])).toContain(`${a().url}web/authorize?`)
    const here = await pollOf(a(), key)
    const there = await pollOf(b(), key)
    expect({ ...there, headers: undefined }).toEqual({ ...here, headers: undefined, body: { ...here.body, meta: expect.any(Object) as object } })
  })

  it('is answered through another core, with the status and the body of its own core', async () => {
    const [taken, refused] = [await keyOf(a()), await keyOf(a())]
    const token = await granted([{ streamId: 'heart', level: 'read' }])
    expect(await post(b(), taken, accepted(token))).toMatchObject({ status: 200, body: { status: 'ACCEPTED', token } })
    const answer = await post(b(), refused, { status: 'REFUSED', reasonId: 'NO', message: 'not now' })
    expect({ status: answer.status, body: answer.body }).toEqual({ status: 403, body: { status: 'REFUSED', reasonId: 'NO', reasonID: 'NO', message: 'not now' } })
    for (const key of [taken, refused]) {
      const [own, other] = [await pollOf(a(), key), await pollOf(b(), key)]
      expect([other.status, other.body]).toEqual([own.status, own.body])
    }
    expect(gist(await post(b(), refused, accepted(token)))).toEqual([400, 'invalid-operation'])
  })

  it('has an apiEndpoint at the core of the account when none was posted', async () => {
    const key = await keyOf(a())
    const { body } = await post(a(), key, accepted('a-token'))
    expect(body['apiEndpoint']).toBe(`${b().url.replace('://', '://a-token@')}ana-there/`)
  })

  it('is unknown everywhere when its core does not know it, and on other cores when it left the platform', async () => {
    for (const key of ['A'.repeat(16), 'short', `../${'x'.repeat(13)}`]) {
      expect(gist(await request(`${b().url}reg/access/${encodeURIComponent(key)}`))[0]).toBe(400)
    }
    const key = await keyOf(a())
    cores().platform.setCore('core-a', { state: 'lost' })
    expect(gist(await pollOf(b(), key))).toEqual([400, 'unknown-access-key'])
    cores().platform.setCore('core-a', { state: 'active' })
    expect(gist(await pollOf(b(), key))).toEqual([201, 'NEED_SIGNIN'])
  })

  it('cannot be reached through other cores while its core is silent; it is unknown when that core is gone', async () => {
    const { call } = b().node.coreCalls
    const key = await keyOf(a())
    Object.assign(b().node.coreCalls, { call: () => Promise.resolve({ status: 0, cause: 'timeout' }) })
    const silent = await pollOf(b(), key)
    cores().platform.setLive('core-a', false)
    const gone = await pollOf(b(), key)
    Object.assign(b().node.coreCalls, { call })
    expect([gist(silent), silent.headers.get('retry-after')]).toEqual([[503, 'platform-unavailable'], '5'])
    expect(gist(gone)).toEqual([400, 'unknown-access-key'])
  })

  it('is made when the registry is away, without being passed on', async () => {
    cores().platform.stopAnswering()
    const key = await keyOf(a())
    expect(gist(await pollOf(a(), key))).toEqual([201, 'NEED_SIGNIN'])
    expect(gist(await pollOf(b(), key))).toEqual([503, 'platform-unavailable'])
    cores().platform.stopAnswering(false)
    expect(gist(await pollOf(b(), key))).toEqual([400, 'unknown-access-key'])
  })

  it('counts towards the limit of its core only', async () => {
    for (let n = 0; n < 9; n++) await askFor(a())
    const opened = a().node.accessRequests.list().map(({ key }) => a().node.accessRequests.open(key))
    expect(opened).toHaveLength(8)
    expect(gist(await askFor(a()))).toEqual([429, 'too-many-requests'])
    expect((await askFor(b())).status).toBe(201)
    for (const { key, outcome } of opened) if (outcome === undefined) await post(a(), key, { status: 'REFUSED' })
  })

  it('is not described to clients, nor to the operator', async () => {
    const key = await keyOf(b())
    const path = `${b().url}system/access-requests/${key}`
    expect(gist(await request(path))).toEqual([404, 'unknown-resource'])
    expect(gist(await request(path, { token: ADMIN_KEY }))).toEqual([403, 'forbidden'])
  })
})

describe('the consent check for an account of another core', () => {
  const choice = { consent: { allowUserChoice: true, mandatory: ['heart'] } }
  const read = { streamId: 'heart', level: 'read' }
  const write = { streamId: 'diary', level: 'contribute' }
  const asked = (more: Json = choice): Json => ({ requestedPermissions: [heart, { streamId: 'diary', level: 'contribute', defaultName: 'Diary' }], ...more })

  it('accepts an access within the form', async () => {
    const key = await keyOf(a(), asked())
    expect(gist(await post(a(), key, accepted(await granted([read]))))).toEqual([200, 'ACCEPTED'])
  })

  const refused: [name: string, permissions: Json[], data: Json][] = [
    ['with more than the form', [read, { streamId: 'rate', level: 'read' }], { reason: 'not-subset', offending: [{ streamId: 'rate', level: 'read' }] }],
    ['without a mandatory permission', [write], { reason: 'mandatory-refused' }],
  ]
  it.each(refused)('rejects an access %s', async (_, permissions, data) => {
    const key = await keyOf(a(), asked())
    const answer = await post(a(), key, accepted(await granted(permissions)))
    expect(answer).toMatchObject({ status: 400, body: { error: { id: 'invalid-consent-grant', data } } })
    expect(gist(await pollOf(a(), key))).toEqual([201, 'NEED_SIGNIN'])
  })

  it('rejects an access without a permission that narrows another one', async () => {
    const rate = { streamId: 'rate', level: 'create-only' }
    const key = await keyOf(a(), { requestedPermissions: [read, rate], consent: { allowUserChoice: true } })
    const answer = await post(a(), key, accepted(await granted([read])))
    expect(answer).toMatchObject({ status: 400, body: { error: { id: 'invalid-consent-grant', data: { reason: 'not-subset', offending: [rate] } } } })
    expect(gist(await post(a(), key, accepted(await granted([read, rate]))))).toEqual([200, 'ACCEPTED'])
  })

  it('rejects tokens that the core of the account rejects, and other accesses', async () => {
    const key = await keyOf(a(), asked())
    const expired = await granted([read], { expireAfter: 0 })
    const shared = await granted([read], { type: 'shared' })
    const reasons = []
    for (const token of ['made-up', expired, personal, shared]) reasons.push((Object((await post(a(), key, accepted(token))).body['error']) as { data: Json }).data['reason'])
    expect(reasons).toEqual(['token-invalid', 'token-invalid', 'not-app-access', 'not-app-access'])
    const nobody = await post(a(), key, { ...accepted('made-up'), username: 'nobody-here' })
    expect(nobody.body).toMatchObject({ error: { data: { reason: 'token-invalid' } } })
  })

  it('asks the core that the platform names, never the posted address', async () => {
    let calls = 0
    const elsewhere = createServer((_, response) => response.end(String((calls += 1))))
    await new Promise<void>((done) => elsewhere.listen(0, '127.0.0.1', done))
    const key = await keyOf(a(), asked())
    const apiEndpoint = `http://made-up@127.0.0.1:${(elsewhere.address() as AddressInfo).port}/ana-there/`
    expect(gist(await post(a(), key, accepted('made-up', { apiEndpoint })))).toEqual([400, 'invalid-consent-grant'])
    elsewhere.close()
    expect(calls).toBe(0)
  })

  const answers: [name: string, status: number, body: Json, reason: string][] = [
    ['401', 401, {}, 'token-invalid'],
    ['403 without a body', 403, {}, 'token-invalid'],
    ['404 of the interface', 404, { error: { id: 'unknown-resource' } }, 'token-invalid'],
    ['404 of a proxy', 404, {}, 'core-unreachable'],
    ['421', 421, { error: { id: 'wrong-core', coreUrl: 'https://nowhere.example.org/' } }, 'core-unreachable'],
    ['500', 500, { error: { id: 'unexpected-error' } }, 'core-unreachable'],
    ['200 with another body', 200, { status: 'ok' }, 'core-unreachable'],
  ]
  it.each(answers)('reports an answer of the core: %s', async (_, status, body, reason) => {
    const server: Server = createServer((_request, response) => void response.writeHead(status).end(JSON.stringify(body)))
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    const username = `of-core-c-${status}-${Object.keys(body).length}`
    cores().platform.setCore('core-c', { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, state: 'active' })
    cores().platform.setHolder({ field: 'username', value: username }, { core: 'core-c', account: username })
    const key = await keyOf(a(), asked())
    const answer = await post(a(), key, { ...accepted('made-up'), username })
    server.close()
    expect(answer.body).toMatchObject({ error: { data: { reason } } })
    expect(gist(answer)).toEqual(reason === 'token-invalid' ? [400, 'invalid-consent-grant'] : [503, 'consent-check-unavailable'])
    expect(gist(await pollOf(a(), key))).toEqual([201, 'NEED_SIGNIN'])
  })

  it('is unavailable when the core cannot be reached, is unknown, or the registry is away', async () => {
    const { platform } = cores()
    platform.setCore('core-d', { url: 'http://127.0.0.1:1/', state: 'active' })
    platform.setHolder({ field: 'username', value: 'of-core-d' }, { core: 'core-d', account: 'd' })
    platform.setHolder({ field: 'username', value: 'of-no-core' }, { core: 'core-e', account: 'e' })
    platform.setHolder({ field: 'username', value: 'not-asked' }, { core: 'core-d', account: 'f' })
    const key = await keyOf(a(), asked())
    const reasonOf = async (username: string): Promise<unknown> => (await post(a(), key, { ...accepted('made-up'), username })).body
    expect(await reasonOf('of-core-d')).toMatchObject({ error: { id: 'consent-check-unavailable', data: { reason: 'core-unreachable' } } })
    expect(await reasonOf('of-no-core')).toMatchObject({ error: { id: 'consent-check-unavailable', data: { reason: 'core-unresolvable' } } })
    platform.stopAnswering()
    expect(await reasonOf('not-asked')).toMatchObject({ error: { id: 'consent-check-unavailable', data: { reason: 'core-unresolvable' } } })
  })
})

describe('the hand-off of a token of another core', () => {
  const asked = { credentialHandoff: 'shared-secret' }

  it('stores a secret at the core of the account, which is read there once', async () => {
    const key = await keyOf(a(), asked)
    const token = await granted([{ streamId: 'heart', level: 'read' }])
    const { status, body } = await post(a(), key, accepted(token))
    expect({ status, keys: Object.keys(body).sort() }).toEqual({ status: 200, keys: ['apiEndpoint', 'handoff', 'status', 'username'] })
    expect(body['apiEndpoint']).toBe(`${b().url}ana-there/`)
    const redeem = (): Promise<Answer> => request(`${b().url}ana-there/shared-secrets/retrieve`, { body: { key: (body['handoff'] as Json)['key'] } })
    expect(await redeem()).toMatchObject({ status: 200, body: { secret: { username: 'ana-there', token } } })
    expect((await redeem()).status).toBe(403)
  })

  it('falls back to the token where secrets are forbidden, the token is refused, or the core is unknown', async () => {
    cores().platform.setHolder({ field: 'username', value: 'of-no-core' }, { core: 'core-e', account: 'e' })
    const forbidden = await granted([{ streamId: 'heart', level: 'read' }, { feature: 'secretSharing', setting: 'forbidden' }])
    for (const posted of [accepted(forbidden), accepted('made-up'), { ...accepted('made-up'), username: 'of-no-core' }]) {
      const key = await keyOf(a(), asked)
      expect(await post(a(), key, posted)).toMatchObject({ status: 200, body: { token: posted['token'] } })
    }
  })
})

describe('the page of a request of another core', () => {
  async function consentingAt(core: TestNode, key: string): Promise<Visitor> {
    const browser = visitor(core)
    await browser.open(`/web/authorize?key=${key}&lang=en`)
    await browser.submit({ name: 'ana-there', password: 'correct horse' })
    return browser
  }

  it('shows it at the core of the account, and grants the access there', async () => {
    const key = await keyOf(a(), { returnURL: 'https://app.example/back', consent: { allowUserChoice: true }, credentialHandoff: 'shared-secret' })
    const browser = await consentingAt(b(), key)
    expect(browser.page).toMatchObject({ status: 200, path: `/web/authorize?key=${key}&lang=en` })
    expect(browser.page.text).toContain('heart-watch')
    const page = await browser.submit({ ...accept, grant: ['heart'] })
    expect(page.text).toContain('The app now has access to the account ana-there')
    expect(page.html).toContain('https://app.example/back?prYvpoll=')
    const { status, body } = await pollOf(a(), key)
    expect({ status, state: body['status'], username: body['username'] }).toEqual({ status: 200, state: 'ACCEPTED', username: 'ana-there' })
    const secret = await request(`${b().url}ana-there/shared-secrets/retrieve`, { body: { key: (body['handoff'] as Json)['key'] } })
    const { token, apiEndpoint } = secret.body['secret'] as { token: string; apiEndpoint: string }
    expect(apiEndpoint).toBe(`${b().url.replace('://', `://${token}@`)}ana-there/`)
    expect((await request(`${b().url}ana-there/events?streams=heart`, { token })).status).toBe(200)
  })

  it('refuses it, and shows one that was answered elsewhere as answered', async () => {
    const key = await keyOf(a())
    const browser = await consentingAt(b(), key)
    const consent = browser.page
    expect((await browser.submit(refuse)).text).toContain('refused')
    expect(gist(await pollOf(a(), key))).toEqual([403, 'REFUSED'])
    browser.page = consent
    expect((await browser.submit(accept)).path).toContain('/web/done')
    expect(gist(await pollOf(a(), key))).toEqual([403, 'REFUSED'])
  })

  it('can be answered again when the answer of the core of the request was lost', async () => {
    const key = await keyOf(a(), { requestingAppId: 'granted-once' })
    const browser = await consentingAt(b(), key)
    const { call } = b().node.coreCalls
    const losing: typeof call = async (core, asked) => {
      const answer = await call(core, asked)
      return asked.verb === 'POST' ? { status: 0, cause: 'timeout' } : answer
    }
    Object.assign(b().node.coreCalls, { call: losing })
    const page = await browser.submit(accept)
    Object.assign(b().node.coreCalls, { call })
    // The core of the request has accepted the answer, which the page does not know.
    expect(page.path).toContain('/web/done')
    const { status, body } = await pollOf(a(), key)
    expect({ status, state: body['status'] }).toEqual({ status: 200, state: 'ACCEPTED' })
    expect((await request(`${b().url}ana-there/access-info`, { token: String(body['token']) })).status).toBe(200)
  })

  it('can be answered again when the answer did not reach the core of the request', async () => {
    const key = await keyOf(a(), { requestingAppId: 'granted-later' })
    const browser = await consentingAt(b(), key)
    const { call } = b().node.coreCalls
    const failing: typeof call = (core, asked) => (asked.verb === 'POST' ? Promise.resolve({ status: 0, cause: 'timeout' }) : call(core, asked))
    Object.assign(b().node.coreCalls, { call: failing })
    expect((await browser.submit(accept)).status).toBe(503)
    Object.assign(b().node.coreCalls, { call })
    expect(gist(await pollOf(a(), key))).toEqual([201, 'NEED_SIGNIN'])
    expect((await browser.submit(accept)).path).toContain('/web/done')
    const { body } = await request(`${b().url}ana-there/accesses`, { token: personal })
    expect((body['accesses'] as Json[]).filter(({ name }) => name === 'granted-later')).toHaveLength(1)
    expect(gist(await pollOf(a(), key))).toEqual([200, 'ACCEPTED'])
  })
})

it('tokens of copies of requests are secrets', async () => {
  const { findRequest } = await import('../../../../src/server/api/accessRequests/copies.js')
  const key = await keyOf(a(), { token: 'fixed-token' })
  const copy = await findRequest(b().node, key)
  expect(copy).toMatchObject({ key, heldBy: 'core-a', requestingAppId: 'heart-watch' })
  expect(copy.token).toBeInstanceOf(Secret)
  expect(JSON.stringify(copy)).not.toContain('fixed-token')
})
