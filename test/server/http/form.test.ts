/** Urlencoded forms instead of verbs, headers and JSON bodies: docs/interface/conventions.md#forms. */
import { readFileSync } from 'node:fs'
import { parse } from 'smol-toml'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { registerUser, request, startTestNode, type Answer, type TestNode } from '../../support/nodes/node.js'

const FORM = 'application/x-www-form-urlencoded'

let node: TestNode
let token: string
beforeAll(async () => {
  node = await startTestNode({ 'limits.json.maxSizeMb': 1 })
  token = await registerUser(node, 'alice')
  for (const id of ['kept', 'parent']) await api('streams', { id, name: id })
})
afterAll(() => node.stop())

/** Sends a form to a path of the account. */
const send = (path: string, fields: Record<string, string>, headers: Record<string, string> = {}): Promise<Answer> =>
  request(`${node.url}alice${path === '' ? '' : `/${path}`}`, {
    body: new URLSearchParams(fields).toString(),
    headers: { 'content-type': FORM, ...headers },
  })

/** Calls a path as the owner with JSON. */
const api = (path: string, body?: unknown, method?: string): Promise<Answer> =>
  request(`${node.url}alice/${path}`, {
    token,
    ...(body === undefined ? {} : { body }),
    ...(method === undefined ? {} : { method }),
  })

const failure = (id: string, status: number): object => ({
  status,
  body: { error: { id, message: expect.any(String) as string }, meta: { serverTime: expect.any(Number) as number } },
})

const streamOf = async (id: string): Promise<unknown> => {
  const { body } = await api('streams?state=all')
  const queue = [...(body['streams'] as { id: string; children: [] }[])]
  for (let stream = queue.pop(); stream !== undefined; stream = queue.pop()) {
    if (stream.id === id) return stream
    queue.push(...stream.children)
  }
  return undefined
}

