/** Decisions that pages post: shapes, consent forms, hand-offs, delegated grants (docs/interface/access-requests.md#decision). */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { diary, gist, heart, keyOf, pollOf, post } from '../../../support/people/accessRequests.js'
import { newStage, type Stage } from '../../../support/http/methodTable.js'
import { share } from '../../../support/people/shares.js'
import { withNode } from '../../../support/nodes/started.js'

type Json = Record<string, unknown>
const node = withNode()
const accepted = { status: 'ACCEPTED', username: 'alice', token: 'the-token', apiEndpoint: 'https://the-token@host.example/alice/' }
const hint = { isDelegatedAccess: true, controlledUsername: 'alice', delegate: { username: 'bob', hostSlug: 'host' } }
const handoff = { type: 'shared-secret', key: `an-event.${'a'.repeat(32)}` }
const handedOff = { status: 'ACCEPTED', username: 'alice', apiEndpoint: 'https://host.example/alice/', handoff }
const invited = { cmcInvites: [{ capabilityUrl: 'https://x.example/c' }, { capabilityUrl: 'https://y.example/c' }] }

describe('posting a decision', () => {
  const rejected: [name: string, requested: Json, posted: unknown][] = [
    ['an empty object', {}, {}],
    ['a status that pages may not set', {}, { ...accepted, status: 'NEED_SIGNIN' }],
    ['a status in lower case', {}, { ...accepted, status: 'accepted' }],
    ['no username', {}, { ...accepted, username: undefined }],
    ['an empty username', {}, { ...accepted, username: '' }],
    ['no token', {}, { ...accepted, token: undefined }],
    ['an empty token', {}, { ...accepted, token: '' }],
    ...['username', 'token', 'apiEndpoint', 'reasonId', 'message', 'redirectUrl'].flatMap((name): [string, Json, unknown][] => [
      [`${name} that is a number`, {}, { ...accepted, [name]: 5 }],
      [`${name} that is an object`, {}, { ...accepted, [name]: {} }],
      [`${name} that is null`, {}, { ...accepted, [name]: null }],
    ]),
    ['a redirect to a javascript: URL', {}, { status: 'REDIRECTED', redirectUrl: 'javascript:alert(1)' }],
    ['a delegation with a refusal', {}, { status: 'REFUSED', delegation: hint }],
    ['a delegation of another account', {}, { ...accepted, delegation: { ...hint, controlledUsername: 'carol' } }],
    ['a delegation with an unknown field', {}, { ...accepted, delegation: { ...hint, more: 1 } }],
    ['a delegation with isDelegatedAccess: false', {}, { ...accepted, delegation: { ...hint, isDelegatedAccess: false } }],
    ['a delegation without a delegate name', {}, { ...accepted, delegation: { ...hint, delegate: {} } }],
    ['a delegation with an overlong delegate name', {}, { ...accepted, delegation: { ...hint, delegate: { username: 'x'.repeat(257) } } }],
    ['a delegation that is a list', {}, { ...accepted, delegation: [hint] }],
    ['a hand-off that was not requested', {}, handedOff],
    ['a hand-off together with a token', { credentialHandoff: 'shared-secret' }, { ...handedOff, token: 'x' }],
    ['a hand-off of another type', { credentialHandoff: 'shared-secret' }, { ...handedOff, handoff: { ...handoff, type: 'x' } }],
    ['a hand-off with an unknown field', { credentialHandoff: 'shared-secret' }, { ...handedOff, handoff: { ...handoff, more: 1 } }],
    ['a hand-off without key', { credentialHandoff: 'shared-secret' }, { ...handedOff, handoff: { type: 'shared-secret' } }],
    ['a hand-off with a malformed key', { credentialHandoff: 'shared-secret' }, { ...handedOff, handoff: { ...handoff, key: 'a.b.c' } }],
    ['a hand-off with credentials in the endpoint', { credentialHandoff: 'shared-secret' }, { ...handedOff, apiEndpoint: 'https://t@host.example/alice/' }],
    ['a hand-off with ?auth= in the endpoint', { credentialHandoff: 'shared-secret' }, { ...handedOff, apiEndpoint: 'https://host.example/alice/?auth=t' }],
    ['a hand-off with an endpoint that is no URL', { credentialHandoff: 'shared-secret' }, { ...handedOff, apiEndpoint: 'alice' }],
    ['a hand-off for a consent form', { credentialHandoff: 'shared-secret', consent: {} }, handedOff],
    ['a hand-off by a delegate', { credentialHandoff: 'shared-secret' }, { ...handedOff, delegation: hint }],
    ['a hand-off with a refusal', { credentialHandoff: 'shared-secret' }, { status: 'REFUSED', handoff }],
    ['outcomes of invitations for a request without invitations', {}, { ...accepted, cmcInvites: [{ declined: true }] }],
    ['fewer outcomes than invitations', invited, { ...accepted, cmcInvites: [{ declined: true }] }],
    ['an outcome with an unknown field', invited, { ...accepted, cmcInvites: [{ declined: true, more: 1 }, { reason: 'x' }] }],
    ['an outcome with declined: false', invited, { ...accepted, cmcInvites: [{ declined: false }, { reason: 'x' }] }],
    ['an outcome with an empty reason', invited, { ...accepted, cmcInvites: [{ declined: true }, { reason: '' }] }],
    ['outcomes of invitations with a refusal', invited, { status: 'REFUSED', cmcInvites: [{ declined: true }, { declined: true }] }],
  ]
  it.each(rejected)('rejects %s, and leaves the request unchanged', async (_, requested, posted) => {
    const key = await keyOf(node(), requested)
    const before = (await pollOf(node(), key)).body
    const answer = await post(node(), key, posted)
    expect(gist(answer)).toEqual([400, 'invalid-parameters'])
    expect(answer.body).toHaveProperty('meta')
    expect((await pollOf(node(), key)).body).toEqual({ ...before, meta: expect.any(Object) as object })
  })

  const outcomes = [{ acceptEventId: 'e', dataGrantAccessId: 'a', acceptedFor: 'self' }, { reason: 'x'.repeat(256) }]
  it.each([
    ['a delegation', {}, { ...accepted, delegation: hint }],
    ['outcomes of invitations', invited, { ...accepted, cmcInvites: outcomes }],
    ['a hand-off', { credentialHandoff: 'shared-secret' }, handedOff],
    ['an acceptance without more fields', {}, accepted],
  ])('returns %s unchanged, in the answer and in polls', async (_, requested, posted) => {
    const key = await keyOf(node(), requested)
    for (const { status, body } of [await post(node(), key, posted), await pollOf(node(), key)]) {
      expect([status, body]).toEqual([200, posted])
    }
  })

  it('treats delegation: null and handoff: null as absent', async () => {
    const key = await keyOf(node())
    expect((await post(node(), key, { ...accepted, delegation: null, handoff: null })).body).toEqual(accepted)
  })

  it('returns the token inline despite a requested hand-off, and logs that without the token', async () => {
    const key = await keyOf(node(), { credentialHandoff: 'shared-secret' })
    node().logged.length = 0
    expect((await post(node(), key, { ...accepted, token: 'very-secret-token' })).body).toMatchObject({ token: 'very-secret-token' })
    expect(node().logged.filter((line) => line.includes('hand-off requested'))).toHaveLength(1)
    expect(node().logged.join('')).not.toContain('very-secret')
  })

  it('checks the status first, then the key, then the other fields', async () => {
    expect(gist(await post(node(), 'A'.repeat(16), { status: 'x' }))).toEqual([400, 'invalid-parameters'])
    expect(gist(await post(node(), 'A'.repeat(16), { status: 'ACCEPTED', username: 5 }))).toEqual([400, 'unknown-access-key'])
  })

  it('adds a default reason to a refusal without reason', async () => {
    const key = await keyOf(node())
    const { body } = await post(node(), key, { status: 'REFUSED' })
    expect(body).toEqual({ status: 'REFUSED', reasonId: 'REASON_UNDEFINED', reasonID: 'REASON_UNDEFINED', message: '' })
  })

  it('rejects a body over the size limit, and leaves the request unchanged', async () => {
    const key = await keyOf(node())
    const answer = await post(node(), key, { status: 'REFUSED', message: 'x'.repeat(16_384) })
    expect(gist(answer)).toEqual([413, 'payload-too-large'])
    expect(gist(await pollOf(node(), key))).toEqual([201, 'NEED_SIGNIN'])
    expect(gist(await post(node(), key, accepted))).toEqual([200, 'ACCEPTED'])
  })

  it('rejects arbitrary JSON with 400, and leaves the request unchanged', async () => {
    const key = await keyOf(node())
    const values = fc.oneof(fc.jsonValue(), fc.constantFrom('ACCEPTED', 'REFUSED', '', hint, handoff))
    const names = fc.constantFrom('username', 'token', 'apiEndpoint', 'handoff', 'delegation', 'cmcInvites', '__proto__', 'key')
    const bodies = fc.dictionary(names, values).map((body) => ({ ...body, status: 'ACCEPTED', token: 5 }))
    await fc.assert(
      fc.asyncProperty(fc.oneof(bodies, fc.jsonValue()), async (body) => {
        const { status } = await post(node(), key, body === undefined ? {} : JSON.stringify(body))
        expect(status).toBe(400)
      }),
      { numRuns: 200 },
    )
    expect(gist(await pollOf(node(), key))).toEqual([201, 'NEED_SIGNIN'])
  })
})

