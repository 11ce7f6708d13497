/**
 * Calls with a delegate token: their audit records, and the calls that require a login of the owner
 * (docs/interface/delegations.md#delegate-tokens, docs/interface/mfa.md, docs/interface/registration.md#deletion-of-accounts).
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { sessionExpiry } from '../../../../src/store/accesses/accesses.js'
import { auditParts, auditRecord, auditValue } from '../../../../src/store/model/auditRecord.js'
import { markerOf } from '../../../../src/store/model/delegation.js'
import { actFor, DELEGATE, grantManaged } from '../../../support/people/delegatedAccess.js'
import { contentOf, recordsOf } from '../../../support/people/audit.js'
import { fakeClock } from '../../../support/nodes/clock.js'
import { testMailer } from '../../../support/services/mail.js'
import { request, startTestNode, type Answer, type TestNode } from '../../../support/nodes/node.js'
import { callThrough, newStage, type Transport, type Stage } from '../../../support/http/methodTable.js'
import { ask, errorOf, share } from '../../../support/people/shares.js'
import { callsOf, password } from '../../../support/people/totp.js'

const all = [{ streamId: '*', level: 'manage' }]
const caller = { delegateUsername: DELEGATE.username, delegateHostSlug: DELEGATE.hostSlug }
const genuine = { status: 403, body: { error: { id: 'delegation-genuine-login-required' } } }
const mail = testMailer()
const clock = fakeClock()

let node: TestNode
let s: Stage
beforeAll(async () => {
  const settings = { 'auth.trustedApps': '*@*', 'user-account.delete': ['personalToken'], 'auth.passwordResetPageURL': 'https://example.org/reset' }
  node = await startTestNode(settings, { mail, clock })
})
afterAll(() => node.stop())
beforeEach(async () => {
  s = await newStage(node)
})

describe('the audit record of a call', () => {
  const streamOf = (id: string): string[] => [`:_audit:access-${id}`]

  it.each<Transport>(['http', 'form', 'batch', 'socket'])('contains the delegate who made it (%s)', async (transport) => {
    const delegate = await grantManaged(s, 'delegate-pat')
    const control = await grantManaged(s, 'control')
    const app = await share(s, { type: 'app', permissions: all }, delegate.token)
    const child = await share(s, { permissions: [{ streamId: '*', level: 'read' }] }, app.token)
    for (const { id, token } of [delegate, control, app, child]) {
      await callThrough(transport, s, token, 'streams.create', { id: `by-${id}`, name: id })
      await callThrough(transport, s, token, 'events.get', {})
      await callThrough(transport, s, token, 'events.getOne', { id: 'none' })
      const records = await recordsOf(s, streamOf(id))
      expect(records.length).toBeGreaterThanOrEqual(3)
      for (const { content } of records) expect([content['action'], content['delegation']]).toEqual([content['action'], caller])
    }
  })

  it('contains the delegate of a call refused for an expired access', async () => {
    const app = await share(s, { type: 'app', permissions: all, expireAfter: 10 }, await actFor(s))
    expect((await ask(s, app.token, 'GET', '/events')).status).toBe(200)
    clock.pass(10)
    expect((await ask(s, app.token, 'GET', '/events')).status).toBe(403)
    const [, refused] = await recordsOf(s, streamOf(app.id))
    expect(refused).toMatchObject({ type: expect.stringContaining('error') as string, content: { id: 'forbidden', delegation: caller } })
  })

  it('omits the delegate for calls by the owner, an app or an internal access of a delegation', async () => {
    const others = [await share(s, { type: 'app', permissions: all }), await grantManaged(s, 'notify'), await grantManaged(s, 'invite-capability')]
    for (const { id, token } of others) {
      await ask(s, token, 'GET', '/events')
      expect(contentOf((await recordsOf(s, streamOf(id)))[0])).not.toHaveProperty('delegation')
    }
    await actFor(s)
    const own = (await recordsOf(s, [':_audit:action-accesses.create']))[0]
    expect(contentOf(own)).not.toHaveProperty('delegation')
  })

  it('is found by a query for the username of the delegate', async () => {
    const delegate = await grantManaged(s, 'delegate-pat')
    await ask(s, delegate.token, 'GET', '/events')
    await ask(s, s.owner, 'GET', '/events')
    const query = `&content=${encodeURIComponent(JSON.stringify([{ path: 'delegation.delegateUsername', eq: DELEGATE.username }]))}`
    const found = await recordsOf(s, [':_audit:action-events.get'], query)
    expect(found.length).toBeGreaterThanOrEqual(1)
    for (const { content } of found) expect(content['delegation']).toEqual(caller)
  })

  it('stores names compactly and decodes names with special characters', () => {
    const call = { access: 'a:3', action: 'events.get', isFailure: false }
    for (const name of ['ada', 'a"b', 'a\\', '\t', '{', '],["', '\u2028é', '']) {
      const encoded = auditValue({ ...call, delegate: { username: name, hostSlug: `${name}x` } }, '{"a":1}')
      const event = JSON.parse(auditRecord('x', 1, encoded) ?? '') as { content: unknown }
      expect(event.content).toEqual({ a: 1, delegation: { delegateUsername: name, delegateHostSlug: `${name}x` } })
    }
    expect(auditValue({ ...call, delegate: DELEGATE }, '{"a":1}')).toBe('+a:3\tevents.get\t["ada-king","example-org"]\t{"a":1}')
  })

  it('decodes the former format without a delegate, and rejects damaged values', () => {
    expect(auditParts('-a\tevents.get\t{"a":"\\t[]"}')).toEqual({ isFailure: true, access: 'a', action: 'events.get', content: '{"a":"\\t[]"}' })
    for (const damaged of ['+a\tb\t["x"]\t{}', '+a\tb\t["x","y"]{}', '+a\tb\t[1,2]\t{}', '+a\tb\t["x","y"]\t', 'a\tb\t{}']) {
      expect(auditParts(damaged)).toBeUndefined()
    }
  })
})

describe('a delegate', () => {
  it('can neither activate nor deactivate a second factor, with any proof', async () => {
    const token = await actFor(s)
    const calls = callsOf(node, { username: s.username, token })
    for (const proof of [{}, { password }, { password: 'wrong' }, { method: 'none' }]) {
      expect(await calls.activate(proof)).toMatchObject(genuine)
      if (!('method' in proof)) expect(await calls.deactivate(proof)).toMatchObject(genuine)
    }
    const app = await s.app([{ streamId: '*', level: 'manage' }])
    expect(errorOf(await calls.activate({}, app)).id).toBe('forbidden')
    // The owner still may: no failed attempt was counted.
    expect((await calls.activate({}, s.owner)).status).toBe(302)
    expect((await calls.deactivate({ password }, s.owner)).status).toBe(200)
  })

  it('cannot delete the account', async () => {
    const remove = (token: string): Promise<Answer> => request(`${node.url}users/${s.username}`, { method: 'DELETE', token })
    const delegate = await actFor(s)
    expect(await remove(delegate)).toMatchObject(genuine)
    expect((await ask(s, delegate, 'GET', '/events')).status).toBe(200)
    expect((await remove(s.owner)).status).toBe(200)
  })
})

describe('the session of a delegate', () => {
  const logIn = (appId: string): Promise<Answer> =>
    request(`${node.url}${s.username}/auth/login`, { body: { username: s.username, password, appId } })

  it('has the permissions of a session of the owner', async () => {
    const token = await actFor(s)
    expect((await ask(s, token, 'POST', '/streams', { id: 'heart', name: 'Heart' })).status).toBe(201)
    const event = await ask(s, token, 'POST', '/events', { streamIds: ['heart'], type: 'note/txt', content: 'x' })
    expect(event.status).toBe(201)
    expect((await ask(s, token, 'GET', '/events')).body).toEqual({ ...(await ask(s, s.owner, 'GET', '/events')).body, meta: expect.anything() as unknown })
    for (const path of ['/account', '/profile/private', '/followed-slices', '/webhooks', '/accesses']) {
      expect([path, (await ask(s, token, 'GET', path)).status]).toEqual([path, 200])
    }
  })

  it('ends on logout, and its access remains', async () => {
    const { token, id } = await grantManaged(s, 'delegate-pat')
    expect((await ask(s, token, 'POST', '/auth/logout', {})).status).toBe(200)
    expect((await ask(s, token, 'GET', '/access-info')).status).toBe(403)
    const { access } = await s.arrange('accesses.getOne', { id })
    expect(access).toMatchObject({ clientData: { delegation: { kind: 'delegate-pat' } } })
  })

  it('cannot be taken over by a login, during or after the session', async () => {
    const { token } = await grantManaged(s, 'delegate-pat')
    const name = `delegation:${DELEGATE.username}@${DELEGATE.hostSlug}`
    expect(await logIn(name)).toMatchObject({ status: 400, body: { error: { id: 'invalid-operation' } } })
    await ask(s, token, 'POST', '/auth/logout', {})
    expect((await logIn(name)).status).toBe(400)
    expect((await ask(s, token, 'GET', '/access-info')).status).toBe(403)
    expect((await logIn('any-app')).status).toBe(200)
  })

  it('ends on a password reset, and its access remains for the delegation', async () => {
    const { token, id } = await grantManaged(s, 'delegate-pat')
    const app = await share(s, { type: 'app', permissions: all }, token)
    await request(`${node.url}${s.username}/account/request-password-reset`, { body: { appId: 'any-app' } })
    const resetToken = mail.sent.at(-1)?.substitutions['RESET_TOKEN']
    const body = { appId: 'any-app', resetToken, newPassword: 'battery staple' }
    expect((await request(`${node.url}${s.username}/account/reset-password`, { body })).status).toBe(200)
    expect((await ask(s, token, 'GET', '/access-info')).status).toBe(403)
    expect((await ask(s, app.token, 'GET', '/access-info')).status).toBe(200)
    const { account } = (await node.node.accounts.find(s.username)) ?? {}
    expect(sessionExpiry(node.node.store.db, account?.prefix ?? '', id)).toBeUndefined()
    const newLogin = await request(`${node.url}${s.username}/auth/login`, { body: { username: s.username, password: 'battery staple', appId: 'any-app' } })
    const { body: one } = await ask(s, String(newLogin.body['token']), 'GET', `/accesses/${id}`)
    expect(markerOf(one['access'] as never)?.kind).toBe('delegate-pat')
  })
})
