/** Parsing of query strings, bodies and form fields: docs/interface/conventions.md#parameters. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { registerUser, request, startTestNode, type Answer, type TestNode } from '../../support/nodes/node.js'

let node: TestNode
let token: string
beforeAll(async () => {
  node = await startTestNode()
  token = await registerUser(node, 'alice')
  for (const id of ['one', 'two']) await request(`${node.url}alice/streams`, { token, body: { id, name: id } })
})
afterAll(() => node.stop())

const malformed = { status: 400, body: { error: { id: 'invalid-parameters-format' } } }

describe('query parameters', () => {
  const streams = (query: string): Promise<Answer> => request(`${node.url}alice/streams?${query}`, { token })

  it.each(['0', '-1.5e3', ' 7 ', '1e3'])('accept %j as a number', async (value) => {
    const { status, body } = await streams(`includeDeletionsSince=${encodeURIComponent(value)}`)
    expect(status).toBe(200)
    expect(body).toHaveProperty('streamDeletions')
  })

  it.each(['123abc', '', 'NaN', 'Infinity', '1&includeDeletionsSince=2'])('refuse %j as a number', async (value) => {
    const answer = await streams(`includeDeletionsSince=${value}`)
    expect(answer).toMatchObject({
      ...malformed,
      body: { error: { id: 'invalid-parameters-format', data: [{ path: '#/includeDeletionsSince' }] } },
    })
  })

  it('have no default if they are absent', async () => {
    expect((await streams('')).body).not.toHaveProperty('streamDeletions')
  })

  it('accept booleans in any letter case', async () => {
    await request(`${node.url}alice/streams`, { token, body: { id: 'gone', name: 'Gone' } })
    const remove = (value: string): Promise<Answer> =>
      request(`${node.url}alice/streams/gone?mergeEventsWithParent=${value}`, { method: 'DELETE', token })
    expect((await remove('FALSE')).status).toBe(200)
    for (const value of ['yes', '1', '']) expect(await remove(value)).toMatchObject(malformed)
    expect((await remove('False')).status).toBe(200)
  })

  it.each(['types=count/steps', 'types=count/steps&types=mass/kg', 'types[]=count/steps&types[]=mass/kg', 'types[0]=count/steps', 'types[1]=mass/kg&types[0]=count/steps'])(
    'accept the list %s',
    async (query) => {
      const body = { streamIds: ['one'], type: 'count/steps', content: 1 }
      await request(`${node.url}alice/events`, { token, body })
      const answer = await request(`${node.url}alice/events?${query}&limit=1`, { token })
      expect(answer).toMatchObject({ status: 200, body: { events: [{ type: 'count/steps' }] } })
    },
  )

  it.each(['state[x]=all', 'state[0]=all', 'state[=all', 'state[0]x=all', 'parentId[1000]=x'])('refuse %s', async (query) => {
    expect(await streams(query)).toMatchObject(malformed)
  })

  it('may include a token', async () => expect((await streams(`auth=${token}`)).status).toBe(200))
})

describe('bodies', () => {
  const send = (type: string, body: string): Promise<Answer> =>
    request(`${node.url}alice/streams`, { method: 'POST', token, body, headers: { 'content-type': type } })

  it.each(['application/json', 'application/json; charset=utf-8', 'APPLICATION/JSON', 'application/vnd.api+json'])(
    'are parsed as JSON with the content type %s',
    async (type) => expect((await send(type, JSON.stringify({ name: `By ${type}` }))).status).toBe(201),
  )

  const otherType = (named: string): object => ({
    status: 415,
    body: { error: { id: 'unsupported-content-type', message: expect.stringContaining(named) as string } },
  })

  it.each(['text/plain', 'application/octet-stream', 'application/jsonx', 'text/json'])('are refused with the content type %s', async (type) => {
    expect(await send(type, '{"name":"Unread"}')).toMatchObject(otherType(`The Content-Type of the body is "${type}"`))
  })

  it('are refused without a content type', async () => {
    const body = new TextEncoder().encode('{"name":"Unread"}')
    const response = await fetch(`${node.url}alice/streams`, { method: 'POST', headers: { authorization: token }, body })
    expect({ status: response.status, body: await response.json() as unknown }).toMatchObject(otherType('The body has no Content-Type'))
  })

  it('of any content type are accepted if they are empty', async () => {
    const answer = await request(`${node.url}alice/streams/one`, { method: 'PUT', token, body: '', headers: { 'content-type': 'text/plain' } })
    expect(answer).toMatchObject({ status: 200, body: { stream: { name: 'one' } } })
  })

  it('of updates are refused with another content type', async () => {
    const answer = await request(`${node.url}alice/streams/one`, {
      method: 'PUT',
      token,
      body: '{"name":"Unread"}',
      headers: { 'content-type': 'text/plain' },
    })
    expect(answer).toMatchObject(otherType('text/plain'))
  })

  it('of forms contain lists of repeated fields', async () => {
    const fields: [string, string][] = [
      ['_auth', token],
      ['streamIds', 'one'],
      ['streamIds', 'two'],
      ['type', 'note/txt'],
      ['content', 'x'],
    ]
    const answer = await request(`${node.url}alice/events`, {
      body: new URLSearchParams(fields).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
    expect(answer).toMatchObject({ status: 201, body: { event: { streamIds: ['one', 'two'], content: 'x' } } })
  })

  it.each<[string, [string, string][]]>([
    ['in the notation of PHP and qs', [['streamIds[0]', 'one'], ['streamIds[1]', 'two'], ['clientData[app][tags][0]', 'a']]],
    ['with empty brackets', [['streamIds[]', 'one'], ['streamIds[]', 'two'], ['clientData[app][tags][]', 'a']]],
  ])('of forms contain lists and objects %s', async (_, lists) => {
    const fields: [string, string][] = [['_auth', token], ['type', 'note/txt'], ['content', 'x'], ...lists]
    const answer = await request(`${node.url}alice/events`, {
      body: new URLSearchParams(fields).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
    expect(answer).toMatchObject({ status: 201, body: { event: { streamIds: ['one', 'two'], clientData: { app: { tags: ['a'] } } } } })
  })

  it('of forms contain lists of up to 1,000 items', async () => {
    const form = (length: number): Promise<Answer> => {
      const tags = Array.from({ length }, (_, at): [string, string] => [`tags[${at}]`, `t${at}`])
      return request(`${node.url}alice/events`, {
        body: new URLSearchParams([['_auth', token], ['streamIds[0]', 'one'], ['type', 'activity/plain'], ...tags]).toString(),
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      })
    }
    const { status, body } = await form(1000)
    expect(status).toBe(201)
    expect((body['event'] as { tags: string[] }).tags).toHaveLength(1000)
    expect(await form(1001)).toMatchObject(malformed)
    expect(await form(2000)).toMatchObject({ status: 400, body: { error: { id: 'invalid-request-structure' } } })
  })

  it('of browsers may contain files', async () => {
    const form = new FormData()
    form.append('event', '{"streamIds":["one"],"type":"file/attached"}')
    form.append('file', new Blob(['x']), 'a.txt')
    const response = await fetch(`${node.url}alice/events`, { method: 'POST', headers: { authorization: token }, body: form })
    expect(response.status).toBe(201)
    expect(await response.json()).toMatchObject({ event: { attachments: [{ fileName: 'a.txt', size: 1 }] }, meta: {} })
  })
})
