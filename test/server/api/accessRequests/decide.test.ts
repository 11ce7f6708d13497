/** What pages post: shapes, consent forms, hand-offs, delegated grants (docs/interface/access-requests.md#decision). */
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
const handed = { status: 'ACCEPTED', username: 'alice', apiEndpoint: 'https://host.example/alice/', handoff }
const invited = { cmcInvites: [{ capabilityUrl: 'https://x.example/c' }, { capabilityUrl: 'https://y.example/c' }] }

describe('a post', () => {
  const refused: [name: string, asked: Json, posted: unknown][] = [
    ['nothing', {}, {}],
    ['another status', {}, { ...accepted, status: 'NEED_SIGNIN' }],
    ['a status of another case', {}, { ...accepted, status: 'accepted' }],
    ['no username', {}, { ...accepted, username: undefined }],
    ['an empty username', {}, { ...accepted, username: '' }],
    ['no token', {}, { ...accepted, token: undefined }],
    ['an empty token', {}, { ...accepted, token: '' }],
    ...['username', 'token', 'apiEndpoint', 'reasonId', 'message', 'redirectUrl'].flatMap((name): [string, Json, unknown][] => [
      [`${name} that is a number`, {}, { ...accepted, [name]: 5 }],
      [`${name} that is an object`, {}, { ...accepted, [name]: {} }],
      [`${name} that is null`, {}, { ...accepted, [name]: null }],
    ]),
    ['another kind of page to go to', {}, { status: 'REDIRECTED', redirectUrl: 'javascript:alert(1)' }],
    ['delegation on a refusal', {}, { status: 'REFUSED', delegation: hint }],
    ['delegation of another account', {}, { ...accepted, delegation: { ...hint, controlledUsername: 'carol' } }],
    ['delegation with more', {}, { ...accepted, delegation: { ...hint, more: 1 } }],
    ['delegation that is false', {}, { ...accepted, delegation: { ...hint, isDelegatedAccess: false } }],
    ['delegation by nobody', {}, { ...accepted, delegation: { ...hint, delegate: {} } }],
    ['delegation by a long name', {}, { ...accepted, delegation: { ...hint, delegate: { username: 'x'.repeat(257) } } }],
    ['delegation that is a list', {}, { ...accepted, delegation: [hint] }],
    ['a hand-off that was not asked for', {}, handed],
    ['a hand-off and a token', { credentialHandoff: 'shared-secret' }, { ...handed, token: 'x' }],
    ['a hand-off of another type', { credentialHandoff: 'shared-secret' }, { ...handed, handoff: { ...handoff, type: 'x' } }],
    ['a hand-off with more', { credentialHandoff: 'shared-secret' }, { ...handed, handoff: { ...handoff, more: 1 } }],
    ['a hand-off without key', { credentialHandoff: 'shared-secret' }, { ...handed, handoff: { type: 'shared-secret' } }],
    ['a hand-off with a malformed key', { credentialHandoff: 'shared-secret' }, { ...handed, handoff: { ...handoff, key: 'a.b.c' } }],
    ['a hand-off with user information', { credentialHandoff: 'shared-secret' }, { ...handed, apiEndpoint: 'https://t@host.example/alice/' }],
    ['a hand-off with ?auth=', { credentialHandoff: 'shared-secret' }, { ...handed, apiEndpoint: 'https://host.example/alice/?auth=t' }],
    ['a hand-off with no address', { credentialHandoff: 'shared-secret' }, { ...handed, apiEndpoint: 'alice' }],
    ['a hand-off for a consent form', { credentialHandoff: 'shared-secret', consent: {} }, handed],
    ['a hand-off by a delegate', { credentialHandoff: 'shared-secret' }, { ...handed, delegation: hint }],
    ['a hand-off on a refusal', { credentialHandoff: 'shared-secret' }, { status: 'REFUSED', handoff }],
    ['invitations that there were none of', {}, { ...accepted, cmcInvites: [{ declined: true }] }],
    ['fewer invitations', invited, { ...accepted, cmcInvites: [{ declined: true }] }],
    ['invitations with more', invited, { ...accepted, cmcInvites: [{ declined: true, more: 1 }, { reason: 'x' }] }],
    ['invitations that are half declined', invited, { ...accepted, cmcInvites: [{ declined: false }, { reason: 'x' }] }],
    ['an empty reason', invited, { ...accepted, cmcInvites: [{ declined: true }, { reason: '' }] }],
    ['invitations on a refusal', invited, { status: 'REFUSED', cmcInvites: [{ declined: true }, { declined: true }] }],
  ]
  it.each(refused)('is refused with %s, and leaves the request as it is', async (_, asked, posted) => {
    const key = await keyOf(node(), asked)
    const before = (await pollOf(node(), key)).body
    const answer = await post(node(), key, posted)
    expect(gist(answer)).toEqual([400, 'invalid-parameters'])
    expect(answer.body).toHaveProperty('meta')
    expect((await pollOf(node(), key)).body).toEqual({ ...before, meta: expect.any(Object) as object })
  })

  const outcomes = [{ acceptEventId: 'e', dataGrantAccessId: 'a', acceptedFor: 'self' }, { reason: 'x'.repeat(256) }]
  it.each([
    ['delegation', {}, { ...accepted, delegation: hint }],
    ['outcomes of invitations', invited, { ...accepted, cmcInvites: outcomes }],
    ['a hand-off', { credentialHandoff: 'shared-secret' }, handed],
    ['an acceptance alone', {}, accepted],
  ])('of %s is answered and polled as it is', async (_, asked, posted) => {
    const key = await keyOf(node(), asked)
    for (const { status, body } of [await post(node(), key, posted), await pollOf(node(), key)]) {
      expect([status, body]).toEqual([200, posted])
    }
  })

  it('takes delegation: null as not sent', async () => {
    const key = await keyOf(node())
    expect((await post(node(), key, { ...accepted, delegation: null, handoff: null })).body).toEqual(accepted)
  })

  it('gives the token where a hand-off was asked for, with a line in the log that does not hold it', async () => {
    const key = await keyOf(node(), { credentialHandoff: 'shared-secret' })
    node().logged.length = 0
    expect((await post(node(), key, { ...accepted, token: 'very-secret-token' })).body).toMatchObject({ token: 'very-secret-token' })
    expect(node().logged.filter((line) => line.includes('hand-off requested'))).toHaveLength(1)
    expect(node().logged.join('')).not.toContain('very-secret')
  })

  it('asks for a known status before it tells of the key, and for a known key before all else', async () => {
    expect(gist(await post(node(), 'A'.repeat(16), { status: 'x' }))).toEqual([400, 'invalid-parameters'])
    expect(gist(await post(node(), 'A'.repeat(16), { status: 'ACCEPTED', username: 5 }))).toEqual([400, 'unknown-access-key'])
  })

  it('names a reason where the page names none', async () => {
    const key = await keyOf(node())
    const { body } = await post(node(), key, { status: 'REFUSED' })
    expect(body).toEqual({ status: 'REFUSED', reasonId: 'REASON_UNDEFINED', reasonID: 'REASON_UNDEFINED', message: '' })
  })

  it('that is too large leaves the request as it is', async () => {
    const key = await keyOf(node())
    const answer = await post(node(), key, { status: 'REFUSED', message: 'x'.repeat(16_384) })
    expect(gist(answer)).toEqual([413, 'payload-too-large'])
    expect(gist(await pollOf(node(), key))).toEqual([201, 'NEED_SIGNIN'])
    expect(gist(await post(node(), key, accepted))).toEqual([200, 'ACCEPTED'])
  })

  it('of anything is refused or understood, and never breaks', async () => {
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
    ['all of it', choice, [read, change]],
    ['all of it but what is left to the user', choice, [read]],
    ['all or nothing', {}, [read, change]],
    ['a mandatory part without choice', { mandatory: ['heart'] }, [change, read]],
    ['a permission twice', choice, [read, read]],
  ])('is met by %s', async (_, consent, permissions) => {
    const s = await newStage(node())
    const key = await keyOf(node(), form(consent))
    expect(gist(await post(node(), key, await granted(s, permissions)))).toEqual([200, 'ACCEPTED'])
  })

  const mismatches: [name: string, consent: Json, permissions: Json[], data: Json][] = [
    ['without what is mandatory', choice, [change], { reason: 'mandatory-refused', offending: [read] }],
    ['in part, where it is all or nothing', {}, [read], { reason: 'choice-not-allowed', offending: [change] }],
    ['with more', choice, [read, { streamId: 'x', level: 'read' }], { reason: 'not-subset', offending: [{ streamId: 'x', level: 'read' }] }],
    ['at a lower level', choice, [read, { streamId: 'diary', level: 'read' }], { reason: 'not-subset', offending: [{ streamId: 'diary', level: 'read' }] }],
    ['with nothing', { allowUserChoice: true }, [], { reason: 'empty-grant' }],
  ]
  it.each(mismatches)('is not met %s; corrected, it is', async (_, consent, permissions, data) => {
    const s = await newStage(node())
    const key = await keyOf(node(), form(consent))
    const answer = await post(node(), key, await granted(s, permissions))
    expect(gist(answer)).toEqual([400, 'invalid-consent-grant'])
    expect(answer.body).toMatchObject({ error: { data } })
    expect(gist(await pollOf(node(), key))).toEqual([201, 'NEED_SIGNIN'])
    const right = await granted(s, [read, change], { name: 'again' })
    expect(gist(await post(node(), key, right))).toEqual([200, 'ACCEPTED'])
  })

  it('is not met by leaving out what narrows another permission', async () => {
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

  it('refuses a shared access, and one that is over', async () => {
    const s = await newStage(node())
    const key = await keyOf(node(), form(choice))
    const shared = await share(s, { permissions: [read] })
    const over = await granted(s, [read], { expireAfter: 0 })
    const posts = [{ ...over, token: shared.token }, over]
    const reasons = []
    for (const each of posts) reasons.push((await post(node(), key, each)).body)
    expect(reasons).toMatchObject([{ error: { data: { reason: 'not-app-access' } } }, { error: { data: { reason: 'token-invalid' } } }])
  })

  it('cannot be taken away or replaced by who posts', async () => {
    const s = await newStage(node())
    const key = await keyOf(node(), form(choice))
    const wrong = await granted(s, [change])
    for (const consent of [null, {}, { allowUserChoice: true, permissions: [change] }]) {
      const answer = await post(node(), key, { ...wrong, consent, requestedPermissions: [diary] })
      expect(gist(answer)).toEqual([400, 'invalid-consent-grant'])
    }
    expect((await pollOf(node(), key)).body).toMatchObject({ consent: { allowUserChoice: true, permissions: [{ streamId: 'heart', mandatory: true }, { optIn: true }] } })
  })

  it('is what makes tokens be looked at: without one, any is taken', async () => {
    const key = await keyOf(node())
    expect(gist(await post(node(), key, { status: 'ACCEPTED', username: 'nobody-here', token: 'made-up' }))).toEqual([200, 'ACCEPTED'])
  })

  it('says when it could not be looked at', async () => {
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

describe('of many who answer at once', () => {
  it('one is heard', async () => {
    const key = await keyOf(node())
    const all = await Promise.all(Array.from({ length: 50 }, (_, n) => post(node(), key, { ...accepted, token: `token-${n}` })))
    const heard = all.filter(({ status }) => status === 200)
    expect(heard).toHaveLength(1)
    expect((await pollOf(node(), key)).body).toEqual(heard[0]?.body)
  })

  it('one is heard on a consent form too', async () => {
    const s = await newStage(node())
    const permissions = [{ streamId: 'heart', level: 'read' }]
    const tokens = []
    for (let n = 0; n < 20; n++) tokens.push((await share(s, { type: 'app', name: `app-${n}`, permissions })).token)
    const key = await keyOf(node(), { consent: {} })
    const all = await Promise.all(tokens.map((token) => post(node(), key, { status: 'ACCEPTED', username: s.username, token })))
    expect(all.map(gist).filter(([status]) => status === 200)).toHaveLength(1)
  })
})

describe('what passes through requests', () => {
  it('is nowhere in the files of the node, nor in its log', async () => {
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
