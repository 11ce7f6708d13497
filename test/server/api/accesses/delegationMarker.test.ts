/**
 * Methods of accesses with delegations: docs/interface/delegations.md#delegate-tokens,
 * docs/interface/delegations.md#reserved-items.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Permission } from '../../../../src/store/model/access.js'
import { methods } from '../../../../src/server/api/methods.js'
import { actFor, DELEGATE, grantManaged, managedKinds, RELATION } from '../../../support/people/delegatedAccess.js'
import { startTestNode, type Answer, type TestNode } from '../../../support/nodes/node.js'
import { callThrough, describeMethod, newStage, type Transport, type Stage } from '../../../support/http/methodTable.js'
import { ask, errorOf, share, type Share } from '../../../support/people/shares.js'

const on = (streamId: string, level: string): Permission => ({ streamId, level }) as Permission
const all = [on('*', 'manage')]
const marker = (viaAccessId: string): unknown => ({ kind: 'delegated-child', relId: RELATION, delegate: DELEGATE, viaAccessId })
const forged = { delegation: marker('cforged00000000000000001') }
const dataOf = (access: unknown): Record<string, unknown> | undefined =>
  (access as { clientData?: Record<string, unknown> }).clientData
const transports: Transport[] = ['http', 'form', 'batch', 'socket']

let node: TestNode
let s: Stage
beforeAll(async () => {
  node = await startTestNode()
})
afterAll(() => node.stop())
beforeEach(async () => {
  s = await newStage(node)
})

const refusal = ({ status, body }: Pick<Answer, 'status' | 'body'>): unknown[] => {
  const { id, data } = (body['error'] ?? {}) as { id?: string; data?: { id?: string } }
  return [status, id, data?.id]
}
const MANAGED = [400, 'invalid-operation', 'delegation-managed-resource']
const FORBIDDEN = [400, 'invalid-operation', 'delegation-clientdata-forbidden']

const refused = { gives: [400, 'invalid-operation'] as [400, 'invalid-operation'], data: { id: 'delegation-clientdata-forbidden' } }
const inputWith = (clientData: unknown): Record<string, unknown> => ({ name: 'forger', type: 'app', permissions: all, clientData })

describeMethod('accesses.create', [
  { it: 'refuses a forged marker', send: inputWith(forged), ...refused },
  { it: 'refuses null as a marker', send: inputWith({ delegation: null }), ...refused },
  { it: 'refuses any other value as a marker', send: inputWith({ delegation: 'x', a: 1 }), ...refused },
  { it: 'refuses a forged marker from an app', as: all, send: { ...inputWith(forged), type: 'shared' }, ...refused },
  { it: 'adds no marker to an access that the owner creates', send: inputWith({ a: 1 }), gives: 201, then: ({ access }) => expect(dataOf(access)).toEqual({ a: 1 }) },
])

describeMethod('accesses.update', [
  ...([forged, { delegation: null }, { delegation: { kind: 'control' } }].map((clientData) => ({
    it: `refuses ${JSON.stringify(clientData)} for an access without marker`,
    given: async (stage: Stage) => ({ id: (await share(stage, { permissions: all })).id, update: { clientData } }),
    ...refused,
  }))),
])

describe('an access created by a delegate', () => {
  let delegate: { token: string; id: string }
  let app: Share
  beforeEach(async () => {
    delegate = await grantManaged(s, 'delegate-pat')
    app = await share(s, { type: 'app', permissions: all, clientData: { a: 1 } }, delegate.token)
  })
  const update = (by: string, id: string, body: unknown): Promise<Answer> => ask(s, by, 'PUT', `/accesses/${id}`, body)

  it.each(transports)('has a marker that names the delegate (%s)', async (transport) => {
    const { status, body } = await callThrough(transport, s, delegate.token, 'accesses.create', { name: `by ${transport}`, permissions: all })
    expect([status, dataOf(body['access'])]).toEqual([201, { delegation: marker(delegate.id) }])
  })

  it('has its own client data beside the marker', () => {
    expect(app['clientData']).toEqual({ a: 1, delegation: marker(delegate.id) })
  })

  it('passes the marker on to accesses that it creates', async () => {
    const child = await share(s, { permissions: [on('*', 'read')] }, app.token)
    expect(child['clientData']).toEqual({ delegation: marker(app.id) })
  })

  it('has the same marker after every update, by owner and delegate', async () => {
    const updates = [{ clientData: null }, { clientData: {} }, { clientData: { delegation: null } }, { clientData: { b: 2 } }, { name: 'other' }]
    let { id } = app
    for (const [at, by] of [s.owner, delegate.token].flatMap((token) => updates.map((body) => [body, token] as const)).entries()) {
      const [body, token] = by
      const { status, body: answer } = await update(token, id, body)
      const changed = answer['access'] as Share
      expect([at, status, dataOf(changed)?.['delegation']]).toEqual([at, 200, marker(delegate.id)])
      ;({ id } = changed)
    }
    expect(await update(s.owner, id, { clientData: { b: 3 } })).toMatchObject({ body: { access: { clientData: { b: 3, delegation: marker(delegate.id) } } } })
  })

  it.each([[forged], [{ delegation: {} }], [{ delegation: 'none' }], [{ delegation: false }]])('refuses another marker: %j', async (clientData) => {
    for (const token of [s.owner, delegate.token]) expect(refusal(await update(token, app.id, { clientData }))).toEqual(FORBIDDEN)
    expect((await s.arrange('accesses.getOne', { id: app.id }))['access']).toMatchObject({ clientData: { delegation: marker(delegate.id) } })
  })

  it('cannot be updated by apps', async () => {
    const child = await share(s, { permissions: [on('*', 'read')] }, app.token)
    for (const id of [app.id, child.id]) expect(errorOf(await update(app.token, id, { name: 'x' })).id).toBe('removed-method')
  })

  it.each(['owner', 'delegate', 'app'])('is deleted by its %s, with the accesses shared by it', async (who) => {
    const child = await share(s, { permissions: [on('*', 'read')] }, app.token)
    const token = { owner: s.owner, delegate: delegate.token, app: app.token }[who] ?? ''
    const { status, body } = await ask(s, token, 'DELETE', `/accesses/${app.id}`)
    expect([status, body['relatedDeletions']]).toEqual([200, [{ id: child.id }]])
    for (const deleted of [app, child]) expect((await ask(s, deleted.token, 'GET', '/access-info')).status).toBe(403)
  })

  it('is matched by check-app regardless of its marker, also for the owner', async () => {
    await share(s, { type: 'app', name: 'bare-app', permissions: all }, delegate.token)
    await share(s, { type: 'app', name: 'empty-app', permissions: all, clientData: {} }, delegate.token)
    const check = async (token: string, requestingAppId: string, clientData?: unknown): Promise<string | undefined> => {
      const body = { requestingAppId, requestedPermissions: all, ...(clientData === undefined ? {} : { clientData }) }
      const { body: answer } = await ask(s, token, 'POST', '/accesses/check-app', body)
      return Object.keys(answer).find((key) => key.endsWith('Access'))
    }
    for (const token of [s.owner, delegate.token]) {
      expect(await check(token, app.name, { a: 1 })).toBe('matchingAccess')
      expect(await check(token, app.name, { a: 1, delegation: marker('x') })).toBe('matchingAccess')
      expect(await check(token, app.name, { a: 2 })).toBe('mismatchingAccess')
      expect(await check(token, app.name)).toBe('mismatchingAccess')
      for (const name of ['bare-app', 'empty-app']) {
        for (const none of [undefined, null, {}]) expect([name, none, await check(token, name, none)]).toEqual([name, none, 'matchingAccess'])
        expect(await check(token, name, { a: 1 })).toBe('mismatchingAccess')
      }
    }
  })

  it('leaves accesses of the owner without marker', async () => {
    const own = await share(s, { type: 'app', permissions: all })
    expect(own).not.toHaveProperty('clientData')
    const changed = await update(delegate.token, own.id, { name: 'renamed by the delegate' })
    expect([changed.status, dataOf(changed.body['access'])]).toEqual([200, undefined])
  })
})

describe('accesses managed by delegations', () => {
  /** Returns a token of each kind of caller. */
  async function tokens(): Promise<[string, string][]> {
    const delegate = await actFor(s)
    const app = await share(s, { type: 'app', permissions: all })
    const shared = await share(s, { permissions: all })
    const child = await share(s, { type: 'app', permissions: all }, delegate)
    const createOnly = await share(s, { type: 'app', permissions: [on('*', 'create-only')] })
    return Object.entries({ owner: s.owner, delegate, app: app.token, shared: shared.token, child: child.token, createOnly: createOnly.token })
  }

  it('cannot be updated or deleted by any caller, themselves included', async () => {
    const callers = await tokens()
    for (const kind of managedKinds.filter((each) => each !== 'delegate-pat')) callers.push([kind, (await grantManaged(s, kind)).token])
    const { accesses } = await s.arrange('accesses.get', {})
    const managed = (accesses as Share[]).filter((each) => managedKinds.some((kind) => kind === (dataOf(each)?.['delegation'] as { kind?: string } | undefined)?.kind))
    expect(managed).toHaveLength(4)
    for (const { id, name } of managed) {
      for (const [who, token] of callers) {
        const answers = [
          await ask(s, token, 'DELETE', `/accesses/${id}`),
          await ask(s, token, 'PUT', `/accesses/${id}`, { name: 'mine' }),
          await ask(s, token, 'PUT', `/accesses/${id}`, { clientData: null }),
          await ask(s, token, 'PUT', `/accesses/${id}:3`, { permissions: all }),
        ]
        expect([who, name, ...answers.map(refusal)]).toEqual([who, name, MANAGED, MANAGED, MANAGED, MANAGED])
      }
    }
    const unused = ({ lastUsed: _, ...access }: Share): unknown => access
    const remaining = (await s.arrange('accesses.get', {}))['accesses'] as Share[]
    expect(remaining.map(unused)).toEqual((accesses as Share[]).map(unused))
  })

  it.each(transports)('are protected over every transport (%s)', async (transport) => {
    const { id } = await grantManaged(s, 'control')
    for (const [method, params] of [['accesses.delete', { id }], ['accesses.update', { id, update: { name: 'x' } }]] as const) {
      expect(refusal(await callThrough(transport, s, s.owner, method, params))).toEqual(MANAGED)
    }
  })

  it('are listed for owner and delegate, but not for apps', async () => {
    for (const kind of managedKinds) await grantManaged(s, kind)
    const kinds = async (token: string): Promise<unknown[]> => {
      const { body } = await ask(s, token, 'GET', '/accesses')
      return (body['accesses'] as Share[]).flatMap((each) => (dataOf(each)?.['delegation'] as { kind?: string } | undefined)?.kind ?? [])
    }
    const delegate = ((await s.arrange('accesses.get', {}))['accesses'] as Share[]).find(({ name }) => name.startsWith('delegation:'))
    expect((await kinds(s.owner)).sort()).toEqual([...managedKinds].sort())
    expect((await kinds(delegate?.token ?? '')).sort()).toEqual([...managedKinds].sort())
    expect(await kinds(await s.app(all))).toEqual([])
  })

  it('hide from a delegate the tokens of the owner and of other delegates', async () => {
    const { token, id } = await grantManaged(s, 'delegate-pat')
    const control = await grantManaged(s, 'control')
    const app = await share(s, { type: 'app', permissions: all })
    const secrets = [s.owner, control.token]
    const listed = await ask(s, token, 'GET', '/accesses?includeExpired=true&includeDeletions=true')
    expect([app.token, token].every((each) => JSON.stringify(listed.body).includes(each))).toBe(true)
    const owners = (listed.body['accesses'] as Share[]).find(({ name }) => name === 'test-app')
    expect(owners).toMatchObject({ type: 'personal', apiEndpoint: expect.stringMatching(/^http:\/\/[^@]*$/) as string })
    const answers = [listed]
    for (const each of [owners?.id, control.id, id]) answers.push(await ask(s, token, 'GET', `/accesses/${each}?includeHistory=true`))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    for (const { body } of answers) expect(secrets.filter((secret) => JSON.stringify(body).includes(secret))).toEqual([])
    expect(JSON.stringify(await s.arrange('accesses.get', {}))).toContain(control.token)
  })

  it('can neither read nor write data', async () => {
    await s.arrange('streams.create', { id: 'heart', name: 'Heart' })
    await s.arrange('events.create', { streamIds: ['heart'], type: 'note/txt', content: 'x' })
    const bare = await share(s, { permissions: [] })
    const calls = ['/events', '/events?streams=["heart"]', '/streams', '/accesses', '/account', '/webhooks', '/followed-slices', '/profile/private']
    const posts: [string, unknown][] = [
      ['/events', { streamIds: ['heart'], type: 'note/txt', content: 'x' }],
      ['/streams', { id: 'new', name: 'New' }],
      ['/accesses', { name: 'x', permissions: all }],
    ]
    const responsesTo = async ({ token, id }: { token: string; id: string }): Promise<unknown[]> => {
      const answers = [...(await Promise.all(calls.map((path) => ask(s, token, 'GET', path)))), ...(await Promise.all(posts.map(([path, body]) => ask(s, token, 'POST', path, body))))]
      return answers.map(({ status, body: { meta: _, ...body } }) => [status, JSON.stringify(body).replaceAll(id, '<id>')])
    }
    const withoutRights = await responsesTo(bare)
    expect(withoutRights.slice(0, 2)).toMatchObject([[200, '{"events":[]}'], [403, expect.anything()]])
    // Every access may read the audit log of its own calls.
    expect(withoutRights[2]).toEqual([200, expect.stringMatching(/^{"streams":\[{"id":":_audit:access-<id>"[^{]*}\]}$/)])
    for (const kind of ['invite-capability', 'control', 'notify'] as const) {
      expect([kind, ...(await responsesTo(await grantManaged(s, kind)))]).toEqual([kind, ...withoutRights])
    }
  })
})