describe('a form', () => {
  it('creates a stream with _json and _auth', async () => {
    const answer = await send('streams', { _json: '{"id":"made","name":"Ä + & = 日本"}', _auth: token })
    expect(answer).toMatchObject({ status: 201, body: { stream: { id: 'made', name: 'Ä + & = 日本' } } })
    expect(await streamOf('made')).toMatchObject({ name: 'Ä + & = 日本' })
  })

  it.each(['PUT', 'put'])('updates a stream with _method=%s', async (_method) => {
    const name = `Renamed by ${_method}`
    const answer = await send('streams/kept', { _method, _auth: token, _json: JSON.stringify({ name }) })
    expect(answer).toMatchObject({ status: 200, body: { stream: { id: 'kept', name } } })
  })

  it('deletes a stream with _method=DELETE and parameters in the query', async () => {
    await api('streams', { id: 'leaf', name: 'Leaf', parentId: 'parent' })
    const { body } = await api('events', { streamIds: ['leaf'], type: 'note/txt', content: 'x' })
    const { id } = body['event'] as { id: string }
    const remove = { _method: 'DELETE', _auth: token }
    expect(await send('streams/leaf', remove)).toMatchObject({ status: 200, body: { stream: { trashed: true } } })
    // The parameter is required for a stream with events, and is not read from the form.
    expect(await send('streams/leaf', { ...remove, mergeEventsWithParent: 'true' })).toMatchObject(
      failure('invalid-parameters-format', 400),
    )
    expect(await send('streams/leaf?mergeEventsWithParent=true', remove)).toMatchObject({
      status: 200,
      body: { streamDeletion: { id: 'leaf' } },
    })
    expect((await api(`events/${id}`)).body).toMatchObject({ event: { streamIds: ['parent'] } })
  })

  it('sends a batch', async () => {
    const calls = [
      { method: 'streams.create', params: { id: 'of-batch', name: 'Of a batch' } },
      { method: 'events.get', params: { limit: 1 } },
    ]
    const answer = await send('', { _auth: token, _json: JSON.stringify(calls) })
    expect(answer).toMatchObject({ status: 200, body: { results: [{ stream: { id: 'of-batch' } }, {}] } })
  })

  it('sends its fields as the body without _json', async () => {
    const logIn = { username: 'alice', password: 'correct horse', appId: 'form-app' }
    const answer = await send('auth/login', logIn, { origin: 'http://localhost' })
    expect(answer).toMatchObject({ status: 200, body: { token: expect.any(String) as string } })
    const made = await send('streams', { id: 'plain', name: 'Plain + simple', _auth: token })
    expect(made).toMatchObject({ status: 201, body: { stream: { id: 'plain', name: 'Plain + simple' } } })
  })

  it('ignores its other fields with _json', async () => {
    const _json = '{"id":"of-json","name":"J"}'
    const answer = await send('streams', { _auth: token, _json, id: 'of-field', parentId: 'kept' })
    expect(answer).toMatchObject({ status: 201, body: { stream: { id: 'of-json', name: 'J', parentId: null } } })
    expect(await streamOf('of-field')).toBeUndefined()
  })

  it.each([
    ['', 'invalid-request-structure'],
    ['{', 'invalid-request-structure'],
    ['{"id":"bad",}', 'invalid-request-structure'],
    ['name', 'invalid-request-structure'],
    [`${'['.repeat(100)}${']'.repeat(100)}`, 'invalid-request-structure'],
    ['{"name":1e999}', 'invalid-request-structure'],
    ['[]', 'invalid-parameters-format'],
    ['null', 'invalid-parameters-format'],
    ['"text"', 'invalid-parameters-format'],
    ['7', 'invalid-parameters-format'],
    ['{"name":7}', 'invalid-parameters-format'],
  ])('is refused with %s as _json', async (_json, id) => {
    expect(await send('streams', { _auth: token, _json })).toMatchObject(failure(id, 400))
  })

  it('accepts every form of a token in _auth, which takes precedence over the header', async () => {
    const name = (text: string): Record<string, string> => ({ name: text })
    const basic = `Basic ${Buffer.from(`${token}:`).toString('base64')}`
    for (const [at, _auth] of [token, `Bearer ${token}`, `bearer ${token}`, basic].entries()) {
      const answer = await send('streams', { ...name(`By form ${at}`), _auth }, { authorization: 'nobodys' })
      expect(answer.status).toBe(201)
    }
    const called = await send('streams', { ...name('By a caller'), _auth: `${token} someone else` })
    const createdBy = expect.stringMatching(/^[a-z0-9]{24} someone else$/) as string
    expect(called.body).toMatchObject({ stream: { createdBy } })
    const bad = await send('streams', { ...name('Not made'), _auth: 'nobodys' }, { authorization: token })
    expect(bad).toMatchObject(failure('invalid-access-token', 403))
  })

  it('uses the token of the header or the query without _auth', async () => {
    expect((await send('streams', { name: 'By header' }, { authorization: token })).status).toBe(201)
    expect((await send(`streams?auth=${token}`, { name: 'By query' })).status).toBe(201)
    expect(await send('streams', { name: 'By nobody' })).toMatchObject(failure('invalid-access-token', 401))
  })

  it.each([`${FORM}; charset=utf-8`, 'Application/X-WWW-Form-URLEncoded'])('is recognised by the content type %s', async (type) => {
    const answer = await send('streams', { name: `Known by ${type}`, _auth: token }, { 'content-type': type })
    expect(answer.status).toBe(201)
  })

  it('does not add verbs to routes', async () => {
    expect(await send('streams', { _method: 'PATCH', _auth: token })).toMatchObject(failure('unknown-resource', 404))
    expect(await send('streams/kept', { _auth: token })).toMatchObject(failure('unknown-resource', 404))
  })

  it('refuses fields named like prototype members', async () => {
    const fields = { __proto__: 'x', constructor: 'y', toString: 'z', name: 'Odd fields', _auth: token }
    const text = `__proto__=x&${new URLSearchParams(Object.entries(fields)).toString()}`
    const answer = await request(`${node.url}alice/streams`, { body: text, headers: { 'content-type': FORM } })
    expect(answer).toMatchObject(failure('invalid-parameters-format', 400))
  })

  it('has a size limit', async () => {
    const answer = await send('streams', { _auth: token, name: 'x'.repeat(2 ** 20) })
    expect(answer).toMatchObject({ ...failure('payload-too-large', 413) })
    expect(answer.body).toMatchObject({ error: { data: { limitMb: 1 } } })
  })

  it('registers, and deletes an account with the admin key', async () => {
    const form = (path: string, fields: Record<string, string>): Promise<Answer> =>
      request(node.url + path, { body: new URLSearchParams(fields).toString(), headers: { 'content-type': FORM } })
    const registration = { username: 'bobby', password: 'correct horse', email: 'bobby@example.org', appId: 'form-app' }
    expect(await form('users', registration)).toMatchObject({ status: 200, body: { username: 'bobby' } })
    const { auth } = parse(readFileSync(node.places.config, 'utf8')) as { auth: { adminAccessKey: string } }
    expect(await form('users/bobby', { _method: 'DELETE', _auth: 'wrong' })).toMatchObject({ status: 403 })
    expect(await form('users/bobby', { _method: 'DELETE', _auth: auth.adminAccessKey })).toMatchObject({ status: 200 })
    expect(await request(`${node.url}bobby/`)).toMatchObject(failure('unknown-resource', 404))
  })
})

describe('fields of forms have no effect', () => {
  it('in a JSON body', async () => {
    expect(await api('streams', { _json: '{"name":"Inner"}' })).toMatchObject(failure('invalid-parameters-format', 400))
    expect(await api('streams/kept', { _method: 'DELETE' }, 'POST')).toMatchObject(failure('unknown-resource', 404))
    const answer = await request(`${node.url}alice/streams`, { body: { name: 'By nobody', _auth: token } })
    expect(answer).toMatchObject(failure('invalid-access-token', 401))
    expect(await streamOf('kept')).not.toMatchObject({ trashed: true })
  })

  it('in a query', async () => {
    const answer = await request(`${node.url}alice/streams?_auth=${token}`, { body: { name: 'By nobody' } })
    expect(answer).toMatchObject(failure('invalid-access-token', 401))
    const kept = await request(`${node.url}alice/streams/kept?_method=DELETE`, { method: 'POST', token, body: {} })
    expect(kept).toMatchObject(failure('unknown-resource', 404))
  })

  it('in a body of another content type', async () => {
    const answer = await send('streams', { name: 'Text', _auth: token }, { 'content-type': 'text/plain' })
    expect(answer).toMatchObject(failure('invalid-access-token', 401))
    const known = await send('streams', { name: 'Text' }, { 'content-type': 'text/plain', authorization: token })
    expect(known).toMatchObject(failure('unsupported-content-type', 415))
  })
})
