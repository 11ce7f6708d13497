/** Deletion of accounts: docs/interface/registration.md#deletion-of-accounts. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { accountKeys, nodeKeys, under } from '../../../../src/store/engine/keys.js'
import { grantAccess } from '../../../support/people/access.js'
import { attach, delegateToken } from '../../../support/people/delegations.js'
import { registerUser, request, startTestNode, type Answer, type TestNode } from '../../../support/nodes/node.js'

const KEY = 'the admin key of the operator'

/** Everything that the store holds with this prefix. */
async function keysUnder(node: TestNode, prefix: string): Promise<string[]> {
  const source = node.node.store.db.keys(under(prefix))
  const keys = await source.next(10_000)
  await source.close()
  return keys
}

async function prefixOf(node: TestNode, username: string): Promise<string> {
  const loaded = await node.node.accounts.find(username)
  if (loaded === undefined) throw new Error(`no user ${username}`)
  return loaded.account.prefix
}

const remove = (node: TestNode, username: string, authorization?: string, query = ''): Promise<Answer> =>
  request(`${node.url}users/${username}${query}`, {
    method: 'DELETE',
    ...(authorization === undefined ? {} : { token: authorization }),
  })

const unknown = { status: 404, body: { error: { id: 'unknown-resource' }, meta: {} } }
const refused = { status: 403, body: { error: { id: 'invalid-access-token' }, meta: {} } }

/** Starts a node for the tests of a block. */
function withNode(settings: Record<string, unknown>): () => TestNode {
  let node: TestNode | undefined
  beforeAll(async () => {
    node = await startTestNode({ 'auth.adminAccessKey': KEY, ...settings })
  })
  afterAll(() => node?.stop())
  return () => {
    if (node === undefined) throw new Error('the node has not started')
    return node
  }
}

describe('deletion by the operator', () => {
  const at = withNode({ 'user-account.delete': ['adminToken'] })

  it('answers whom it deleted', async () => {
    await registerUser(at(), 'alice')
    const { status, body } = await remove(at(), 'alice', KEY)
    expect(status).toBe(200)
    expect(body).toEqual({ userDeletion: { username: 'alice' }, meta: expect.any(Object) as object })
    expect(await remove(at(), 'alice', KEY)).toMatchObject(unknown)
  })

  it('leaves nothing behind, also of what was under way, and others as they are', async () => {
    const token = await registerUser(at(), 'bobby')
    const other = await registerUser(at(), 'other')
    for (const [name, by] of [
      ['bobby', token],
      ['other', other],
    ] as const) {
      await request(`${at().url}${name}/streams`, { token: by, body: { id: 'diary', name: 'Diary' } })
      const { body } = await request(`${at().url}${name}/events`, { token: by, body: { streamIds: ['diary'], type: 'note/txt', content: 'mine' } })
      const { id } = body['event'] as { id: string }
      await request(`${at().url}${name}/events/${id}`, { method: 'PUT', token: by, body: { content: 'changed' } })
    }
    const app = await grantAccess(at(), 'bobby', [{ streamId: '*', level: 'read' }])
    await request(`${at().url}bobby/events`, { token: app.token })
    const prefix = await prefixOf(at(), 'bobby')
    const others = await prefixOf(at(), 'other')
    const names = (await keysUnder(at(), nodeKeys.usernames)).length
    const uniques = (await keysUnder(at(), '!q/')).length
    const tokens = (await keysUnder(at(), '!t/')).length

    expect((await remove(at(), 'bobby', KEY)).status).toBe(200)
    // Counters of the last calls are still in memory.
    at().node.usage.flush()
    await at().node.store.settled()
    expect(await keysUnder(at(), accountKeys.all(prefix))).toEqual([])
    expect(await keysUnder(at(), nodeKeys.usernames)).toHaveLength(names - 1)
    expect(await keysUnder(at(), '!q/')).toHaveLength(uniques - 1)
    expect(await keysUnder(at(), '!t/')).toHaveLength(tokens - 2)
    expect(await keysUnder(at(), nodeKeys.erasings)).toEqual([])
    for (const by of [token, app.token]) {
      expect(await request(`${at().url}bobby/events`, { token: by })).toMatchObject(unknown)
    }
    expect((await keysUnder(at(), accountKeys.all(others))).length).toBeGreaterThan(10)
    const kept = await request(`${at().url}other/events?streams=diary`, { token: other })
    expect(kept.body).toMatchObject({ events: [{ content: 'changed' }] })
  })

  it('frees name and address for somebody new, who can log in at once', async () => {
    const former = await registerUser(at(), 'carol')
    await request(`${at().url}carol/streams`, { token: former, body: { id: 'old', name: 'Old' } })
    await remove(at(), 'carol', KEY)
    expect((await request(`${at().url}reg/carol/check_username`)).body).toMatchObject({ reserved: false })
    expect((await request(`${at().url}reg/carol@example.org/check_email`)).body).toMatchObject({ exists: false })
    const token = await registerUser(at(), 'carol')
    const login = await request(`${at().url}carol/auth/login`, {
      body: { username: 'carol', password: 'correct horse', appId: 'test-app' },
      headers: { origin: at().url.slice(0, -1) },
    })
    expect(login.body).toMatchObject({ token })
    expect(await request(`${at().url}carol/streams`, { token: former })).toMatchObject(refused)
    const { body } = await request(`${at().url}carol/streams?state=all`, { token })
    expect(JSON.stringify(body)).not.toContain('"old"')
  })

  it('takes away a name once, however many ask for it at once', async () => {
    await registerUser(at(), 'danny')
    const answers = await Promise.all(Array.from({ length: 5 }, () => remove(at(), 'danny', KEY)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404, 404, 404])
  })

  it('needs the admin key as it is', async () => {
    const token = await registerUser(at(), 'erwin')
    for (const authorization of [undefined, '', 'wrong', KEY.slice(1), `Bearer ${KEY}`, ` ${KEY}x`, token]) {
      expect(await remove(at(), 'erwin', authorization)).toMatchObject(unknown)
    }
    expect(await remove(at(), 'erwin', undefined, `?auth=${encodeURIComponent(KEY)}`)).toMatchObject(unknown)
    expect((await request(`${at().url}erwin/streams`, { token })).status).toBe(200)
  })

  it('does not know unknown users', async () => {
    for (const name of ['nobody', 'x', '%20', '__proto__']) expect(await remove(at(), name, KEY)).toMatchObject(unknown)
  })

  it('refuses parameters that it does not know, rather than deleting all the same', async () => {
    const token = await registerUser(at(), 'frida')
    const answer = await remove(at(), 'frida', KEY, '?dryRun=true')
    expect(answer).toMatchObject({ status: 400, body: { error: { id: 'invalid-parameters-format' } } })
    expect((await request(`${at().url}frida/streams`, { token })).status).toBe(200)
  })

  it('is no method of a GET or POST', async () => {
    expect(await request(`${at().url}users/alice`, { token: KEY })).toMatchObject(unknown)
    expect(await request(`${at().url}users/alice`, { token: KEY, body: {} })).toMatchObject(unknown)
  })
})

