/** Relocated accounts: docs/interface/conventions.md#addresses (301). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createControl } from '../../../src/server/control/control.js'
import { methods } from '../../../src/server/api/methods.js'
import { operatorMethods } from '../../../src/server/control/operatorMethods.js'
import { newAddress } from '../../../src/server/dispatch/relocation.js'
import { fakeClock } from '../../support/nodes/clock.js'
import { registerUser, startTestNode, type TestNode } from '../../support/nodes/node.js'

const KEY = 'the admin key of the operator'
const NEW = 'https://new.example.org/mover/'
const clock = fakeClock()
let node: TestNode
let owner: string
let alias: string
beforeAll(async () => {
  node = await startTestNode({ 'auth.adminAccessKey': KEY, 'account.relocationMaxAge': 3_600_000 }, { clock })
  owner = await registerUser(node, 'mover')
  await registerUser(node, 'stays')
  const { body } = await call('mover/accesses', { body: { name: 'x', permissions: [], randomAlias: true } })
  alias = (body['access'] as { alias: string }).alias
})
afterAll(() => node.stop())

interface Answer {
  status: number
  location: string | null
  body: Record<string, unknown>
}

async function call(path: string, { method, body, headers = {}, token = owner }: { method?: string; body?: unknown; headers?: Record<string, string>; token?: string } = {}): Promise<Answer> {
  const response = await fetch(node.url + path, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    redirect: 'manual',
    headers: { authorization: token, ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const text = await response.text()
  const parsed: unknown = text.startsWith('{') ? JSON.parse(text) : { text }
  return { status: response.status, location: response.headers.get('location'), body: parsed as Record<string, unknown> }
}

const control = (method: string, params: object): Promise<Record<string, unknown>> =>
  createControl(node.node, methods, operatorMethods).call(method, params, {})
const relocate = (params: object = {}): Promise<Record<string, unknown>> =>
  control('users.relocate', { username: 'mover', url: NEW, ...params })
const moved = (to: string, url = NEW): object => ({
  status: 301,
  location: to,
  body: { error: { id: 'user-account-relocated', data: { url } }, meta: {} },
})

describe('a relocated account', () => {
  beforeAll(() => relocate())

  it.each<[string, string, Parameters<typeof call>[1], string]>([
    ['its root', 'mover', {}, ''],
    ['its root, with a slash', 'mover/', {}, ''],
    ['a read', 'mover/events?limit=5&streams=%5B%22a%22%5D', {}, 'events?limit=5&streams=%5B%22a%22%5D'],
    ['a read by another letter case', 'MOVER/streams', {}, 'streams'],
    ['a write', 'mover/events', { body: { streamIds: ['a'], type: 'note/txt', content: 'x' } }, 'events'],
    ['an update', 'mover/events/abc', { method: 'PUT', body: {} }, 'events/abc'],
    ['a deletion', 'mover/events/abc', { method: 'DELETE' }, 'events/abc'],
    ['a batch', 'mover', { body: [{ method: 'events.get', params: {} }] }, ''],
    ['a login', 'mover/auth/login', { body: { username: 'mover', password: 'correct horse', appId: 'test-app' } }, 'auth/login'],
    ['service information', 'mover/service/info', {}, 'service/info'],
    ['a second factor', 'mover/mfa/verify', { body: {} }, 'mfa/verify'],
    ['an unknown path', 'mover/no/such/path', {}, 'no/such/path'],
    ['a wrong token', 'mover/events', { token: 'wrong' }, 'events'],
    ['a form', 'mover/events', { body: `_auth=secret&_json={}`, headers: { 'content-type': 'application/x-www-form-urlencoded' } }, 'events'],
    ['an upload', 'mover/events', { body: '--b\r\n', headers: { 'content-type': 'multipart/form-data; boundary=b' } }, 'events'],
  ])('answers with its new address: %s', async (_, path, options, rest) => {
    expect(await call(path, options)).toMatchObject(moved(NEW + rest))
  })

  it.each<[string, string]>([
    ['auth=secret', ''],
    ['auth=secret&limit=1', '?limit=1'],
    ['limit=1&auth=secret&skip=2', '?limit=1&skip=2'],
    ['%61uth=secret&a%75th=secret', ''],
    ['readToken=secret&x', '?x'],
    ['&&', ''],
    ['a=%zz&%zz=auth', '?a=%zz&%zz=auth'],
  ])('removes tokens from the new address: %s', async (query, remaining) => {
    const answer = await call(`mover/events?${query}`)
    expect(answer).toMatchObject(moved(`${NEW}events${remaining}`))
    expect(JSON.stringify(answer)).not.toContain('secret')
  })

  it('redirects an alias to the alias, or answers unknown-resource if the new address cannot contain it', async () => {
    const url = `https://new.example.org/${alias}/`
    expect(await call(`${alias}/events?limit=1`)).toMatchObject(moved(`${url}events?limit=1`, url))
    await relocate({ url: 'https://mover.new.example' })
    expect(await call(`${alias}/events`)).toMatchObject(moved(`https://${alias}.new.example/events`, `https://${alias}.new.example/`))
    await relocate({ url: 'https://new.example.org/somebody/' })
    const answer = await call(`${alias}/events`)
    expect(answer).toMatchObject({ status: 404, location: null, body: { error: { id: 'unknown-resource' } } })
    expect(JSON.stringify(answer)).not.toMatch(/mover|somebody/)
    await relocate()
  })

  it('is accessible to the operator, keeps its username, and does not affect others', async () => {
    expect((await call('system/user-info/mover', { token: KEY })).status).toBe(200)
    expect((await control('users.show', { username: 'mover' }))['user']).toMatchObject({ username: 'mover', relocated: { url: NEW } })
    expect((await call('stays')).status).toBe(200)
    expect((await call('users', { body: { username: 'mover', password: 'correct horse', email: 'x@example.org', appId: 'test-app' } })).status).toBe(409)
  })

  it('is unknown after the configured time', async () => {
    clock.pass(3599)
    expect((await call('mover/events')).status).toBe(301)
    clock.pass(2)
    const answer = await call('mover/events')
    expect(answer).toMatchObject({ status: 404, location: null, body: { error: { id: 'unknown-resource', message: 'Unknown user "mover".' } } })
    expect(answer.body['error']).toEqual({ ...((await call('nobody/events')).body['error'] as object), message: 'Unknown user "mover".' })
    await relocate({ seconds: 10 })
    expect((await call('mover/events')).status).toBe(301)
    clock.pass(11)
    expect((await call('mover/events')).status).toBe(404)
  })

  it('is served again after the relocation is cancelled', async () => {
    expect(await control('users.cancelRelocation', { username: 'mover' })).toEqual({ user: { username: 'mover', relocated: null } })
    expect((await call('mover/events')).status).toBe(200)
    expect((await control('users.show', { username: 'mover' }))['user']).toMatchObject({ relocated: null })
  })
})

describe('a new address', () => {
  it('ends with a slash', () => {
    expect(newAddress('https://mover.example.org')).toBe('https://mover.example.org/')
    expect(newAddress('http://host:3000/a')).toBe('http://host:3000/a/')
  })

  it.each(['', 'mover', 'ftp://host/a', 'https://token@host/a/', 'https://host/a/?auth=x', 'https://host/#x', 'javascript:alert(1)'])(
    'cannot be %j',
    async (url) => {
      await expect(relocate({ url })).rejects.toMatchObject({ id: 'invalid-parameters' })
    },
  )

  it('cannot be the current one, and requires a known account', async () => {
    await expect(relocate({ url: `${node.url}mover` })).rejects.toMatchObject({ id: 'invalid-operation' })
    await expect(relocate({ username: 'nobody' })).rejects.toMatchObject({ id: 'unknown-user' })
  })
})
