/** Examples of the API documents: parameters and answers match the schemas, and most examples are called on a node. */
import { readFileSync } from 'node:fs'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { parse } from 'smol-toml'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { curlOf, requestOf, type ExamplePlaces } from '../../../src/server/api/reference/exampleCall.js'
import { examples, exampleOf } from '../../../src/server/api/reference/examples/examples.js'
import type { Example } from '../../../src/server/api/reference/examples/example.js'
import { isServed, parametersOf, pathParametersOf, statusOf } from '../../../src/server/api/reference/reference.js'
import { inputSchemaOf } from '../../../src/server/api/reference/jsonSchema.js'
import type { Method } from '../../../src/server/call/method.js'
import { methods } from '../../../src/server/api/methods.js'
import { grantAccess } from '../../support/people/access.js'
import { startReceiver } from '../../support/services/webhookReceiver.js'
import { registerUser, request, startTestNode, type TestNode } from '../../support/nodes/node.js'
import { ssoOn } from '../../support/people/sso.js'

const served = methods.filter(isServed)
const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false })

type Json = Record<string, unknown>

interface Operation {
  operationId: string
  responses: Record<string, { content?: Record<string, { schema: object; example?: unknown }> }>
}

let node: TestNode
let adminKey: string
let operations: Map<string, { operation: Operation; pointer: string }>
beforeAll(async () => {
  node = await startTestNode({ ...ssoOn, 'versioning.forceKeepHistory': true, appList: { 'weight-diary': { displayName: 'Weight diary' } } })
  const config = parse(readFileSync(node.places.config, 'utf8')) as { auth: { adminAccessKey: string } }
  adminKey = config.auth.adminAccessKey
  const { body } = await request(`${node.url}openapi.json`)
  ajv.addSchema(body, 'openapi')
  operations = new Map(
    Object.entries(body['paths'] as Record<string, Record<string, Operation>>).flatMap(([path, verbs]) =>
      Object.entries(verbs).map(([verb, operation]) => [operation.operationId, { operation, pointer: `paths/${escaped(path)}/${verb}` }] as const),
    ),
  )
})
afterAll(() => node.stop())

const escaped = (part: string): string => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))

function validatorOf(id: string, status: string): ValidateFunction {
  const found = operations.get(id)
  const validate = ajv.getSchema(`openapi#/${found?.pointer}/responses/${status}/content/application~1json/schema`)
  if (validate === undefined) throw new Error(`no schema of ${id} ${status}`)
  return validate
}

describe('examples', () => {
  it('exist for exactly the served methods', () => {
    expect(Object.keys(examples).sort()).toEqual([...new Set(served.map(({ id }) => id))].sort())
  })

  it.each(served.map((each) => [each.id, each] as const))('of %s have valid parameters', (id, method) => {
    const { params = {}, file } = exampleOf(id) as Example
    expect(method.input.safeParse(params).error?.message).toBeUndefined()
    const validate = ajv.compile(inputSchemaOf(method))
    const body = Array.isArray(params) ? params : withoutPath(method, params as Json)
    expect({ isValid: validate(body), errors: validate.errors ?? [] }).toEqual({ isValid: true, errors: [] })
    const known = [...parametersOf(method).map(({ path }) => path), ...(id === 'auth.ssoCallback' ? ['code', 'state'] : [])]
    if (!Array.isArray(params)) for (const name of Object.keys(params)) expect(known).toContain(name)
    if (file !== undefined) expect(method.takesFiles).toBeDefined()
  })

  it('have an answer that matches the OpenAPI document', () => {
    const checked: string[] = []
    for (const method of served) {
      const { answer, text, location, status } = exampleOf(method.id) as Example
      const { operation } = operations.get(method.id) ?? { operation: { responses: {} } as Operation }
      const code = String(status ?? statusOf(method) ?? 200)
      if (answer === undefined) {
        const hasBody = method.http.sendsFile === true || code === '204'
        expect(hasBody || text !== undefined || location !== undefined, method.id).toBe(true)
        continue
      }
      const content = operation.responses[code]?.content?.['application/json']
      expect(content?.example, `${method.id} ${code}`).toMatchObject(answer as object)
      const validate = validatorOf(method.id, code)
      const isValid = validate(JSON.parse(JSON.stringify(content?.example)))
      expect({ id: method.id, isValid, errors: validate.errors ?? [] }).toEqual({ id: method.id, isValid: true, errors: [] })
      checked.push(method.id)
    }
    expect(checked.length).toBeGreaterThan(110)
  })

  it('are quoted correctly as curl commands', () => {
    const places = { node: 'https://node.example.org', account: 'https://node.example.org/ana-lovelace' }
    const of = (id: string): string[] => curlOf(methodNamed(id), exampleOf(id) as Example, places)
    expect(of('events.get')).toEqual([
      "curl -g 'https://node.example.org/ana-lovelace/events?streams[]=weight&types[]=mass%2F*&limit=3' \\",
      "  -H 'Authorization: <token>'",
    ])
    expect(of('streams.update')).toEqual([
      'curl -X PUT https://node.example.org/ana-lovelace/streams/weight \\',
      "  -H 'Authorization: <token>' \\",
      `  --json '{"name":"Body weight"}'`,
    ])
    expect(of('oauth.token')[1]).toBe('  -d grant_type=refresh_token \\')
    expect(of('events.addAttachment').at(-1)).toBe('  -F file=@scale.jpg')
  })
})

