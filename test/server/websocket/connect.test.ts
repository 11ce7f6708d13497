/** Connections: docs/interface/notifications.md#connecting. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { grantAccess } from '../../support/people/access.js'
import { fakeClock } from '../../support/nodes/clock.js'
import { registerUser, request, startTestNode, type TestNode } from '../../support/nodes/node.js'
import { connectSocket, refusalOf } from '../../support/http/socket.js'

const clock = fakeClock()
let node: TestNode
let token: string
beforeAll(async () => {
  node = await startTestNode({}, { clock })
  token = await registerUser(node, 'anna-lee')
  await registerUser(node, 'bobby')
  await request(`${node.url}anna-lee/streams`, { token, body: { id: 'diary', name: 'Diary' } })
})
afterAll(() => node.stop())

describe('a connection', () => {
  it.each([
    ['the username', '/anna-lee'],
    ['the username and a slash', '/anna-lee/'],
    ['the username twice', '/anna-lee/anna-lee'],
    ['the username twice, and a slash', '/anna-lee/anna-lee/'],
    ['a path that ends with the username', '/some/where/anna-lee'],
    ['capital letters', '/Anna-LEE'],
  ])('accepts %s as its namespace', async (_, namespace) => {
    const socket = await connectSocket(node, 'anna-lee', { token, namespace })
    const { error, result } = await socket.call('getAccessInfo', {})
    expect(error).toBeNull()
    expect(result).toMatchObject({ token, user: { username: 'anna-lee' } })
    socket.close()
  })

  it.each([
    ['in the query of its URL', { query: { auth: 'TOKEN' } }],
    ['in the auth data of the namespace', { auth: { auth: 'TOKEN' } }],
    ['in the header', { headers: { authorization: 'TOKEN' } }],
    ['in the header with Bearer', { headers: { authorization: 'Bearer TOKEN' } }],
    ['in the header, with precedence over the query', { headers: { authorization: 'TOKEN' }, query: { auth: 'nonsense' } }],
    ['over long-polling', { polling: true as const, query: { auth: 'TOKEN' } }],
  ])('accepts a token %s', async (_, options) => {
    const withToken = JSON.parse(JSON.stringify(options).replaceAll('TOKEN', token)) as typeof options
    const socket = await connectSocket(node, 'anna-lee', withToken)
    expect((await socket.call('getAccessInfo', {})).result).toMatchObject({ token })
    socket.close()
  })

  it('accepts create-only app and shared accesses', async () => {
    for (const type of ['app', 'shared'] as const) {
      const { token: given } = await grantAccess(node, 'anna-lee', [{ streamId: 'diary', level: 'create-only' }], { type })
      const socket = await connectSocket(node, 'anna-lee', { token: given })
      const made = await socket.call('events.create', { streamIds: ['diary'], type: 'note/txt', content: type })
      expect(made).toMatchObject({ error: null, result: { event: { content: type } } })
      socket.close()
    }
  })

  it('accepts the alias of an access', async () => {
    const { body } = await request(`${node.url}anna-lee/accesses`, {
      token,
      body: { name: 'Hidden', permissions: [{ streamId: 'diary', level: 'read' }], randomAlias: true },
    })
    const access = body['access'] as { token: string; apiEndpoint: string; alias?: string }
    const alias = /(r-[a-z0-9-]+)/.exec(JSON.stringify(body))?.[1]
    if (alias === undefined) return
    const socket = await connectSocket(node, alias, { token: access.token })
    expect((await socket.call('events.get', {})).error).toBeNull()
    socket.close()
  })

  it('shares its transport with others, which remain when it ends', async () => {
    const first = await connectSocket(node, 'anna-lee', { token })
    const second = first.io.io.socket('/anna-lee/anna-lee', { auth: { auth: token } })
    await new Promise<void>((resolve, reject) => {
      second.once('connect', resolve)
      second.once('connect_error', reject)
      second.connect()
    })
    const given = await grantAccess(node, 'anna-lee', [{ streamId: 'diary', level: 'read' }])
    const third = first.io.io.socket('/other/anna-lee', { auth: { auth: given.token } })
    const ended = new Promise((resolve) => third.once('disconnect', resolve))
    await new Promise<void>((resolve) => {
      third.once('connect', resolve)
      third.connect()
    })
    await request(`${node.url}anna-lee/accesses/${given.id}`, { token, method: 'DELETE' })
    expect(await ended).toBe('io server disconnect')
    expect([first.io.connected, second.connected]).toEqual([true, true])
    expect((await first.call('getAccessInfo', {})).error).toBeNull()
    first.close()
  })
})

describe('a connection is refused', () => {
  const refused = (username: string, options: Parameters<typeof connectSocket>[2] = {}): ReturnType<typeof refusalOf> =>
    refusalOf(connectSocket(node, username, options))

  it.each([
    ['without a token', 'anna-lee', {}, 'invalid-access-token'],
    ['with an empty token', 'anna-lee', { token: '' }, 'invalid-access-token'],
    ['with an unknown token', 'anna-lee', { token: 'nonsense' }, 'invalid-access-token'],
    ['with a token named like a property of objects', 'anna-lee', { token: '__proto__' }, 'invalid-access-token'],
    ['with an object as the token', 'anna-lee', { auth: { auth: { a: 1 } } }, 'invalid-access-token'],
    ['to an unknown user', 'nobody', { token: 'nonsense' }, 'unknown-resource'],
    ['without a username', 'anna-lee', { namespace: '/' }, 'unknown-resource'],
    ['to an invalid username', 'anna-lee', { namespace: '/anna_lee!' }, 'unknown-resource'],
    ['to a name of 3,000 characters', 'anna-lee', { namespace: `/${'a'.repeat(3000)}` }, 'unknown-resource'],
  ])('%s', async (_, username, options, id) => {
    const error = await refused(username, options)
    expect(error.data).toEqual({ id, message: error.message })
  })

  it('with the token of another user', async () => {
    expect((await refused('bobby', { token })).data).toMatchObject({ id: 'invalid-access-token' })
  })

  it('with an access that has expired', async () => {
    const { token: given } = await grantAccess(node, 'anna-lee', [{ streamId: 'diary', level: 'read' }], { expires: clock.now() + 10 })
    clock.pass(11)
    const { data, message } = await refused('anna-lee', { token: given })
    expect(data).toEqual({ id: 'forbidden', message: 'Access has expired.' })
    expect(message).toBe('Access has expired.')
  })

  it('with an access that was deleted', async () => {
    const given = await grantAccess(node, 'anna-lee', [{ streamId: 'diary', level: 'read' }])
    await request(`${node.url}anna-lee/accesses/${given.id}`, { token, method: 'DELETE' })
    expect((await refused('anna-lee', { token: given.token })).data).toMatchObject({ id: 'invalid-access-token' })
  })
})

describe('a websocket', () => {
  it('is opened at a URL with two slashes', async () => {
    const socket = new WebSocket(`${node.url.replace('http', 'ws')}socket.io//?EIO=4&transport=websocket`)
    const first = await new Promise((resolve, reject) => socket.once('message', (data) => resolve(String(data as Buffer))).once('error', reject))
    expect(first).toContain('"sid":')
    socket.close()
  })
})

describe('long-polling', () => {
  const handshake = (protocol: number, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(`${node.url}socket.io/?EIO=${protocol}&transport=polling`, { headers })

  it('allows the requesting origin, with credentials', async () => {
    const { status, headers } = await handshake(4, { origin: 'https://app.example' })
    expect(status).toBe(200)
    expect(headers.get('access-control-allow-origin')).toBe('https://app.example')
    expect(headers.get('access-control-allow-credentials')).toBe('true')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
  })

  it('allows the requesting origin for refusals too', async () => {
    const { status, headers } = await fetch(`${node.url}socket.io/?EIO=4&transport=polling&sid=nonsense`, {
      headers: { origin: 'https://app.example' },
    })
    expect(status).toBe(400)
    expect(headers.get('access-control-allow-origin')).toBe('https://app.example')
  })

  it('answers preflight requests', async () => {
    const { status, headers } = await fetch(`${node.url}socket.io/?EIO=4&transport=polling`, {
      method: 'OPTIONS',
      headers: { origin: 'https://app.example', 'access-control-request-method': 'POST' },
    })
    expect(status).toBe(200)
    expect(headers.get('access-control-allow-origin')).toBe('https://app.example')
  })

  it.each(['socket.io//?', 'socket.io///?', 'socket.io//polling?'])('accepts repeated slashes: /%s', async (path) => {
    const response = await fetch(`${node.url}${path}EIO=4&transport=polling`)
    expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('"sid":') as string])
  })

  it('accepts clients of the previous protocol', async () => {
    const response = await handshake(3)
    expect(response.status).toBe(200)
    expect(await response.text()).toMatch(/^\d+:0\{"sid":/)
  })

  it.each([['transport=constructor'], ['transport=polling&sid=__proto__'], ['transport=webtransport'], ['']])(
    'refuses %s',
    async (query) => {
      expect((await fetch(`${node.url}socket.io/?EIO=4&${query}`)).status).toBe(400)
    },
  )
})
