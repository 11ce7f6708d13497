/** Accounts that have moved: docs/interface/conventions.md#addresses (301). */
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

interface Seen {
  status: number
  location: string | null
  body: Record<string, unknown>
}

async function call(path: string, { method, body, headers = {}, token = owner }: { method?: string; body?: unknown; headers?: Record<string, string>; token?: string } = {}): Promise<Seen> {
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

describe('an account that has moved', () => {
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
    ['a method that waits', 'mover/mfa/verify', { body: {} }, 'mfa/verify'],
    ['what is nowhere', 'mover/no/such/path', {}, 'no/such/path'],
    ['a wrong token', 'mover/events', { token: 'wrong' }, 'events'],
    ['a form', 'mover/events', { body: `_auth=secret&_json={}`, headers: { 'content-type': 'application/x-www-form-urlencoded' } }, 'events'],
    ['an upload', 'mover/events', { body: '--b\r\n', headers: { 'content-type': 'multipart/form-data; boundary=b' } }, 'events'],
  ])('answers with its new address: %s', async (_, path, asked, rest) => {
    expect(await call(path, asked)).toMatchObject(moved(NEW + rest))
  })

  it.each<[string, string]>([
    ['auth=secret', ''],
    ['auth=secret&limit=1', '?limit=1'],
    ['limit=1&auth=secret&skip=2', '?limit=1&skip=2'],
    ['%61uth=secret&a%75th=secret', ''],
    ['readToken=secret&x', '?x'],
    ['&&', ''],
    ['a=%zz&%zz=auth', '?a=%zz&%zz=auth'],
  ])('keeps tokens to itself: %s', async (query, kept) => {
    const seen = await call(`mover/events?${query}`)
    expect(seen).toMatchObject(moved(`${NEW}events${kept}`))
    expect(JSON.stringify(seen)).not.toContain('secret')
  })

  it('tells callers of an alias the alias', async () => {
    const url = `https://new.example.org/${alias}/`
    expect(await call(`${alias}/events?limit=1`)).toMatchObject(moved(`${url}events?limit=1`, url))
    await relocate({ url: 'https://mover.new.example' })
    expect(await call(`${alias}/events`)).toMatchObject(moved(`https://${alias}.new.example/events`, `https://${alias}.new.example/`))
    await relocate({ url: 'https://new.example.org/somebody/' })
    const seen = await call(`${alias}/events`)
    expect(seen).toMatchObject({ status: 404, location: null, body: { error: { id: 'unknown-resource' } } })
    expect(JSON.stringify(seen)).not.toMatch(/mover|somebody/)
    await relocate()
  })

  it('is there for the operator, and others are as they were', async () => {
    expect((await call('system/user-info/mover', { token: KEY })).status).toBe(200)
    expect((await control('users.show', { username: 'mover' }))['user']).toMatchObject({ username: 'mover', relocated: { url: NEW } })
    expect((await call('stays')).status).toBe(200)
    expect((await call('users', { body: { username: 'mover', password: 'correct horse', email: 'x@example.org', appId: 'test-app' } })).status).toBe(409)
  })

  it('is unknown when that has been told long enough', async () => {
    clock.pass(3599)
    expect((await call('mover/events')).status).toBe(301)
    clock.pass(2)
    const seen = await call('mover/events')
    expect(seen).toMatchObject({ status: 404, location: null, body: { error: { id: 'unknown-resource', message: 'Unknown user "mover".' } } })
    expect(seen.body['error']).toEqual({ ...((await call('nobody/events')).body['error'] as object), message: 'Unknown user "mover".' })
    await relocate({ seconds: 10 })
    expect((await call('mover/events')).status).toBe(301)
    clock.pass(11)
    expect((await call('mover/events')).status).toBe(404)
  })

  it('is served again when it is taken back', async () => {
    expect(await control('users.cancelRelocation', { username: 'mover' })).toEqual({ user: { username: 'mover', relocated: null } })
    expect((await call('mover/events')).status).toBe(200)
    expect((await control('users.show', { username: 'mover' }))['user']).toMatchObject({ relocated: null })
  })
})

describe('a new address', () => {
  it('is that of an account, ended by a slash', () => {
    expect(newAddress('https://mover.example.org')).toBe('https://mover.example.org/')
    expect(newAddress('http://host:3000/a')).toBe('http://host:3000/a/')
  })

  it.each(['', 'mover', 'ftp://host/a', 'https://token@host/a/', 'https://host/a/?auth=x', 'https://host/#x', 'javascript:alert(1)'])(
    'is nothing else: %j',
    async (url) => {
      await expect(relocate({ url })).rejects.toMatchObject({ id: 'invalid-parameters' })
    },
  )

  it('is not the present one, nor that of nobody', async () => {
    await expect(relocate({ url: `${node.url}mover` })).rejects.toMatchObject({ id: 'invalid-operation' })
    await expect(relocate({ username: 'nobody' })).rejects.toMatchObject({ id: 'unknown-user' })
  })
})
