/** Disconnection within a second after the end of an access: docs/interface/notifications.md#connecting. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { operate } from '../../support/nodes/operatorMethods.js'
import { grantAccess } from '../../support/people/access.js'
import { fakeClock } from '../../support/nodes/clock.js'
import { registerUser, request, startTestNode, type TestNode } from '../../support/nodes/node.js'
import { connectSocket, refusalOf, type TestSocket } from '../../support/http/socket.js'

const DAY = 86_400
const PASSWORD = 'correct horse'

const clock = fakeClock()
let node: TestNode
let users = 0
let username: string
let owner: string
beforeAll(async () => {
  node = await startTestNode(
    { 'auth.sessionMaxAge': 14 * DAY * 1000, 'user-account.delete': ['personalToken', 'adminToken'] },
    { clock },
  )
})
afterAll(() => node.stop())
beforeEach(async () => {
  users += 1
  username = `user-${users}`
  owner = await registerUser(node, username)
  await call('POST', 'streams', { id: 'diary', name: 'Diary' })
})

const call = async (method: string, path: string, body?: unknown, token = owner): Promise<Record<string, unknown>> => {
  const answer = await request(`${node.url}${username}/${path}`, { method, token, ...(body === undefined ? {} : { body }) })
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300)
  return answer.body
}
const grant = (more: object = {}): ReturnType<typeof grantAccess> =>
  grantAccess(node, username, [{ streamId: 'diary', level: 'read' }], more)
const connect = (token: string): Promise<TestSocket> => connectSocket(node, username, { token })
const logIn = async (password = PASSWORD): Promise<string> => {
  const headers = { origin: 'http://127.0.0.1' }
  const { body } = await request(`${node.url}${username}/auth/login`, { body: { username, password, appId: 'other' }, headers })
  return String(body['token'])
}

/** Checks that an action disconnects the first socket within a second, and no others. */
async function expectFirstDisconnected(sockets: TestSocket[], act: () => Promise<unknown> | unknown): Promise<void> {
  const [first, ...others] = sockets
  if (first === undefined) throw new Error('no socket')
  const ended = new Promise<string>((resolve) => first.io.once('disconnect', resolve))
  await act()
  const late = new Promise<string>((resolve) => setTimeout(resolve, 1500, 'not within a second'))
  expect(await Promise.race([ended, late])).toBe('io server disconnect')
  for (const other of others) {
    expect((await other.call('events.get', { limit: 1 })).error).toBeNull()
    other.close()
  }
}

describe('a websocket is disconnected', () => {
  it('when its access is deleted', async () => {
    const given = await grant()
    await expectFirstDisconnected([await connect(given.token), await connect((await grant()).token), await connect(owner)], () =>
      call('DELETE', `accesses/${given.id}`),
    )
  })

  it('when the app that manages its access is deleted', async () => {
    const app = await grant()
    const shared = await grant({ type: 'shared', manager: app.id })
    await expectFirstDisconnected([await connect(shared.token), await connect(owner)], () => call('DELETE', `accesses/${app.id}`))
  })

  it('when its session logs out', async () => {
    const other = await logIn()
    await expectFirstDisconnected([await connect(other), await connect(owner)], () => call('POST', 'auth/logout', {}, other))
  })

  it('when the password is changed', async () => {
    const other = await logIn()
    await expectFirstDisconnected([await connect(other), await connect((await grant()).token)], () =>
      call('POST', 'account/change-password', { oldPassword: PASSWORD, newPassword: 'battery staple' }),
    )
  })

  it('when its access expires', async () => {
    const given = await grant({ expires: clock.now() + 100 })
    await expectFirstDisconnected([await connect(given.token), await connect(owner)], () => clock.pass(101))
  })

  it('when its session expires unused', async () => {
    const idle = await connect(await logIn())
    const used = await connect(owner)
    clock.pass(8 * DAY)
    await used.call('events.get', { limit: 1 })
    await expectFirstDisconnected([idle, used], () => clock.pass(7 * DAY))
  })

  it('when the account is deleted', async () => {
    await expectFirstDisconnected([await connect((await grant()).token)], async () => {
      const { status } = await request(`${node.url}users/${username}`, { method: 'DELETE', token: owner })
      expect(status).toBe(200)
    })
  })

  it('when the account is relocated, and new connections receive the new address', async () => {
    const url = 'https://elsewhere.example.org/'
    const socket = await connect((await grant()).token)
    await expectFirstDisconnected([socket], () => operate(node.node, 'users.relocate', { username, url }))
    const refusal = await refusalOf(connect(owner))
    expect(refusal.data).toMatchObject({ id: 'user-account-relocated', data: { url } })
  })

  it('when an update makes its access expire', async () => {
    const given = await grant()
    await expectFirstDisconnected([await connect(given.token), await connect(owner)], async () => {
      await call('PUT', `accesses/${given.id}`, { expireAfter: 5 })
      clock.pass(6)
    })
  })
})

describe('a websocket remains connected', () => {
  it('when its access is changed, with the new permissions', async () => {
    const given = await grant()
    const socket = await connect(given.token)
    expect((await socket.call('streams.get', { id: 'diary' })).error).toBeNull()
    const { access } = await call('PUT', `accesses/${given.id}`, { permissions: [{ streamId: 'diary', level: 'contribute' }] })
    const { id } = access as { id: string }
    const made = await socket.call('events.create', { streamIds: ['diary'], type: 'note/txt', content: 'now' })
    expect(made.error).toBeNull()
    await call('PUT', `accesses/${id}`, { permissions: [{ streamId: 'diary', level: 'read' }] })
    const refused = await socket.call('events.create', { streamIds: ['diary'], type: 'note/txt', content: 'no more' })
    expect(refused.error).toMatchObject({ error: { id: 'forbidden' } })
    socket.close()
  })

  it('when the username is changed, beside connections with the new one', async () => {
    const former = await connect(owner)
    await call('POST', 'account/change-username', { newUsername: `${username}-new` })
    const renamed = await connectSocket(node, `${username}-new`, { token: owner })
    await call('POST', 'events', { streamIds: ['diary'], type: 'note/txt', content: 'hello' })
    for (const socket of [former, renamed]) {
      await expect.poll(() => socket.count('eventsChanged')).toBe(1)
      expect((await socket.call('events.get', { limit: 1 })).error).toBeNull()
      socket.close()
    }
  })

  it('when other accesses and sessions are created', async () => {
    const socket = await connect(owner)
    await grant()
    await logIn()
    await new Promise((resolve) => setTimeout(resolve, 1200))
    expect(socket.io.connected).toBe(true)
    socket.close()
  })
})

describe('a call over a websocket', () => {
  it('is refused once its access is revoked', async () => {
    const given = await grant()
    const socket = await connect(given.token)
    const deleting = call('DELETE', `accesses/${given.id}`)
    const answers = await Promise.race([
      Promise.all(Array.from({ length: 200 }, () => socket.call('events.get', { limit: 1 }))),
      new Promise<'ended'>((resolve) => socket.io.once('disconnect', () => resolve('ended'))),
    ])
    await deleting
    if (answers !== 'ended') for (const { error } of answers) expect(JSON.stringify(error)).toMatch(/null|invalid-access-token/)
    await expect.poll(() => socket.io.connected).toBe(false)
  })
})
