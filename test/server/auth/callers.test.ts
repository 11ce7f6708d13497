/** Each method accepts exactly the callers that it declares. */
import { readFileSync } from 'node:fs'
import { parse } from 'smol-toml'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { exampleOf } from '../../../src/server/api/reference/examples/examples.js'
import { callToken, withTrail, buildCall } from '../../../src/server/dispatch/call.js'
import { terminalCall } from '../../../src/server/dispatch/terminalCaller.js'
import { authenticate } from '../../../src/server/auth/authenticate.js'
import type { Call, Method, PlatformMethod, TokenMethod } from '../../../src/server/call/method.js'
import { methods } from '../../../src/server/api/methods.js'
import type { RawJson } from '../../../src/server/call/results.js'
import { putSession } from '../../../src/store/accesses/accesses.js'
import type { Access, Permission } from '../../../src/store/model/access.js'
import { Failure, type FailureId } from '../../../src/store/model/failure.js'
import { grantAccess } from '../../support/people/access.js'
import { fakeClock } from '../../support/nodes/clock.js'
import { makeAccount, request, startTestNode, type Answer, type TestNode } from '../../support/nodes/node.js'
import type { Node } from '../../../src/server/index.js'

type Json = Record<string, unknown>

/** The methods by the id of the caller that they declare. */
const declared: Readonly<Record<string, string>> = {
  anyAccess:
    'auth.logout callBatch events.addAttachment events.create events.delete events.deleteAttachment events.get events.getAttachment events.getOne events.preview events.summary events.update getAccessInfo profile.getPublic series.add series.batch series.get series.summary sharedSecrets.getOne streams.create streams.delete streams.get streams.summary streams.update webhooks.delete webhooks.get webhooks.getOne webhooks.test webhooks.update',
  dependsOnTarget: 'accesses.delete profile.get profile.update',
  personalOnly:
    'accesses.checkApp accesses.update account.changePassword account.changeUsername account.get account.update account.usernameChanges delegations.acceptAttach delegations.createAccount delegations.dismissControlled delegations.getToken delegations.listControlled delegations.listDelegates delegations.refuseAttach delegations.requestAttach devices.conflicts devices.get devices.history followedSlices.create followedSlices.delete followedSlices.get followedSlices.update profile.getPrivate profile.updatePrivate profile.updatePublic',
  genuineOnly: 'auth.endSessions auth.sessions delegations.cancelInvite delegations.detachDelegate devices.acceptPairing devices.cancelPairing devices.confirmPairing devices.delete devices.pairings devices.startPairing devices.update mfa.activate mfa.deactivate',
  appOnly: 'profile.getApp profile.updateApp',
  personalOrApp: 'accesses.create',
  notShared: 'accesses.getOne',
  notSharedUnlessCreateOnly: 'accesses.get',
  notPersonal: 'webhooks.create',
  withSecretSharing: 'sharedSecrets.create',
  inviteCapability: 'delegations.acceptComplete delegations.acceptResponse delegations.refuseResponse',
  delegationControl: 'delegations.issueToken delegations.release',
  delegationNotify: 'delegations.notifyDetach',
  adminKey:
    'invitations.get invitations.post metrics.get reg.deleteRecords reg.setRecords system.access system.certs system.checkPlatformIntegrity system.cores system.createUser system.deactivateMfa system.forceRenewCert system.mailTemplate system.mailTemplates system.removeMailTemplate system.removeMailTemplates system.renameServer system.sendTestMail system.serverUsers system.servers system.setMailTemplate system.unregisterUser system.updateUser system.user system.userInfo system.users system.validateUser',
  otherCore: 'system.accessRequest system.delegationCreateAccount system.delegationInvite',
  joinToken: 'system.ackCore',
  adminKeyOrOwner: 'auth.delete',
  anybody:
    'accessRequest.ask assets.css assets.definitions assets.eventTypes assets.favicon assets.signInButton assets.signInMessages assets.signInStyles auth.emailChallenge auth.register auth.ssoProviders oauth.metadata openapi reg.app reg.apps reg.checkEmail reg.checkInvitation reg.checkUsername reg.cores reg.hostings reg.serverOf reg.toServer reg.uidOf reg.usernameOf service.info service.info',
  trustedApp: 'account.requestPasswordReset',
  password: 'auth.login',
  recoveryCode: 'mfa.recover',
  mfaToken: 'mfa.challenge mfa.confirm mfa.verify',
  mailRecipient: 'account.resetPassword account.verifyEmail auth.emailChallengeVerify',
  requestKey: 'accessRequest.decide accessRequest.poll',
  secretKey: 'sharedSecrets.retrieve',
  oauthClient: 'oauth.token',
  browser: 'auth.ssoCallback auth.ssoStart oauth.authorize',
  consentPage: 'oauth.accept oauth.refuse',
  none: 'auth.whoAmI events.start events.stop reg.email.check reg.username.check',
}

