/** Routes of the operator on a platform of several cores. */
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { ADMIN_KEY, withCores } from '../../../support/nodes/memoryPlatform.js'
import { makeAccount, request, type Answer, type TestNode } from '../../../support/nodes/node.js'

type Json = Record<string, unknown>

const cores = withCores({ 'core-a': { 'core.hosting': 'one' }, 'core-b': {}, 'core-c': {} })
const node = (id: string): TestNode => cores().node(id)
let bob = ''

const ask = (path: string, options: { method?: string; body?: unknown; token?: string } = {}): Promise<Answer> =>
  request(node('core-a').url + path, { token: ADMIN_KEY, ...options })

beforeAll(async () => {
  await makeAccount(node('core-a'), 'alice')
  bob = await makeAccount(node('core-b'), 'bobby')
  await makeAccount(node('core-b'), 'billy')
})
afterEach(() => {
  cores().platform.setCore('core-b', { url: node('core-b').url, available: true, state: 'active' })
  cores().platform.setLive('core-b', true)
})

/** Lets calls to a core fail while it counts as live. */
const silence = (core: string): void => cores().platform.setCore(core, { url: 'http://127.0.0.1:1/' })

describe('the cores of the platform', () => {
  it('are listed with their accounts', async () => {
    expect((await ask('system/admin/cores')).body['cores']).toEqual([
      { id: 'core-a', url: node('core-a').url, hosting: 'one', available: true, userCount: 1 },
      { id: 'core-b', url: node('core-b').url, hosting: null, available: true, userCount: 2 },
      { id: 'core-c', url: node('core-c').url, hosting: null, available: true, userCount: 0 },
    ])
  })

  it.each([{ available: false }, { state: 'draining' }] as const)('are listed as not available: %o', async (changes) => {
    cores().platform.setCore('core-b', changes)
    expect((await ask('system/admin/cores')).body['cores']).toContainEqual(expect.objectContaining({ id: 'core-b', available: false }))
  })

  it('are listed as servers', async () => {
    expect((await ask('reg/admin/servers')).body['servers']).toEqual({
      [node('core-a').url]: { userCount: 1 },
      [node('core-b').url]: { userCount: 2 },
      [node('core-c').url]: { userCount: 0 },
    })
  })

  it.each(['core-b', 'part of the URL'])('are asked for the names of their accounts: %s', async (named) => {
    const name = named === 'core-b' ? named : String(node('core-b').port)
    expect((await ask(`reg/admin/servers/${name}/users`)).body['users']).toEqual([{ username: 'billy' }, { username: 'bobby' }])
    expect((await ask('reg/admin/servers/core-a/users')).body['users']).toEqual([{ username: 'alice' }])
    expect((await ask('reg/admin/servers/nowhere/users')).body['users']).toEqual([])
  })

  it('have their accounts listed by id while they do not answer', async () => {
    silence('core-b')
    const ids = [...cores().platform.accountsOf('core-b')].sort().map((username) => ({ username }))
    expect((await ask('reg/admin/servers/core-b/users')).body['users']).toEqual(ids)
  })

  it('never get accounts without their data', async () => {
    expect(await ask('reg/admin/servers/core-b/rename/core-c')).toMatchObject({ status: 400, body: { error: { id: 'INVALID_DATA', message: expect.stringContaining('The core core-b has accounts') } } })
    expect((await ask('reg/admin/servers/core-c/rename/core-b')).body).toMatchObject({ count: 0 })
    expect((await ask('reg/admin/servers/nowhere/rename/core-b')).body).toMatchObject({ count: 0 })
    expect(await ask('reg/admin/servers/core-b/rename/nowhere')).toMatchObject({ status: 400 })
  })
})

