/** Change of the user name of an account: docs/interface/account.md#user-names. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadConfig } from '../../../../src/server/config/config.js'
import { methods } from '../../../../src/server/api/methods.js'
import { isReservedUsername } from '../../../../src/server/api/register/reserved.js'
import { expectSound } from '../../../support/store/check.js'
import { grantAccess } from '../../../support/people/access.js'
import { homes } from '../../../support/nodes/home.js'
import { registerUser, request, startTestNode, type Answer, type TestNode } from '../../../support/nodes/node.js'
import { describeMethod, newStage, type Row, type Stage } from '../../../support/http/methodTable.js'

type Json = Record<string, unknown>

const to = (newUsername: unknown): Json => ({ newUsername })
const nameOf = async (s: Stage): Promise<unknown> =>
  ((await s.arrange('account.get', {}))['account'] as Json)['username']

const personalOnly = (send: unknown): Row[] =>
  (['manage', 'read'] as const).map((level) => ({
    it: `refuses an app with ${level} on all streams`,
    send,
    as: [{ streamId: '*', level }],
    gives: [403, 'forbidden'],
  }))

let last = 0
const newName = (): string => `fresh-${++last}`
const renamedTo =
  (...names: string[]) =>
  async (s: Stage): Promise<void> => {
    for (const name of names) await s.arrange('account.changeUsername', to(name))
  }

describeMethod('account.changeUsername', [
  {
    it: 'returns the account with its new name, and the number of remaining changes',
    given: () => to(newName()),
    gives: 200,
    async then(result, s) {
      const name = `fresh-${last}`
      expect(result).toMatchObject({
        account: { username: name, email: `${s.username}@example.org` },
        usernameChangesRemaining: 1,
      })
      expect(await nameOf(s)).toBe(name)
      expect(await nameOf({ ...s, username: name, arrange: (id) => get(s, name, id) })).toBe(name)
    },
  },
  {
    it: 'converts the name to lower case',
    given: () => to(newName().toUpperCase()),
    gives: 200,
    then: (result) => expect(result).toMatchObject({ account: { username: `fresh-${last}` } }),
  },
  { it: 'refuses the current name of the account', given: (s) => to(s.username), gives: [400, 'invalid-operation'] },
  { it: 'refuses the current name in capital letters', given: (s) => to(s.username.toUpperCase()), gives: [400, 'invalid-operation'] },
  {
    it: 'refuses a third change',
    async given(s) {
      await renamedTo(newName(), newName())(s)
      return to(newName())
    },
    gives: [400, 'invalid-operation'],
    data: { usernameChangesUsed: 2, usernameChangesLimit: 2 },
  },
  {
    it: 'checks for the current name before the number of changes',
    async given(s) {
      await renamedTo(newName(), newName())(s)
      return to(`fresh-${last}`)
    },
    gives: [400, 'invalid-operation'],
    then: (result) => expect((result['error'] as Json)['data']).toBeUndefined(),
  },
  {
    it: 'checks the number of changes before reserved names',
    async given(s) {
      await renamedTo(newName(), newName())(s)
      return to('admin')
    },
    gives: [400, 'invalid-operation'],
    data: { usernameChangesUsed: 2, usernameChangesLimit: 2 },
  },
  ...['admin', 'coffer', 'coffer-friend', 'r-x7k2m9ab', 'users', 'Support'].map(
    (name): Row => ({
      it: `refuses the reserved name ${name}`,
      send: to(name),
      gives: [400, 'invalid-operation'],
      data: { newUsername: name.toLowerCase() },
    }),
  ),
  {
    it: 'refuses the name of another account',
    async given(s) {
      const other = await newStage(s.node)
      return to(other.username)
    },
    gives: [409, 'item-already-exists'],
    then: (result) => expect(Object.keys((result['error'] as { data: Json }).data)).toEqual(['username']),
  },
  {
    it: 'refuses a former name of another account',
    async given(s) {
      const other = await newStage(s.node)
      await renamedTo(newName())(other)
      return to(other.username)
    },
    gives: [409, 'item-already-exists'],
    then: async (_, s) => expect(await nameOf(s)).toBe(s.username),
  },
  {
    it: 'refuses its own former name',
    async given(s) {
      await renamedTo(newName())(s)
      return to(s.username)
    },
    gives: [409, 'item-already-exists'],
    then: (result, s) => expect((result['error'] as Json)['data']).toEqual({ username: s.username }),
  },
  ...[
    {},
    to(5),
    to(''),
    to('abcd'),
    to('a'.repeat(61)),
    to('-dashed'),
    to('dashed-'),
    to('with space'),
    to('über-name'),
    to('with.dot'),
    to('line\nbreak'),
    { ...to('good-name'), more: 1 },
  ].map((send): Row => ({ it: `refuses ${JSON.stringify(send).slice(0, 50)}`, send, gives: [400, 'invalid-parameters-format'] })),
  ...personalOnly(to('some-name')),
])

async function get(s: Stage, username: string, id: string): Promise<Json> {
  expect(id).toBe('account.get')
  const { status, body } = await request(`${s.node.url}${username}/account`, { token: s.owner })
  expect(status).toBe(200)
  return body
}

describeMethod('account.usernameChanges', [
  {
    it: 'reports no changes for an account with its first name',
    gives: 200,
    result: { usernameChangesUsed: 0, usernameChangesLimit: 2, usernameChangesRemaining: 2 },
  },
  {
    it: 'counts changes',
    given: (s) => renamedTo(newName(), newName())(s),
    gives: 200,
    result: { usernameChangesUsed: 2, usernameChangesLimit: 2, usernameChangesRemaining: 0 },
  },
  ...personalOnly({}),
])

describe('a former name', () => {
  const { home } = homes()
  let node: TestNode
  let token: string
  beforeAll(async () => {
    node = await startTestNode({}, { home: (await home()).home })
    token = await registerUser(node, 'alice')
    expect((await call('alice/account/change-username', { body: to('allison') })).status).toBe(200)
  })
  afterAll(async () => {
    await node.stop()
    await expectSound(node.places)
  })
  const call = (path: string, more: object = {}): Promise<Answer> => request(`${node.url}${path}`, { token, ...more })
  const login = (path: string, username: string): Promise<Answer> =>
    request(`${node.url}${path}/auth/login`, {
      body: { username, password: 'correct horse', appId: 'test-app' },
      headers: { origin: node.url.slice(0, -1) },
    })

  it('is accepted in paths, and responses contain the new name', async () => {
    for (const name of ['alice', 'allison']) {
      expect((await call(`${name}/access-info`)).body).toMatchObject({ token, user: { username: 'allison' } })
      expect((await call(`${name}/events`)).status).toBe(200)
    }
  })

  it('is accepted for logins in path and body, and responses contain the new name', async () => {
    for (const path of ['alice', 'allison']) {
      for (const username of ['alice', 'allison', 'ALICE']) {
        const { status, body } = await login(path, username)
        expect({ path, username, status }).toEqual({ path, username, status: 200 })
        expect(body).toMatchObject({ token, apiEndpoint: expect.stringContaining('/allison/') as string })
      }
    }
    await registerUser(node, 'bobby')
    expect(await login('bobby', 'alice')).toMatchObject({ status: 400 })
  })

  it('is accepted in endpoints of accesses, and new endpoints contain the new name', async () => {
    const { body } = await call('alice/accesses', { body: { name: 'x', type: 'shared', permissions: [] } })
    const { apiEndpoint, token: shared } = body['access'] as { apiEndpoint: string; token: string }
    expect(apiEndpoint).toContain('/allison/')
    for (const name of ['alice', 'allison']) expect((await call(`${name}/access-info`, { token: shared })).status).toBe(200)
  })

  it('cannot be registered, and is found by look-ups of names', async () => {
    expect((await call('reg/alice/check_username')).body).toMatchObject({ reserved: true })
    const again = { username: 'alice', password: 'secret1', email: 'alice2@example.org', appId: 'test-app' }
    expect(await call('users', { body: again })).toMatchObject({ status: 409, body: { error: { data: { username: 'alice' } } } })
    expect((await call('reg/alice@example.org/username')).body).toMatchObject({ username: 'allison' })
    expect((await call('reg/alice/server', { method: 'POST' })).status).toBe(200)
  })

  it('is accepted to read the audit record of the change', async () => {
    const { body } = await call('alice/events?streams=:_audit:action-account.changeUsername')
    expect(body['events']).toHaveLength(1)
  })

  it('does not accept tokens of other accounts', async () => {
    const other = await registerUser(node, 'carol')
    expect((await call('alice/access-info', { token: other })).status).toBe(403)
  })

  it('is accepted after a restart of the node', async () => {
    await node.stop()
    node = await startTestNode({}, { home: node.places.home })
    expect((await call('alice/access-info')).body).toMatchObject({ user: { username: 'allison' } })
  })

  it('is available again after the account is deleted', async () => {
    const dora = await registerUser(node, 'doris')
    expect((await call('doris/account/change-username', { token: dora, body: to('dorothy') })).status).toBe(200)
    const key = node.node.config.get('auth.adminAccessKey') ?? ''
    const deleted = await call('users/doris', { method: 'DELETE', token: key })
    expect(deleted.body).toMatchObject({ userDeletion: { username: 'dorothy' } })
    for (const name of ['doris', 'dorothy']) {
      expect((await call(`${name}/access-info`, { token: dora })).status).toBe(404)
    }
    await registerUser(node, 'doris')
    await registerUser(node, 'dorothy').catch(() => {})
    expect((await call('reg/dorothy/check_username')).body).toMatchObject({ reserved: true })
  })
})

describe('concurrent changes of user names', () => {
  let node: TestNode
  beforeAll(async () => {
    node = await startTestNode()
  })
  afterAll(() => node.stop())
  const change = (s: Stage, name: string): Promise<Answer> =>
    request(`${node.url}${s.username}/account/change-username`, { token: s.owner, body: to(name) })

  it('to the same name succeed exactly once', async () => {
    const stages = await Promise.all(Array.from({ length: 50 }, () => newStage(node)))
    const statuses = (await Promise.all(stages.map((s) => change(s, 'contested')))).map(({ status }) => status)
    expect(statuses.filter((status) => status === 200)).toHaveLength(1)
    expect(statuses.filter((status) => status === 409)).toHaveLength(49)
  })

  it('of one account succeed up to the limit', async () => {
    const s = await newStage(node)
    const names = Array.from({ length: 50 }, (_, i) => `many-${i}`)
    const answers = await Promise.all(names.map((name) => change(s, name)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(2)
    const free = await Promise.all(names.map(async (name) => (await request(`${node.url}reg/${name}/check_username`)).body['reserved']))
    expect(free.filter((isReserved) => isReserved === true)).toHaveLength(2)
  })

  it('and a registration with the same name succeed exactly once', async () => {
    for (let round = 0; round < 5; round++) {
      const s = await newStage(node)
      const name = `either-${round}`
      const [changed, registered] = await Promise.allSettled([change(s, name), registerUser(node, name)])
      const isChanged = changed.status === 'fulfilled' && changed.value.status === 200
      expect(isChanged).not.toBe(registered.status === 'fulfilled')
    }
  })

  it('do not fail concurrent calls', async () => {
    const s = await newStage(node)
    const app = await grantAccess(node, s.username, [{ streamId: '*', level: 'manage' }])
    const stream = (i: number): Promise<Answer> =>
      request(`${node.url}${s.username}/streams`, { token: app.token, body: { name: `Stream ${i}` } })
    const [changed, ...created] = await Promise.all([change(s, 'meanwhile'), ...Array.from({ length: 10 }, (_, i) => stream(i))])
    expect(changed.status).toBe(200)
    expect(created.map(({ status }) => status)).toEqual(created.map(() => 201))
  })
})

describe('reserved names', () => {
  it('include all first path segments of the API that are valid user names', () => {
    const words = methods.flatMap(({ http }) => [http.path, ...(http.aliases ?? [])]).map((path) => path.split('/')[1] ?? '')
    const names = [...new Set(words)].filter((word) => /^[a-z0-9][a-z0-9-]{3,58}[a-z0-9]$/.test(word))
    expect(names.length).toBeGreaterThan(10)
    expect(names.filter((name) => !isReservedUsername(loadConfig(), name))).toEqual([])
  })
})