const withoutPath = (method: Method, params: Json): Json => {
  const inSchema = Object.keys((inputSchemaOf(method)['properties'] ?? {}) as Json)
  const inPath = pathParametersOf(method)
  return Object.fromEntries(Object.entries(params).filter(([name]) => inSchema.includes(name) || !inPath.includes(name)))
}

function methodNamed(id: string): Method {
  const found = served.find((each) => each.id === id)
  if (found === undefined) throw new Error(`no method ${id}`)
  return found
}

describe('called examples', () => {
  let owner: string
  let places: ExamplePlaces
  const called = new Set<string>()
  beforeAll(async () => {
    const base = node.url.slice(0, -1)
    places = { node: base, account: `${base}/ana-lovelace` }
  })

  /** Calls an example; `params` replace generated ids. Checks the answer against the schema and the members of the example. */
  async function call(id: string, params: Json = {}, token = owner): Promise<Json> {
    const method = methodNamed(id)
    const example = exampleOf(id) as Example
    const sent = Array.isArray(example.params) ? example.params : { ...example.params, ...params }
    const { verb, url, authorization, body } = requestOf(method, example, places, sent as Example['params'])
    const response = await fetch(url, {
      method: verb,
      redirect: 'manual',
      headers: {
        ...(authorization === undefined ? {} : { authorization: authorization === '<admin key>' ? adminKey : token }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        origin: 'http://localhost',
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const code = example.status ?? statusOf(method) ?? 200
    const text = await response.text()
    expect({ id, status: response.status, text }).toMatchObject({ id, status: code })
    called.add(id)
    if (example.answer === undefined) return {}
    const answer = JSON.parse(text) as Json
    const validate = validatorOf(id, String(code))
    expect({ id, isValid: validate(answer), errors: validate.errors ?? [] }).toEqual({ id, isValid: true, errors: [] })
    const { meta: _, ...members } = answer
    if (id !== 'openapi') expect({ id, members: Object.keys(members).sort() }).toEqual({ id, members: Object.keys(example.answer as Json).sort() })
    return answer
  }

  const idIn = (answer: Json, member: string): string => String((answer[member] as Json)['id'])

  it('of registration and look-ups', async () => {
    await call('reg.hostings')
    const { token } = await call('auth.register')
    owner = String(token)
    for (const id of ['service.info', 'openapi', 'reg.apps', 'reg.app', 'reg.checkEmail', 'reg.checkUsername', 'reg.cores', 'reg.serverOf', 'reg.toServer', 'reg.uidOf', 'reg.usernameOf']) await call(id)
    for (const id of ['assets.definitions', 'assets.eventTypes', 'assets.signInMessages', 'oauth.metadata', 'auth.ssoProviders', 'reg.checkInvitation']) await call(id)
  })

  it('of an account and its profile sets', async () => {
    for (const id of ['account.get', 'account.usernameChanges', 'account.update', 'auth.login']) await call(id)
    for (const id of ['profile.updatePublic', 'profile.getPublic', 'profile.update', 'profile.get', 'profile.updatePrivate', 'profile.getPrivate']) await call(id)
    const made = await call('followedSlices.create')
    const id = idIn(made, 'followedSlice')
    await call('followedSlices.get')
    await call('followedSlices.update', { id })
    await call('followedSlices.delete', { id })
    await call('mfa.activate')
    for (const of of ['devices.get', 'devices.conflicts', 'devices.pairings', 'devices.startPairing']) await call(of)
  })

  it('of streams and events', async () => {
    await call('streams.create')
    await call('streams.update')
    await request(`${places.account}/streams`, { token: owner, body: { id: 'morning', name: 'Morning', parentId: 'weight' } })
    await call('streams.get')
    const id = idIn(await call('events.create'), 'event')
    for (const of of ['events.update', 'events.getOne', 'events.delete']) if (of !== 'events.delete') await call(of, { id })
    await call('events.get')
    await call('events.summary')
    await call('streams.summary')
    await call('callBatch')
    const series = await request(`${places.account}/events`, { token: owner, body: { streamIds: ['weight'], type: 'series:mass/kg' } })
    const seriesId = idIn(series.body, 'event')
    await call('series.add', { id: seriesId })
    const { data } = exampleOf('series.batch')?.params as { data: { data: Json[] } }
    await call('series.batch', { data: { ...data, data: data.data.map((one) => ({ ...one, eventId: seriesId })) } })
    await call('series.get', { id: seriesId })
    await call('series.summary', { id: seriesId })
    await request(`${places.account}/events/${id}`, { method: 'DELETE', token: owner })
    await call('events.delete', { id })
    await request(`${places.account}/streams/weight`, { method: 'DELETE', token: owner })
    await call('streams.delete')
    await call('streams.create', { id: 'weight-2', name: 'Weight again' })
  })

  it('of accesses, secrets and webhooks', async () => {
    const permissions = [{ streamId: 'weight-2', level: 'read' }]
    const id = idIn(await call('accesses.create', { permissions }), 'access')
    await call('accesses.get')
    await call('accesses.getOne', { id })
    const changed = await call('accesses.update', { id })
    await call('accesses.delete', { id: idIn(changed, 'access') })
    await call('accesses.checkApp')
    const { sharedSecret } = await call('sharedSecrets.create')
    const { key } = sharedSecret as { key: string }
    await call('sharedSecrets.getOne', { key })
    await call('sharedSecrets.retrieve', { key })
    const app = await grantAccess(node, 'ana-lovelace', [{ streamId: '*', level: 'read' }], { type: 'app', name: 'weight-diary' })
    await request(`${places.account}/events`, { token: app.token })
    await call('getAccessInfo', {}, app.token)
    const receiver = await startReceiver()
    const webhook = idIn(await call('webhooks.create', { url: receiver.url }, app.token), 'webhook')
    await call('webhooks.get')
    await call('webhooks.getOne', { id: webhook })
    await call('webhooks.test', { id: webhook })
    await call('webhooks.update', { id: webhook })
    await call('webhooks.delete', { id: webhook })
    await receiver.stop()
    await call('profile.updateApp', {}, app.token)
    await call('profile.getApp', {}, app.token)
    const accessRequest = await call('accessRequest.ask')
    await call('accessRequest.decide', { key: accessRequest['key'] })
    await call('accessRequest.poll', { key: accessRequest['key'] })
  })

  it('of delegations', async () => {
    const ben = await registerUser(node, 'ben-hopper')
    const may = await registerUser(node, 'granny-may')
    const at = (username: string): ExamplePlaces => ({ ...places, account: `${places.node}/${username}` })
    const ana = places
    places = at('granny-may')
    await call('delegations.requestAttach', {}, may)
    await call('delegations.cancelInvite', {}, may)
    await call('delegations.requestAttach', {}, may)
    places = at('ben-hopper')
    await call('delegations.refuseAttach', {}, ben)
    places = at('granny-may')
    await call('delegations.requestAttach', {}, may)
    places = at('ben-hopper')
    await call('delegations.acceptAttach', {}, ben)
    await call('delegations.listControlled', {}, ben)
    await call('delegations.getToken', {}, ben)
    places = at('granny-may')
    await call('delegations.listDelegates', {}, may)
    await call('delegations.detachDelegate', { keepAccessIds: [] }, may)
    places = at('ben-hopper')
    await call('delegations.createAccount', { username: 'made-for-ben' }, ben)
    places = ana
  })

  it('of the operator', async () => {
    for (const id of ['cores', 'users', 'servers', 'certs', 'checkPlatformIntegrity', 'user', 'userInfo', 'serverUsers', 'renameServer', 'unregisterUser', 'mailTemplates']) {
      await call(`system.${id}`)
    }
    const { id } = await grantAccess(node, 'ana-lovelace', [])
    await call('system.access', { accessId: id })
    await call('system.validateUser', { username: 'to-come', uniqueFields: { email: 'to-come@example.org' } })
    await call('system.updateUser')
    await call('system.setMailTemplate')
    await call('system.mailTemplate', { part: 'subject' })
    await call('system.removeMailTemplate')
    await call('system.createUser', { username: 'made-here', email: 'made-here@example.org' })
    await call('invitations.post')
    await call('invitations.get')
    await call('reg.setRecords')
    await call('reg.deleteRecords')
  })

  it('of passwords and the deletion of an account', async () => {
    await call('account.changePassword')
    await call('account.changeUsername')
    await call('auth.logout')
    await call('auth.delete', { username: 'ana-byron' })
    expect(called.size).toBeGreaterThan(90)
  })
})