it('every method declares its callers', () => {
  const found: Record<string, string[]> = {}
  for (const { id, caller } of methods) (found[caller.id] ??= []).push(id)
  expect(Object.fromEntries(Object.entries(found).map(([id, by]) => [id, by.sort().join(' ')]))).toEqual(declared)
})

const delegate = { username: 'bob', hostSlug: 'node-example' }
const diary: Permission[] = [{ streamId: 'diary', level: 'manage' }]
const forbidding: Permission[] = [...diary, { feature: 'webhooks', setting: 'forbidden' }, { feature: 'secretSharing', setting: 'forbidden' }]
const marked = (marker: Json): Partial<Access> => ({ type: 'shared', permissions: [], clientData: { delegation: { relId: 'r', ...marker } } })

/** An access of each kind that a rule distinguishes. */
const kinds = {
  personal: { type: 'personal' },
  delegate: { type: 'personal', clientData: { delegation: { kind: 'delegate-pat', relId: 'r', delegate } } },
  app: { type: 'app', permissions: diary },
  createOnlyApp: { type: 'app', permissions: [{ streamId: 'diary', level: 'create-only' }] },
  forbiddenApp: { type: 'app', permissions: forbidding },
  shared: { type: 'shared', permissions: diary },
  createOnlyShared: { type: 'shared', permissions: [{ streamId: 'diary', level: 'create-only' }] },
  forbiddenShared: { type: 'shared', permissions: forbidding },
  invite: marked({ kind: 'invite-capability' }),
  control: marked({ kind: 'control', delegate }),
  notify: marked({ kind: 'notify' }),
} satisfies Record<string, Partial<Access>>

type Kind = keyof typeof kinds
const allKinds = Object.keys(kinds) as Kind[]
const except = (...some: Kind[]): Kind[] => allKinds.filter((kind) => !some.includes(kind))

/** The kinds of access that each caller allows, and the failure of the others. */
const rules: Readonly<Record<string, { allows: readonly Kind[]; fails: FailureId }>> = {
  anyAccess: { allows: allKinds, fails: 'forbidden' },
  dependsOnTarget: { allows: allKinds, fails: 'forbidden' },
  personalOnly: { allows: ['personal', 'delegate'], fails: 'forbidden' },
  genuineOnly: { allows: ['personal'], fails: 'delegation-genuine-login-required' },
  appOnly: { allows: ['app', 'createOnlyApp', 'forbiddenApp'], fails: 'invalid-operation' },
  personalOrApp: { allows: ['personal', 'delegate', 'app', 'forbiddenApp'], fails: 'forbidden' },
  notShared: { allows: ['personal', 'delegate', 'app', 'createOnlyApp', 'forbiddenApp'], fails: 'forbidden' },
  notSharedUnlessCreateOnly: { allows: ['personal', 'delegate', 'app', 'createOnlyApp', 'forbiddenApp', 'createOnlyShared'], fails: 'forbidden' },
  notPersonal: { allows: except('personal', 'delegate', 'forbiddenApp', 'forbiddenShared'), fails: 'forbidden' },
  withSecretSharing: { allows: except('forbiddenApp', 'forbiddenShared'), fails: 'forbidden' },
  inviteCapability: { allows: ['invite'], fails: 'invalid-access-token' },
  delegationControl: { allows: ['control'], fails: 'invalid-access-token' },
  delegationNotify: { allows: ['notify'], fails: 'invalid-access-token' },
}

const notPersonal: Partial<Record<Kind, FailureId>> = Object.fromEntries(except('personal', 'delegate').map((kind) => [kind, 'forbidden']))
const ownDevices = ['acceptPairing', 'cancelPairing', 'confirmPairing', 'delete', 'pairings', 'startPairing', 'update']

/** Failures of a method that differ from those of its rule. Updates by apps were removed; second factors and devices are personal. */
const ownFailures: Readonly<Record<string, Partial<Record<Kind, FailureId>>>> = {
  'accesses.update': { app: 'removed-method', forbiddenApp: 'removed-method' },
  'auth.endSessions': notPersonal,
  'auth.sessions': notPersonal,
  'mfa.activate': notPersonal,
  'mfa.deactivate': notPersonal,
  ...Object.fromEntries(ownDevices.map((name) => [`devices.${name}`, notPersonal])),
}

