/** Life cycle of an access request, from its creation to its end (docs/interface/access-requests.md). */
import { describe, expect, it } from 'vitest'
import { fakeClock } from '../../../support/nodes/clock.js'
import { APP, askFor, gist, heart, keyOf, pollOf, post } from '../../../support/people/accessRequests.js'
import { request } from '../../../support/nodes/node.js'
import { rawTarget } from '../../../support/http/rawRequest.js'
import { withNode } from '../../../support/nodes/started.js'

const accepted = { status: 'ACCEPTED', username: 'alice', token: 'the-token', apiEndpoint: 'https://the-token@host.example/alice/' }
const refused = { status: 'REFUSED', reasonId: 'USER_DENIED', message: 'not today' }

describe('an access request', () => {
  const clock = fakeClock()
  const node = withNode({}, { clock })

  it('is created with all fields of the specification', async () => {
    const { status, body } = await askFor(node())
    const key = String(body['key'])
    expect(status).toBe(201)
    expect(key).toMatch(/^[A-Za-z0-9_-]{16}$/)
    const poll = `${node().url}reg/access/${key}`
    const authUrl =
      `${node().url}web/authorize?lang=en&key=${key}&requestingAppId=${APP}&poll=${encodeURIComponent(poll)}` +
      `&poll_rate_ms=1000&serviceInfo=${encodeURIComponent(`${node().url}reg/service/info`)}`
    expect(body).toEqual({
      status: 'NEED_SIGNIN',
      key,
      url: authUrl,
      authUrl,
      poll,
      poll_rate_ms: 1000,
      requestingAppId: APP,
      requestedPermissions: [heart],
      lang: 'en',
      serviceInfo: expect.objectContaining({ name: 'coffer' }) as object,
      meta: expect.any(Object) as object,
    })
  })

  it('returns the fields that were sent', async () => {
    const sent = {
      clientData: { a: { b: 1 } },
      returnURL: 'https://app.example/back?x=1 2',
      oauthState: 'a&b',
      deviceName: 'phone',
      expireAfter: 60,
      token: 'fixed',
      actAs: 'allow',
      serviceInfo: { name: 'Other' },
      credentialHandoff: 'shared-secret',
    }
    const { body } = await askFor(node(), { ...sent, languageCode: 'fr' })
    expect(body).toMatchObject({ ...sent, lang: 'fr' })
    const { status, body: polled } = await pollOf(node(), String(body['key']))
    expect(status).toBe(201)
    expect(polled).toEqual({ ...body, meta: expect.any(Object) as object })
    const query = new URL(String(body['authUrl'])).searchParams
    expect(query.get('returnURL')).toBe(sent.returnURL)
    expect(query.get('oauthState')).toBe('a&b')
    expect(query.has('token')).toBe(false)
  })

  it.each([{}, { clientData: null, returnURL: null, oauthState: null, token: null, expireAfter: null }])('omits absent fields from polls (%j)', async (nothing) => {
    const { body } = await pollOf(node(), await keyOf(node(), nothing))
    expect(Object.values(body)).not.toContain(null)
    for (const name of ['returnURL', 'oauthState', 'clientData', 'consent', 'deviceName', 'expireAfter', 'token', 'actAs', 'actAsManagedOnly', 'credentialHandoff', 'cmcInvites']) {
      expect(body).not.toHaveProperty(name)
    }
  })

  it('is accepted, and returns the token to every poll', async () => {
    const key = await keyOf(node())
    const posted = await post(node(), key, accepted)
    expect([posted.status, posted.body]).toEqual([200, accepted])
    for (let n = 0; n < 3; n++) {
      const polled = await pollOf(node(), key)
      expect([polled.status, polled.body]).toEqual([200, accepted])
    }
  })

  it.each(['REFUSED', 'ERROR'])('answers a decision of %s with 403', async (status) => {
    const key = await keyOf(node())
    const body = { ...refused, status, reasonID: 'USER_DENIED' }
    for (const answer of [await post(node(), key, { ...refused, status }), await pollOf(node(), key)]) {
      expect([answer.status, answer.body]).toEqual([403, body])
    }
  })

  it('returns the service information of the request, also after the decision', async () => {
    const key = await keyOf(node(), { serviceInfo: { name: 'Other' } })
    await post(node(), key, accepted)
    expect((await pollOf(node(), key)).body).toEqual({ ...accepted, serviceInfo: { name: 'Other' } })
  })

  it('can be redirected to another page, and decided there', async () => {
    const key = await keyOf(node())
    const redirectUrl = 'https://other.example/sign-in'
    expect(gist(await post(node(), key, { status: 'REDIRECTED', redirectUrl }))).toEqual([201, 'REDIRECTED'])
    const { status, body } = await pollOf(node(), key)
    expect([status, body]).toEqual([201, { status: 'REDIRECTED', redirectUrl, poll: `${node().url}reg/access/${key}` }])
    expect(gist(await post(node(), key, accepted))).toEqual([200, 'ACCEPTED'])
  })

  it('accepts one decision: an identical one is answered the same, a different one is refused', async () => {
    const key = await keyOf(node())
    await post(node(), key, accepted)
    const again = await post(node(), key, accepted)
    expect([again.status, again.body]).toEqual([200, accepted])
    for (const other of [{ ...accepted, token: 'other' }, refused, { status: 'REDIRECTED' }]) {
      expect(gist(await post(node(), key, other))).toEqual([400, 'invalid-operation'])
    }
    expect((await pollOf(node(), key)).body).toEqual(accepted)
  })

  it('gets an API endpoint if the page sends none', async () => {
    const key = await keyOf(node())
    const { body } = await post(node(), key, { status: 'ACCEPTED', username: 'alice', token: 'the-token' })
    expect(body).toEqual({ ...accepted, apiEndpoint: `${node().url.replace('://', '://the-token@')}alice/` })
  })

  it('keeps its poll URL when a decision carries fields of the request', async () => {
    const key = await keyOf(node(), { clientData: { a: 1 } })
    const { body: before } = await pollOf(node(), key)
    await post(node(), key, { status: 'REDIRECTED', requestedPermissions: [], consent: null, clientData: {}, key: 'other', expiresAt: 9e9, poll: 'x' })
    expect(await post(node(), key, { ...accepted, token: undefined })).toMatchObject({ status: 400 })
    const { body } = await pollOf(node(), key)
    expect(body['poll']).toBe(before['poll'])
  })

  it('expires after one hour, regardless of its expireAfter', async () => {
    const keys = [await keyOf(node()), await keyOf(node(), { expireAfter: 10 })]
    const decided = await keyOf(node())
    await post(node(), decided, accepted)
    clock.pass(3599)
    for (const key of keys) expect(gist(await pollOf(node(), key))).toEqual([201, 'NEED_SIGNIN'])
    clock.pass(1)
    for (const key of [...keys, decided]) {
      expect(gist(await pollOf(node(), key))).toEqual([400, 'unknown-access-key'])
      expect(gist(await post(node(), key, accepted))).toEqual([400, 'unknown-access-key'])
    }
  })

  it('is also served at the legacy routes', async () => {
    const body = { requestingAppId: APP, requestedPermissions: [] }
    const { status, body: made } = await request(`${node().url}access/`, { body })
    expect(status).toBe(201)
    const key = String(made['key'])
    expect(gist(await request(`${node().url}access/${key}`))).toEqual([201, 'NEED_SIGNIN'])
    expect(gist(await request(`${node().url}access/${key}`, { body: accepted }))).toEqual([200, 'ACCEPTED'])
  })

  it('is not found by an unknown key', async () => {
    for (const key of ['A'.repeat(16), 'x', '__proto__', 'constructor']) {
      expect(gist(await pollOf(node(), key))).toEqual([400, 'unknown-access-key'])
      expect(gist(await post(node(), key, accepted))).toEqual([400, 'unknown-access-key'])
    }
  })
})