describe('an account of another core', () => {
  it.each<[route: string, path: string, options: Json, expected: Json]>([
    ['system.user', 'reg/admin/users/bobby', {}, { status: 200, body: { username: 'bobby', email: 'bobby@example.org' } }],
    ['system.userInfo', 'system/user-info/bobby', {}, { status: 200, body: { userInfo: { username: 'bobby' } } }],
    ['system.deactivateMfa', 'system/users/bobby/mfa', { method: 'DELETE' }, { status: 204 }],
    ['system.updateUser', 'system/users', { method: 'PUT', body: { username: 'bobby', user: { email: 'bobby@example.com' } } }, { status: 200, body: { user: true } }],
    ['system.unregisterUser, as a trial', 'system/users/bobby?onlyReg=true&dryRun=true', { method: 'DELETE' }, { status: 200, body: { result: { dryRun: true, deleted: false } } }],
    ['system.unregisterUser', 'system/users/billy?onlyReg=true', { method: 'DELETE' }, { status: 200, body: { result: { dryRun: false, deleted: true } } }],
  ])('is reached by any core: %s', async (_, path, options, expected) => expect(await ask(path, options)).toMatchObject(expected))

  it('has been changed there', () => {
    const { platform } = cores()
    expect(platform.holderOf({ field: 'email', value: 'bobby@example.com' })?.core).toBe('core-b')
    expect(platform.holderOf({ field: 'username', value: 'billy' })).toBeUndefined()
  })

  it.each<[path: string, options: Json, status: number, id: string]>([
    ['reg/admin/users/nobody', {}, 404, 'unknown-user'],
    ['system/user-info/nobody', {}, 404, 'unknown-resource'],
    ['system/users/bobby', { method: 'DELETE' }, 400, 'invalid-operation'],
    ['system/users', { method: 'PUT', body: { username: 'bobby', user: { unknown: 'x' } } }, 400, 'invalid-parameters-format'],
    ['system/users', { method: 'PUT', body: { username: 'bobby', user: { email: 'alice@example.org' } } }, 409, 'item-already-exists'],
  ])('has the failures of its core: %s %o', async (path, options, status, id) =>
    expect(await ask(path, options)).toMatchObject({ status, body: { error: { id } } }),
  )

  it('needs the admin key', async () => {
    for (const path of ['reg/admin/users/bobby', 'system/user-info/bobby', 'system/accesses/x', 'system/admin/cores']) {
      expect(await ask(path, { token: 'wrong' })).toMatchObject({ status: 404, body: { error: { id: 'unknown-resource' } } })
    }
  })

  it('cannot be reached while its core does not answer', async () => {
    silence('core-b')
    const answer = await ask('system/user-info/bobby')
    expect(answer).toMatchObject({ status: 503, body: { error: { id: 'platform-unavailable', message: 'The core core-b does not answer.' } } })
  })

  it('is not listed here', async () => {
    expect((await ask('system/admin/users')).body['users']).toEqual([expect.objectContaining({ username: 'alice', core: node('core-a').url })])
  })
})

describe('an access of another core', () => {
  const idOf = async (): Promise<string> => {
    const { body } = await request(`${node('core-b').url}bobby/access-info`, { token: bob })
    return String(body['id'])
  }

  it('is found on all cores at once', async () => {
    const { status, body } = await ask(`system/accesses/${await idOf()}`)
    expect({ status, body }).toMatchObject({ status: 200, body: { accessIndex: { username: 'bobby', type: 'personal', core: node('core-b').url } } })
  })

  it('is unknown when no core has it', async () => {
    expect(await ask('system/accesses/unknown')).toMatchObject({ status: 404, body: { error: { id: 'unknown-resource' } } })
  })

  it('is perhaps unknown when a core does not answer', async () => {
    silence('core-b')
    expect(await ask('system/accesses/unknown')).toMatchObject({ status: 503, body: { error: { id: 'platform-unavailable' } } })
  })

  it('is not searched for on cores that are not live', async () => {
    silence('core-b')
    cores().platform.setLive('core-b', false)
    expect(await ask('system/accesses/unknown')).toMatchObject({ status: 404 })
  })
})

describe('a call of a core', () => {
  it('is refused with a signature that is not valid', async () => {
    for (const header of ['core-b;1;x;y', `core-b;1;${'x'.repeat(22)};${'y'.repeat(86)}`]) {
      const answer = await request(`${node('core-a').url}system/user-info/bobby`, { token: ADMIN_KEY, headers: { 'coffer-core': header } })
      expect(answer).toMatchObject({ status: 403, body: { error: { id: 'forbidden' } } })
    }
  })

  it('is not forwarded again', async () => {
    const { coreCalls } = node('core-c').node
    const answer = await coreCalls.call({ id: 'core-a', url: node('core-a').url }, { verb: 'GET', path: '/system/user-info/bobby', authorization: ADMIN_KEY, timeoutMs: 5000 })
    expect(answer.status).toBe(404)
  })
})

describe('the check of the platform', () => {
  it('compares the accounts here with what all cores share', async () => {
    const { checks } = (await ask('system/check-platform-integrity')).body as { checks: Json[] }
    expect(checks).toHaveLength(3)
    expect(checks[2]).toEqual({ title: 'Users of this core vs platform', infos: { usersCountOnPlatform: 1, usersCountOnRepository: 1, namesCount: 2 }, errors: [] })
  })

  it('names accounts whose names belong to others, or that are not here', async () => {
    const { platform } = cores()
    const email = { field: 'email', value: 'alice@example.org' }
    const before = platform.holderOf(email)
    platform.setHolder(email, { core: 'core-a', account: 'c-other' })
    try {
      const { checks } = (await ask('system/check-platform-integrity')).body as { checks: { errors: string[] }[] }
      expect(checks[2]?.errors).toEqual(['user alice: email belongs to another account', 'user c-other: is registered for this core, which does not have the account'])
    } finally {
      if (before !== undefined) platform.setHolder(email, before)
    }
  })
})