/** Returns the failure of a method for a kind of access; undefined if the method accepts it. */
function refusalOf({ id, caller }: TokenMethod, kind: Kind): FailureId | undefined {
  const rule = rules[caller.id]
  if (rule === undefined) throw new Error(`no rule for ${caller.id}`)
  return rule.allows.includes(kind) ? undefined : (ownFailures[id]?.[kind] ?? rule.fails)
}

const tokenMethods = methods.filter((method): method is TokenMethod<Node> => method.scope === 'token')
const paramsOf = ({ id }: Method): unknown => (id === 'callBatch' ? [] : (exampleOf(id)?.params ?? {}))

const clock = fakeClock()
const calls = new Map<Kind, Call<Node>>()
let node: TestNode
let adminKey: string
let appToken: string
let expiredToken: string
beforeAll(async () => {
  node = await startTestNode({ 'metrics.active': true, 'sso.enabled': true }, { clock })
  adminKey = (parse(readFileSync(node.places.config, 'utf8')) as { auth: { adminAccessKey: string } }).auth.adminAccessKey
  const owner = await makeAccount(node, 'alice')
  await request(`${node.url}alice/streams`, { token: owner, body: { id: 'diary', name: 'Diary' } })
  expiredToken = (await grantAccess(node, 'alice', diary, { expires: clock.now() + 1 })).token
  appToken = (await grantAccess(node, 'alice', diary)).token
  clock.pass(2)
  const loaded = await node.node.accounts.find('alice')
  if (loaded === undefined) throw new Error('no account')
  for (const kind of allKinds) {
    const { permissions = [], ...more }: Partial<Access> = kinds[kind]
    const { token, id } = await grantAccess(node, 'alice', permissions, { ...more, name: kind })
    if (more.type === 'personal') await loaded.account.write((t) => putSession(t, id, clock.now() + 3600))
    calls.set(kind, buildCall(node.node, { transport: 'http', source: 'http', base: node.url }, loaded, authenticate(node.node, loaded, token)))
  }
})
afterAll(() => node.stop())

const callOf = (kind: Kind): Call<Node> => {
  const call = calls.get(kind)
  if (call === undefined) throw new Error(`no call of ${kind}`)
  return call
}

/** Returns the id of the failure of a call; undefined if it succeeds. */
async function failureOf(run: () => unknown): Promise<FailureId | undefined> {
  try {
    await run()
    return undefined
  } catch (error) {
    if (error instanceof Failure) return error.id
    throw error
  }
}

describe('a method that requires an access', () => {
  const pairs = tokenMethods.flatMap((method) => allKinds.map((kind) => [method.id, kind, method] as const))
  const before = pairs.filter(([, , { checksCaller }]) => checksCaller !== true)

  it.each(before)('%s runs for its callers only: %s', async (_, kind, method) => {
    let hasRun = false
    const spied: TokenMethod<Node> = { ...method, run: () => ((hasRun = true), {}) }
    const failure = await failureOf(() => callToken(callOf(kind), spied, paramsOf(method)))
    const expected = refusalOf(method, kind)
    expect({ failure, hasRun }).toEqual({ failure: expected, hasRun: expected === undefined })
  })

  // These methods check their target or the type of the access before the caller.
  const within = pairs.filter(([, , { checksCaller }]) => checksCaller === true)
  const own: Readonly<Record<string, (kind: Kind) => Promise<unknown>>> = {
    'accesses.create': (kind) => Promise.resolve({ name: `by ${kind}`, permissions: [{ streamId: 'diary', level: 'read' }] }),
    'accesses.getOne': (kind) => Promise.resolve({ id: callOf(kind).caller.access.id }),
    'accesses.update': async (kind) => ({ id: (await grantAccess(node, 'alice', diary, { type: 'shared', name: `target of ${kind}` })).id, update: {} }),
  }

  it('checks its callers itself only if it is listed here', () => expect([...new Set(within.map(([id]) => id))]).toEqual(Object.keys(own)))

  it.each(within)('%s checks its callers: %s', async (id, kind, method) => {
    const params = await own[id]?.(kind)
    expect(await failureOf(() => callToken(callOf(kind), method, params))).toBe(refusalOf(method, kind))
  })

  it.each([
    ['accesses.create', 'shared', { name: 'n', type: 'personal', permissions: 5 }, 'invalid-parameters-format'],
    ['accesses.getOne', 'shared', { id: 'unknown' }, 'unknown-resource'],
    ['accesses.update', 'app', { id: 'unknown', update: { expires: 5 } }, 'invalid-parameters-format'],
  ] as const)('%s checks parameters or target before its callers: %s', async (id, kind, params, expected) => {
    const method = tokenMethods.find((each) => each.id === id)
    expect(await failureOf(() => callToken(callOf(kind), method as TokenMethod<Node>, params))).toBe(expected)
  })

  const strict = before.filter(([, kind, method]) => refusalOf(method, kind) !== undefined && !method.input.safeParse(5).success)

  it.each(strict)('%s checks its parameters before its callers: %s', async (_, kind, method) => {
    expect(await failureOf(() => callToken(callOf(kind), method, 5))).toBe('invalid-parameters-format')
  })

  it('checks the callers of calls in a batch, including one that is audited as a whole', async () => {
    const batch = tokenMethods.find(({ id }) => id === 'callBatch') as TokenMethod<Node>
    const input = [{ method: 'account.get', params: {} }]
    const { caller } = callOf('app')
    const loaded = await node.node.accounts.find('alice')
    if (loaded === undefined) throw new Error('no account')
    const terminal = withTrail(terminalCall<Node>(node.node, loaded, caller), batch)
    expect(terminal.trail?.isOfWholeBatch).toBe(true)
    for (const call of [callOf('app'), terminal]) {
      const { results } = await callToken(call, batch, input)
      expect(JSON.parse(String((results as RawJson).text))).toMatchObject([{ error: { id: 'forbidden' } }])
    }
  })
})

