/** Deletion of accounts: docs/interface/registration.md#deletion-of-accounts. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { accountKeys, nodeKeys, under } from '../../../../src/store/engine/keys.js'
import { grantAccess } from '../../../support/people/access.js'
import { attach, delegateToken } from '../../../support/people/delegations.js'
import { registerUser, request, startTestNode, type Answer, type TestNode } from '../../../support/nodes/node.js'

const KEY = 'the admin key of the operator'

/** Returns all keys of the store with a prefix. */
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

  it('returns the deleted username', async () => {
    await registerUser(at(), 'alice')
    const { status, body } = await remove(at(), 'alice', KEY)
    expect(status).toBe(200)
    expect(body).toEqual({ userDeletion: { username: 'alice' }, meta: expect.any(Object) as object })
    expect(await remove(at(), 'alice', KEY)).toMatchObject(unknown)
  })

  it('removes all keys, including those of pending work, and leaves other accounts unchanged', async () => {
    const token = await registerUser(at(), 'bobby')
    const other = await registerUser(at(), 'other')
    for (const [name, ownToken] of [
      ['bobby', token],
      ['other', other],
    ] as const) {
      await request(`${at().url}${name}/streams`, { token: ownToken, body: { id: 'diary', name: 'Diary' } })
      const { body } = await request(`${at().url}${name}/events`, { token: ownToken, body: { streamIds: ['diary'], type: 'note/txt', content: 'mine' } })
      const { id } = body['event'] as { id: string }
      await request(`${at().url}${name}/events/${id}`, { method: 'PUT', token: ownToken, body: { content: 'changed' } })
    }
    const app = await grantAccess(at(), 'bobby', [{ streamId: '*', level: 'read' }])
    await request(`${at().url}bobby/events`, { token: app.token })
    const prefix = await prefixOf(at(), 'bobby')
    const others = await prefixOf(at(), 'other')
    const names = (await keysUnder(at(), nodeKeys.usernames)).length
    const uniques = (await keysUnder(at(), '!q/')).length
    const tokens = (await keysUnder(at(), '!t/')).length

    expect((await remove(at(), 'bobby', KEY)).status).toBe(200)
    // Writes the counters of the last calls, which are still in memory.
    at().node.usage.flush()
    await at().node.store.settled()
    expect(await keysUnder(at(), accountKeys.all(prefix))).toEqual([])
    expect(await keysUnder(at(), nodeKeys.usernames)).toHaveLength(names - 1)
    expect(await keysUnder(at(), '!q/')).toHaveLength(uniques - 1)
    expect(await keysUnder(at(), '!t/')).toHaveLength(tokens - 2)
    expect(await keysUnder(at(), nodeKeys.erasings)).toEqual([])
    for (const former of [token, app.token]) {
      expect(await request(`${at().url}bobby/events`, { token: former })).toMatchObject(unknown)
    }
    expect((await keysUnder(at(), accountKeys.all(others))).length).toBeGreaterThan(10)
    const remaining = await request(`${at().url}other/events?streams=diary`, { token: other })
    expect(remaining.body).toMatchObject({ events: [{ content: 'changed' }] })
  })

  it('frees username and e-mail address for a new account, which can log in immediately', async () => {
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

  it('succeeds once in concurrent calls', async () => {
    await registerUser(at(), 'danny')
    const answers = await Promise.all(Array.from({ length: 5 }, () => remove(at(), 'danny', KEY)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404, 404, 404])
  })

  it('requires the exact admin key in the authorization header', async () => {
    const token = await registerUser(at(), 'erwin')
    for (const authorization of [undefined, '', 'wrong', KEY.slice(1), `Bearer ${KEY}`, ` ${KEY}x`, token]) {
      expect(await remove(at(), 'erwin', authorization)).toMatchObject(unknown)
    }
    expect(await remove(at(), 'erwin', undefined, `?auth=${encodeURIComponent(KEY)}`)).toMatchObject(unknown)
    expect((await request(`${at().url}erwin/streams`, { token })).status).toBe(200)
  })

  it('fails for unknown users', async () => {
    for (const name of ['nobody', 'x', '%20', '__proto__']) expect(await remove(at(), name, KEY)).toMatchObject(unknown)
  })

  it('refuses unknown parameters without deleting', async () => {
    const token = await registerUser(at(), 'frida')
    const answer = await remove(at(), 'frida', KEY, '?dryRun=true')
    expect(answer).toMatchObject({ status: 400, body: { error: { id: 'invalid-parameters-format' } } })
    expect((await request(`${at().url}frida/streams`, { token })).status).toBe(200)
  })

  it('is not available by GET or POST', async () => {
    expect(await request(`${at().url}users/alice`, { token: KEY })).toMatchObject(unknown)
    expect(await request(`${at().url}users/alice`, { token: KEY, body: {} })).toMatchObject(unknown)
  })
})