describe('deletion by the owner alone', () => {
  const at = withNode({ 'user-account.delete': ['personalToken'] })

  it('needs a personal token of the account', async () => {
    const token = await registerUser(at(), 'alice')
    const other = await registerUser(at(), 'bobby')
    const app = await grantAccess(at(), 'alice', [{ streamId: '*', level: 'manage' }])
    for (const authorization of [undefined, '', 'unknown', other, app.token, KEY]) {
      expect(await remove(at(), 'alice', authorization)).toMatchObject(refused)
    }
    expect(await remove(at(), 'nobody', token)).toMatchObject(refused)
    expect(await remove(at(), 'alice', token)).toMatchObject({ status: 200, body: { userDeletion: { username: 'alice' } } })
    expect((await request(`${at().url}bobby/streams`, { token: other })).status).toBe(200)
  })

  it('takes the token in every accepted form', async () => {
    const forms: [string, (token: string) => Promise<Answer>][] = [
      ['beare', (token) => remove(at(), 'beare', `Bearer ${token}`)],
      ['basic', (token) => remove(at(), 'basic', `Basic ${Buffer.from(`${token}:`).toString('base64')}`)],
      ['query', (token) => remove(at(), 'query', undefined, `?auth=${token}`)],
    ]
    for (const [name, send] of forms) expect((await send(await registerUser(at(), name))).status).toBe(200)
  })

  it('refuses a session that has ended', async () => {
    const token = await registerUser(at(), 'carol')
    await request(`${at().url}carol/auth/logout`, { method: 'POST', token })
    expect(await remove(at(), 'carol', token)).toMatchObject(refused)
  })
})

describe('deletion by either, which is the default', () => {
  const at = withNode({})

  it('takes the admin key or a personal token', async () => {
    await registerUser(at(), 'alice')
    const token = await registerUser(at(), 'bobby')
    expect((await remove(at(), 'alice', KEY)).status).toBe(200)
    expect((await remove(at(), 'bobby', token)).status).toBe(200)
    expect(await remove(at(), 'nobody', KEY)).toMatchObject(unknown)
    expect(await remove(at(), 'nobody', 'wrong')).toMatchObject(refused)
  })

  it('takes the token of a login, under the name that the account had before too', async () => {
    await registerUser(at(), 'frida')
    const login = await request(`${at().url}frida/auth/login`, {
      body: { username: 'frida', password: 'correct horse', appId: 'another-app' },
      headers: { origin: at().url.slice(0, -1) },
    })
    const token = String(login.body['token'])
    await request(`${at().url}frida/account/change-username`, { token, body: { newUsername: 'frida-new' } })
    expect(await remove(at(), 'frida', token)).toMatchObject({ status: 200, body: { userDeletion: { username: 'frida-new' } } })
    expect(await remove(at(), 'frida-new', KEY)).toMatchObject(unknown)
  })

  it.each(['carol', 'nobody'])('refuses every other token, to %s as well', async (name) => {
    const owner = await registerUser(at(), `owner-${name}`)
    const delegate = await registerUser(at(), `other-${name}`)
    const [mine, other] = [{ username: `owner-${name}`, token: owner }, { username: `other-${name}`, token: delegate }]
    await attach(at(), mine, other)
    const app = await grantAccess(at(), mine.username, [{ streamId: '*', level: 'manage' }])
    const shared = await grantAccess(at(), mine.username, [{ streamId: '*', level: 'manage' }], { type: 'shared' })
    const target = name === 'nobody' ? name : mine.username
    for (const token of [undefined, '', 'unknown', KEY.slice(1), delegate, app.token, shared.token]) {
      expect(await remove(at(), target, token)).toMatchObject(refused)
    }
    const acting = await remove(at(), mine.username, await delegateToken(at(), other, mine.username))
    expect(acting).toMatchObject({ status: 403, body: { error: { id: 'delegation-genuine-login-required' } } })
    expect((await request(`${at().url}${mine.username}/streams`, { token: owner })).status).toBe(200)
  })
})

describe('deletion by nobody', () => {
  const at = withNode({ 'user-account.delete': [] })

  it('is not there', async () => {
    const token = await registerUser(at(), 'alice')
    expect(await remove(at(), 'alice', KEY)).toMatchObject(unknown)
    expect(await remove(at(), 'alice', token)).toMatchObject(unknown)
  })
})