/** Calls a method over HTTP with its example. */
async function send(method: Method, token?: string): Promise<Answer> {
  const { verb, path, body } = method.http
  const params = paramsOf(method)
  const named = (Array.isArray(params) ? {} : params) as Json
  const root = method.scope === 'platform' ? node.url.slice(0, -1) : `${node.url}alice`
  const url = `${root}${path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(named[name] ?? 'a')))}`
  const sends = verb === 'POST' || verb === 'PUT'
  const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name)
  const others = Object.fromEntries(Object.entries(named).filter(([name]) => !inPath.includes(name)))
  const rest = Array.isArray(params) ? params : body === undefined ? others : named[body]
  return request(url, {
    method: verb,
    ...(token === undefined ? {} : { token }),
    ...(sends ? { body: rest ?? {} } : {}),
  })
}

describe('a method over HTTP', () => {
  const errorOf = ({ status, body }: Answer): [number, unknown] => [status, (body['error'] as Json | undefined)?.['id']]
  const named = tokenMethods.map((method) => [method.id, method] as const)

  it.each(named)('%s requires an access', async (id, method) => {
    const expected = id === 'series.get' || id === 'series.summary' ? [401, 'missing-header'] : id.startsWith('series.') ? [400, 'missing-header'] : [401, 'invalid-access-token']
    expect(errorOf(await send(method))).toEqual(expected)
  })

  it.each(named)('%s refuses an unknown token', async (_, method) => {
    expect(errorOf(await send(method, 'unknown'))).toEqual([403, 'invalid-access-token'])
  })

  it.each(named)('%s refuses an expired access', async (id, method) => {
    const expected = id === 'delegations.acceptResponse' ? 'delegation-invite-expired' : 'forbidden'
    expect(errorOf(await send(method, expiredToken))[1]).toBe(expected)
  })

  const ofOperator = methods.filter((method): method is PlatformMethod<Node> => method.caller.credential === 'adminKey')

  it.each(ofOperator.map((method) => [method.id, method] as const))('%s requires the admin key', async (id, method) => {
    const refusal = id === 'reg.setRecords' || id === 'reg.deleteRecords' ? [403, 'forbidden'] : [404, 'unknown-resource']
    const refused = (): number => node.logged.filter((line) => line.includes('no admin key, or a wrong one')).length
    for (const token of [undefined, 'wrong', appToken]) expect(errorOf(await send(method, token))).toEqual(refusal)
    const former = refused()
    await send(method, adminKey)
    expect(refused()).toBe(former)
  })

  // auth.emailChallenge is forbidden unless the settings require e-mail verification.
  const open = methods.filter(({ caller, id }) => caller.credential === 'none' && caller.id !== 'none' && id !== 'auth.emailChallenge')

  it.each(open.map((method) => [method.id, method] as const))('%s requires no credentials', async (_, method) => {
    const [status, id] = errorOf(await send(method))
    expect([401, 403]).not.toContain(status)
    expect(id).not.toBe('invalid-access-token')
  })

  it.each(methods.filter(({ caller }) => caller.id === 'none').map((method) => [method.id, method] as const))('%s always fails', async (_, method) => {
    for (const token of [undefined, adminKey, appToken]) expect(errorOf(await send(method, token))[1]).toBe('removed-method')
  })
})
