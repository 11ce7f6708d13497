/** Transmission of tokens, and refusal of invalid ones: docs/interface/conventions.md#authentication. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { grantAccess } from '../../support/people/access.js'
import { registerUser, request, startTestNode, type Answer, type TestNode } from '../../support/nodes/node.js'

let node: TestNode
let token: string
let id: string
let owner: string
beforeAll(async () => {
  node = await startTestNode()
  owner = await registerUser(node, 'alice')
  await registerUser(node, 'bobby')
  const granted = await grantAccess(node, 'alice', [{ streamId: '*', level: 'manage' }])
  token = granted.token
  id = granted.id
})
afterAll(() => node.stop())

const info = (headers: Record<string, string>, query = ''): Promise<Answer> =>
  request(`${node.url}alice/access-info${query}`, { headers })
const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`

describe('a token is accepted', () => {
  const forms: [string, () => Record<string, string>, (() => string)?][] = [
    ['bare', () => ({ authorization: token })],
    ['bare with a caller id', () => ({ authorization: `${token} nurse 7` })],
    ['after Bearer', () => ({ authorization: `Bearer ${token}` })],
    ['after bearer in mixed case', () => ({ authorization: `bEARER ${token}` })],
    ['after Bearer with a caller id', () => ({ authorization: `Bearer ${token} nurse` })],
    ['as the user name of Basic', () => ({ authorization: basic(`${token}:`) })],
    ['as the user name of Basic with any password', () => ({ authorization: basic(`${token}:secret:more`) })],
    ['in Basic without a colon', () => ({ authorization: basic(token) })],
    ['after basic in mixed case', () => ({ authorization: basic(`${token}:`).replace('Basic', 'bASIC') })],
    ['in the query', () => ({}), () => `?auth=${token}`],
    ['in the query, the first of two', () => ({}), () => `?auth=${token}&auth=other`],
    ['in the query with an empty header', () => ({ authorization: '' }), () => `?auth=${token}`],
    ['in the header with precedence over the query', () => ({ authorization: token }), () => '?auth=unknown'],
  ]
  it.each(forms)('%s', async (_, headers, query) => {
    const { status, body } = await info(headers(), query?.())
    expect(status).toBe(200)
    expect(body).toMatchObject({ id, token, user: { username: 'alice' } })
  })

  it('as user information of an apiEndpoint', async () => {
    const url = new URL(`${node.url}alice/access-info`)
    url.username = token
    // fetch refuses URLs with user information; other clients send it as Basic.
    expect((await info({ authorization: basic(`${url.username}:${url.password}`) })).status).toBe(200)
  })

  it('in the field _auth of a form, with precedence over the header', async () => {
    const form = new URLSearchParams({ _auth: token, _json: '[]' })
    const { status, headers } = await request(`${node.url}alice`, {
      method: 'POST',
      body: form.toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded', authorization: 'unknown' },
    })
    expect(status).toBe(200)
    expect(headers.get('svc-access-id')).toBe(id)
  })
})

describe('a caller id', () => {
  it('follows the access id in createdBy and modifiedBy, also in a batch', async () => {
    const stream = `${node.url}alice/streams`
    const made = await request(stream, { token: `${token} nurse 7`, body: { id: 'ward', name: 'Ward' } })
    expect(made.body).toMatchObject({ stream: { createdBy: `${id} nurse 7`, modifiedBy: `${id} nurse 7` } })
    expect(made.headers.get('svc-access-id')).toBe(id)
    const changed = await request(`${stream}/ward`, { method: 'PUT', token: `Bearer ${token} Dr Who`, body: { name: 'W' } })
    expect(changed.body).toMatchObject({ stream: { createdBy: `${id} nurse 7`, modifiedBy: `${id} Dr Who` } })
    const calls = [{ method: 'events.create', params: { streamIds: ['ward'], type: 'note/txt', content: 'x' } }]
    const { body } = await request(`${node.url}alice`, { token: `${token} porter`, body: calls })
    const [result] = body['results'] as { event: { id: string } }[]
    expect(result).toMatchObject({ event: { createdBy: `${id} porter`, modifiedBy: `${id} porter` } })
    const event = `${node.url}alice/events/${result?.event.id ?? ''}`
    const plain = await request(event, { method: 'PUT', token, body: { content: 'y' } })
    expect(plain.body).toMatchObject({ event: { createdBy: `${id} porter`, modifiedBy: id } })
  })

  it('is the text after the first space', async () => {
    const answer = await request(`${node.url}alice/streams`, { token: `${token} a  b`, body: { name: 'Spaces' } })
    expect(answer.body).toMatchObject({ stream: { createdBy: `${id} a  b` } })
  })
})

describe('a missing token is refused', () => {
  const forms: [string, Record<string, string>, string?][] = [
    ['no header and no parameter', {}],
    ['an empty header', { authorization: '' }],
    ['a blank header', { authorization: '   ' }],
    ['an empty query parameter', {}, '?auth='],
    ['Bearer alone', { authorization: 'Bearer' }],
    ['Basic alone', { authorization: 'Basic' }],
    ['Basic with empty credentials', { authorization: basic('') }],
    ['Basic with an empty user and no password', { authorization: basic(':') }],
  ]
  it.each(forms)('%s', async (_, headers, query) => {
    const { status, body } = await info(headers, query)
    expect(status).toBe(401)
    expect(body).toMatchObject({ error: { id: 'invalid-access-token' } })
  })

  it('_auth in a JSON body', async () => {
    const { status } = await request(`${node.url}alice/streams`, { body: { _auth: token, name: 'X' } })
    expect(status).toBe(401)
  })
})

describe('a token is refused', () => {
  const refused = { status: 403, body: { error: { id: 'invalid-access-token' }, meta: {} } }

  it('when it is sent as the password of Basic', async () => {
    expect(await info({ authorization: basic(`:${token}`) })).toMatchObject(refused)
  })

  it('when it is unknown, with the message that clients expect', async () => {
    const answer = await info({ authorization: 'unknown' })
    expect(answer).toMatchObject(refused)
    expect((answer.body['error'] as { message: string }).message).toContain('Cannot find access from token.')
    expect(await info({}, '?auth=unknown')).toMatchObject(refused)
  })

  it('when it is truncated or extended', async () => {
    for (const text of [token.slice(0, -1), `${token}x`, token.toUpperCase(), `x ${token}`]) {
      expect(await info({ authorization: text })).toMatchObject(refused)
    }
  })

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf', 'prototype', '__defineGetter__'])(
    'when it is %s, on the first and the second call',
    async (name) => {
      for (const _ of [1, 2]) {
        expect(await info({ authorization: name })).toMatchObject(refused)
        expect(await info({ authorization: basic(`${name}:`) })).toMatchObject(refused)
        expect(await info({}, `?auth=${name}`)).toMatchObject(refused)
      }
    },
  )

  it('when it is that of another account', async () => {
    for (const other of [token, owner]) {
      for (const _ of [1, 2]) {
        const answer = await request(`${node.url}bobby/access-info`, { token: other })
        expect(answer).toMatchObject(refused)
        expect(answer.headers.has('svc-access-id')).toBe(false)
      }
    }
  })

  it('when its access has expired, with the specified message', async () => {
    const { token: old } = await grantAccess(node, 'alice', [{ streamId: '*', level: 'read' }], { expires: 12 })
    for (const _ of [1, 2]) {
      const { status, body } = await request(`${node.url}alice/streams`, { token: old })
      expect(status).toBe(403)
      expect(body['error']).toEqual({ id: 'forbidden', message: 'Access has expired.' })
    }
  })

  it('for a batch as a whole', async () => {
    const { status, body } = await request(`${node.url}alice`, { token: 'unknown', body: [{ method: 'streams.get', params: {} }] })
    expect(status).toBe(403)
    expect(body).not.toHaveProperty('results')
  })

  it('before parameters are validated', async () => {
    expect((await request(`${node.url}alice/streams`, { token: 'unknown', body: {} })).status).toBe(403)
    expect((await request(`${node.url}alice/streams`, { body: {} })).status).toBe(401)
  })
})

describe('access-info', () => {
  it('returns exactly the properties of an app access', async () => {
    const { body } = await info({ authorization: token })
    expect(body).toEqual({
      id,
      token,
      type: 'app',
      name: expect.stringMatching(/^app-/) as string,
      permissions: [
        { streamId: ':_system:account', level: 'none' },
        { streamId: '*', level: 'manage' },
        { streamId: `:_audit:access-${id}`, level: 'read' },
      ],
      lastUsed: expect.any(Number) as number,
      created: expect.any(Number) as number,
      createdBy: 'system',
      modified: expect.any(Number) as number,
      modifiedBy: 'system',
      calls: expect.any(Object) as object,
      user: { username: 'alice' },
      meta: expect.any(Object) as object,
    })
  })

  it('returns a personal access without permissions', async () => {
    const { body } = await info({ authorization: owner })
    expect(body).toMatchObject({ type: 'personal', name: 'test-app', token: owner, createdBy: 'system', user: { username: 'alice' } })
    expect(body).not.toHaveProperty('permissions')
    expect(body).not.toHaveProperty('integrity')
  })

  it('counts calls by method', async () => {
    const app = await grantAccess(node, 'alice', [{ streamId: '*', level: 'read' }])
    const call = (path: string): Promise<Answer> => request(`${node.url}alice/${path}`, { token: app.token })
    await call('streams')
    await call('streams')
    await call('events/cabcdefghijklmnopqrstuvwx')
    const { body } = await call('access-info')
    expect(body['calls']).toEqual({ 'streams:get': 2, 'events:getOne': 1, getAccessInfo: 1 })
  })

  it('ignores unknown parameters', async () => {
    expect((await info({ authorization: token }, '?x=1')).status).toBe(200)
  })
})