describe('deletion by the owner only', () => {
  const at = withNode({ 'user-account.delete': ['personalToken'] })

  it('requires a personal token of the account', async () => {
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

  it('accepts the token as Bearer, as Basic or in the query', async () => {
    const forms: [string, (token: string) => Promise<Answer>][] = [
      ['beare', (token) => remove(at(), 'beare', `Bearer ${token}`)],
      ['basic', (token) => remove(at(), 'basic', `Basic ${Buffer.from(`${token}:`).toString('base64')}`)],
      ['query', (token) => remove(at(), 'query', undefined, `?auth=${token}`)],
    ]
    for (const [name, send] of forms) expect((await send(await registerUser(at(), name))).status).toBe(200)
  })

  it('refuses an ended session', async () => {
    const token = await registerUser(at(), 'carol')
    await request(`${at().url}carol/auth/logout`, { method: 'POST', token })
    expect(await remove(at(), 'carol', token)).toMatchObject(refused)
  })
})

describe('deletion by operator or owner, the default', () => {
  const at = withNode({})

  it('accepts the admin key or a personal token', async () => {
    await registerUser(at(), 'alice')
    const token = await registerUser(at(), 'bobby')
    expect((await remove(at(), 'alice', KEY)).status).toBe(200)
    expect((await remove(at(), 'bobby', token)).status).toBe(200)
    expect(await remove(at(), 'nobody', KEY)).toMatchObject(unknown)
    expect(await remove(at(), 'nobody', 'wrong')).toMatchObject(refused)
  })

  it('accepts the token of a login, also with the former username', async () => {
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

  it.each(['carol', 'nobody'])('refuses every other token for the account of %s', async (name) => {
    const owner = await registerUser(at(), `owner-${name}`)
    const delegate = await registerUser(at(), `other-${name}`)
    const [ownAccount, other] = [{ username: `owner-${name}`, token: owner }, { username: `other-${name}`, token: delegate }]
    await attach(at(), ownAccount, other)
    const app = await grantAccess(at(), ownAccount.username, [{ streamId: '*', level: 'manage' }])
    const shared = await grantAccess(at(), ownAccount.username, [{ streamId: '*', level: 'manage' }], { type: 'shared' })
    const target = name === 'nobody' ? name : ownAccount.username
    for (const token of [undefined, '', 'unknown', KEY.slice(1), delegate, app.token, shared.token]) {
      expect(await remove(at(), target, token)).toMatchObject(refused)
    }
    const byDelegate = await remove(at(), ownAccount.username, await delegateToken(at(), other, ownAccount.username))
    expect(byDelegate).toMatchObject({ status: 403, body: { error: { id: 'delegation-genuine-login-required' } } })
    expect((await request(`${at().url}${ownAccount.username}/streams`, { token: owner })).status).toBe(200)
  })
})

describe('disabled deletion', () => {
  const at = withNode({ 'user-account.delete': [] })

  it('is unknown to operator and owner', async () => {
    const token = await registerUser(at(), 'alice')
    expect(await remove(at(), 'alice', KEY)).toMatchObject(unknown)
    expect(await remove(at(), 'alice', token)).toMatchObject(unknown)
  })
})