describe('a consent form', () => {
  const read = { streamId: 'heart', level: 'read' }
  const change = { streamId: 'diary', level: 'contribute' }
  const granted = async (s: Stage, permissions: Json[], more: Json = {}): Promise<Json> => {
    const { token } = await share(s, { type: 'app', name: 'heart-watch', permissions, ...more })
    return { status: 'ACCEPTED', username: s.username, token }
  }
  const choice = { allowUserChoice: true, mandatory: ['heart'], optIn: ['diary'] }
  const form = (consent: Json): Json => ({ requestedPermissions: [heart, diary], consent })

  it.each([
    ['all permissions', choice, [read, change]],
    ['all permissions but an optional one', choice, [read]],
    ['all permissions of a form without choice', {}, [read, change]],
    ['all permissions of a form without choice that marks one as mandatory', { mandatory: ['heart'] }, [change, read]],
    ['a repeated permission', choice, [read, read]],
  ])('is satisfied by %s', async (_, consent, permissions) => {
    const s = await newStage(node())
    const key = await keyOf(node(), form(consent))
    expect(gist(await post(node(), key, await granted(s, permissions)))).toEqual([200, 'ACCEPTED'])
  })

  const mismatches: [name: string, consent: Json, permissions: Json[], data: Json][] = [
    ['without a mandatory permission', choice, [change], { reason: 'mandatory-refused', offending: [read] }],
    ['with only some permissions of a form without choice', {}, [read], { reason: 'choice-not-allowed', offending: [change] }],
    ['with an extra permission', choice, [read, { streamId: 'x', level: 'read' }], { reason: 'not-subset', offending: [{ streamId: 'x', level: 'read' }] }],
    ['with a permission at a lower level', choice, [read, { streamId: 'diary', level: 'read' }], { reason: 'not-subset', offending: [{ streamId: 'diary', level: 'read' }] }],
    ['without any permission', { allowUserChoice: true }, [], { reason: 'empty-grant' }],
  ]
  it.each(mismatches)('rejects an access %s, and accepts a corrected one', async (_, consent, permissions, data) => {
    const s = await newStage(node())
    const key = await keyOf(node(), form(consent))
    const answer = await post(node(), key, await granted(s, permissions))
    expect(gist(answer)).toEqual([400, 'invalid-consent-grant'])
    expect(answer.body).toMatchObject({ error: { data } })
    expect(gist(await pollOf(node(), key))).toEqual([201, 'NEED_SIGNIN'])
    const right = await granted(s, [read, change], { name: 'again' })
    expect(gist(await post(node(), key, right))).toEqual([200, 'ACCEPTED'])
  })

  it('rejects an access without a permission that narrows another one', async () => {
    const s = await newStage(node())
    await s.arrange('streams.create', { id: 'heart', name: 'Heart' })
    await s.arrange('streams.create', { id: 'rate', name: 'Rate', parentId: 'heart' })
    const rate = { streamId: 'rate', level: 'create-only' }
    const key = await keyOf(node(), { requestedPermissions: [read, rate], consent: { allowUserChoice: true } })
    const answer = await post(node(), key, await granted(s, [read]))
    expect(answer.body).toMatchObject({ error: { id: 'invalid-consent-grant', data: { reason: 'not-subset', offending: [rate] } } })
  })

  it.each([
    ['a made-up token', (s: Stage) => ({ username: s.username, token: 'made-up' }), 'token-invalid'],
    ['an unknown account', () => ({ username: 'nobody-here', token: 'made-up' }), 'token-invalid'],
    ['a personal token', (s: Stage) => ({ username: s.username, token: s.owner }), 'not-app-access'],
  ])('refuses %s', async (_, by, reason) => {
    const s = await newStage(node())
    const key = await keyOf(node(), form(choice))
    const answer = await post(node(), key, { status: 'ACCEPTED', ...by(s) })
    expect(gist(answer)).toEqual([400, 'invalid-consent-grant'])
    expect(answer.body).toMatchObject({ error: { data: { reason } } })
    expect(JSON.stringify(answer.body)).not.toContain('made-up')
  })

  it('refuses a shared access and an expired access', async () => {
    const s = await newStage(node())
    const key = await keyOf(node(), form(choice))
    const shared = await share(s, { permissions: [read] })
    const expired = await granted(s, [read], { expireAfter: 0 })
    const posts = [{ ...expired, token: shared.token }, expired]
    const reasons = []
    for (const each of posts) reasons.push((await post(node(), key, each)).body)
    expect(reasons).toMatchObject([{ error: { data: { reason: 'not-app-access' } } }, { error: { data: { reason: 'token-invalid' } } }])
  })

  it('cannot be removed or replaced by a posted decision', async () => {
    const s = await newStage(node())
    const key = await keyOf(node(), form(choice))
    const wrong = await granted(s, [change])
    for (const consent of [null, {}, { allowUserChoice: true, permissions: [change] }]) {
      const answer = await post(node(), key, { ...wrong, consent, requestedPermissions: [diary] })
      expect(gist(answer)).toEqual([400, 'invalid-consent-grant'])
    }
    expect((await pollOf(node(), key)).body).toMatchObject({ consent: { allowUserChoice: true, permissions: [{ streamId: 'heart', mandatory: true }, { optIn: true }] } })
  })

  it('is required for tokens to be checked: without a form, any token is accepted', async () => {
    const key = await keyOf(node())
    expect(gist(await post(node(), key, { status: 'ACCEPTED', username: 'nobody-here', token: 'made-up' }))).toEqual([200, 'ACCEPTED'])
  })

  it('answers 503 when reading the account fails, and accepts a retry', async () => {
    const s = await newStage(node())
    const key = await keyOf(node(), form(choice))
    const right = await granted(s, [read])
    const { accounts } = node().node
    const find = accounts.find
    Object.assign(accounts, { find: () => Promise.reject(new Error('the disk is gone')) })
    const answer = await post(node(), key, right)
    Object.assign(accounts, { find })
    expect(gist(answer)).toEqual([503, 'consent-check-unavailable'])
    expect(answer.body).toMatchObject({ error: { data: { reason: 'storage-error' } } })
    expect(gist(await post(node(), key, right))).toEqual([200, 'ACCEPTED'])
  })
})