describe('a decided request', () => {
  const clock = fakeClock()
  const node = withNode({}, { clock })

  it.each([accepted, refused])('expires two minutes after its first poll: $status', async (outcome) => {
    const key = await keyOf(node())
    await pollOf(node(), key)
    clock.pass(600)
    const { body } = await post(node(), key, outcome)
    clock.pass(600)
    expect((await pollOf(node(), key)).body).toEqual(body)
    clock.pass(119)
    expect((await pollOf(node(), key)).body).toEqual(body)
    clock.pass(1)
    expect(gist(await pollOf(node(), key))).toEqual([400, 'unknown-access-key'])
  })

  it('still expires one hour after its creation', async () => {
    const key = await keyOf(node())
    await post(node(), key, accepted)
    clock.pass(3590)
    const later = await keyOf(node())
    await post(node(), later, accepted)
    expect(gist(await pollOf(node(), later))).toEqual([200, 'ACCEPTED'])
    expect(gist(await pollOf(node(), key))).toEqual([200, 'ACCEPTED'])
    clock.pass(10)
    expect(gist(await pollOf(node(), key))).toEqual([400, 'unknown-access-key'])
    expect(gist(await pollOf(node(), later))).toEqual([200, 'ACCEPTED'])
  })
})

describe('a decided request with access.terminalRetentionMs: 0', () => {
  const clock = fakeClock()
  const node = withNode({ 'access.terminalRetentionMs': 0 }, { clock })

  it('expires one hour after its creation', async () => {
    const key = await keyOf(node())
    await post(node(), key, accepted)
    await pollOf(node(), key)
    clock.pass(3599)
    expect(gist(await pollOf(node(), key))).toEqual([200, 'ACCEPTED'])
    clock.pass(1)
    expect(gist(await pollOf(node(), key))).toEqual([400, 'unknown-access-key'])
  })
})

describe('with accounts addressed by host name', () => {
  const settings = { 'dnsLess.isActive': false, 'dns.domain': 'example.org', 'dnsLess.publicUrl': 'https://core.example.org' }
  const node = withNode(settings)

  it('a request is polled at the addresses of the service information', async () => {
    const { body } = await askFor(node())
    const key = String(body['key'])
    const { body: info } = await request(`${node().url}service/info`)
    expect(body['poll']).toBe(`${String(info['access'])}${key}`)
    expect(new URL(String(body['authUrl'])).searchParams.get('serviceInfo')).toBe(`${String(info['register'])}service/info`)
    const answer = await rawTarget(node().port, `/access/${key}`, ['Host: access.example.org'])
    expect(gist(answer)).toEqual([201, 'NEED_SIGNIN'])
    const posted = await request(`${node().url}reg/access/${key}`, { body: { ...accepted, apiEndpoint: undefined } })
    expect(posted.body).toMatchObject({ apiEndpoint: 'https://the-token@alice.example.org/' })
  })
})