describe('access-info', () => {
  const info = async (token: string): Promise<Record<string, unknown>> => (await ask(s, token, 'GET', '/access-info')).body

  it('names the controlled account to a delegate', async () => {
    const expected = { isDelegatedAccess: true, controlledUsername: s.username, delegate: DELEGATE }
    const delegate = await info(await actFor(s))
    expect(delegate).toMatchObject({ type: 'personal', user: { username: s.username } })
    expect(delegate['delegation']).toEqual(expected)
    expect(delegate).not.toHaveProperty('permissions')
  })

  it('describes the delegation to accesses derived from it, directly or indirectly', async () => {
    const app = await share(s, { type: 'app', permissions: all, randomAlias: true }, await actFor(s))
    const child = await share(s, { permissions: [on('*', 'read')] }, app.token)
    const expected = { isDelegatedAccess: true, controlledUsername: s.username, delegate: DELEGATE, grantedVia: 'app' }
    for (const { token } of [app, child]) expect((await info(token))['delegation']).toEqual(expected)
  })

  it('describes the delegation to the control access, and to no other managed access', async () => {
    const control = await grantManaged(s, 'control')
    expect((await info(control.token))['delegation']).toEqual({ kind: 'control', controlledUsername: s.username, delegate: DELEGATE })
    const others = [s.owner, await s.app(all), (await grantManaged(s, 'notify')).token, (await grantManaged(s, 'invite-capability')).token]
    for (const token of others) expect(await info(token)).not.toHaveProperty('delegation')
  })

  it('names the account by its current user name', async () => {
    const delegate = await actFor(s)
    const renamed = `${s.username}-renamed`
    await s.arrange('account.changeUsername', { newUsername: renamed })
    const { body } = await ask({ node, username: renamed }, delegate, 'GET', '/access-info')
    expect(body['delegation']).toMatchObject({ controlledUsername: renamed })
  })
})

it('client data of other items may use the key of the marker', async () => {
  await s.arrange('streams.create', { id: 'heart', name: 'Heart', clientData: { delegation: 1 } })
  const { stream } = await s.arrange('streams.update', { id: 'heart', update: { clientData: { delegation: 2 } } })
  expect(stream).toMatchObject({ clientData: { delegation: 2 } })
})

it('the method definitions list the failure of managed accesses', () => {
  const fails = (id: string): readonly string[] => methods.find((method) => method.id === id)?.fails ?? []
  expect(fails('accesses.delete')).toContain('invalid-operation')
  expect(fails('accesses.update')).toContain('invalid-operation')
})