describe('concurrent decisions', () => {
  it('succeed exactly once', async () => {
    const key = await keyOf(node())
    const all = await Promise.all(Array.from({ length: 50 }, (_, n) => post(node(), key, { ...accepted, token: `token-${n}` })))
    const successes = all.filter(({ status }) => status === 200)
    expect(successes).toHaveLength(1)
    expect((await pollOf(node(), key)).body).toEqual(successes[0]?.body)
  })

  it('succeed exactly once for a request with a consent form', async () => {
    const s = await newStage(node())
    const permissions = [{ streamId: 'heart', level: 'read' }]
    const tokens = []
    for (let n = 0; n < 20; n++) tokens.push((await share(s, { type: 'app', name: `app-${n}`, permissions })).token)
    const key = await keyOf(node(), { consent: {} })
    const all = await Promise.all(tokens.map((token) => post(node(), key, { status: 'ACCEPTED', username: s.username, token })))
    expect(all.map(gist).filter(([status]) => status === 200)).toHaveLength(1)
  })
})

describe('secrets in access requests', () => {
  it('appear neither in the files of the node nor in its log', async () => {
    const key = await keyOf(node(), { token: 'fixed-needle', clientData: { a: 'data-needle' } })
    await post(node(), key, { ...accepted, token: 'token-needle', apiEndpoint: 'https://token-needle@x.example/' })
    await post(node(), key, { ...accepted, token: 'other-needle' })
    await pollOf(node(), key)
    await node().node.store.db.flush()
    const { home } = node().places
    const files = (await readdir(home, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile())
    expect(files.length).toBeGreaterThan(3)
    const texts = await Promise.all(files.map((file) => readFile(join(file.parentPath, file.name), 'latin1')))
    for (const text of [...texts, node().logged.join('\n')]) {
      expect(text.includes('needle')).toBe(false)
      expect(text.includes(key)).toBe(false)
    }
  })
})
