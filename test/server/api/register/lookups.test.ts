/** Look-ups before and after registration: docs/interface/registration.md#look-ups. */
import { beforeAll, describe, expect, it } from 'vitest'
import { loadConfig } from '../../../../src/server/config/config.js'
import { methods } from '../../../../src/server/api/methods.js'
import { isUsername } from '../../../../src/server/api/register/input.js'
import { isReservedUsername } from '../../../../src/server/api/register/reserved.js'
import { registerUser, request, type Answer } from '../../../support/nodes/node.js'
import { register, registration } from '../../../support/people/registration.js'
import { withNode } from '../../../support/nodes/started.js'

describe('look-ups', () => {
  const at = withNode()
  beforeAll(async () => {
    await registerUser(at(), 'alice')
  })
  const get = (path: string): Promise<Answer> => request(`${at().url}${path}`)

  it.each([
    ['alice', true],
    ['nobody', false],
    ['admin', true],
    ['coffer', true],
    ['coffer-shop', true],
    ['users', true],
  ])('check_username of %s', async (name, reserved) => {
    const { status, body } = await get(`reg/${name}/check_username`)
    expect(status).toBe(200)
    expect(body).toEqual({ reserved, meta: expect.any(Object) as object })
  })

  it.each(['abcd', 'x'.repeat(61), 'Alice', 'al%20ice', 'al!ce', '-alice'])('check_username refuses %s', async (name) => {
    const { status, body } = await get(`reg/${name}/check_username`)
    expect(status).toBe(400)
    expect(body).toMatchObject({ error: { id: 'invalid-parameters-format', data: [{ code: expect.stringContaining('username') as string }] } })
  })

  it.each([
    ['alice@example.org', true],
    ['Alice@Example.ORG', true],
    ['nobody@example.org', false],
  ])('check_email of %s', async (email, exists) => {
    const { status, body } = await get(`reg/${encodeURIComponent(email)}/check_email`)
    expect(status).toBe(200)
    expect(body).toMatchObject({ exists, reserved: exists, meta: {} })
  })

  it.each(['alice', '@example.org', 'alice@', 'a b@c', 'a@b@c'])('check_email refuses %s', async (email) => {
    const answer = await get(`reg/${encodeURIComponent(email)}/check_email`)
    expect(answer).toMatchObject({ status: 400, body: { error: { id: 'INVALID_EMAIL' }, meta: {} } })
  })

  it('find the username of an e-mail address', async () => {
    expect((await get('reg/alice@example.org/username')).body).toMatchObject({ username: 'alice' })
    expect((await get('reg/alice%40example.org/uid')).body).toMatchObject({ uid: 'alice' })
    expect((await get('reg/ALICE@example.org/username')).body).toMatchObject({ username: 'alice' })
    for (const path of ['reg/nobody@example.org/username', 'reg/nobody@example.org/uid', 'reg/nonsense/uid']) {
      expect(await get(path)).toMatchObject({ status: 404, body: { error: { id: 'UNKNOWN_EMAIL' }, meta: {} } })
    }
  })

  it('find current and secondary e-mail addresses after a change', async () => {
    const token = await registerUser(at(), 'mover')
    await request(`${at().url}mover/events`, {
      token,
      body: { streamIds: [':system:email'], type: 'email/string', content: 'moved@example.org' },
    })
    expect((await get('reg/moved@example.org/username')).body).toMatchObject({ username: 'mover' })
    // The account keeps the former address as a secondary one.
    expect((await get('reg/mover@example.org/username')).body).toMatchObject({ username: 'mover' })
    await request(`${at().url}mover/account`, { token, method: 'PUT', body: { emails: { remove: ['mover@example.org'] } } })
    expect((await get('reg/mover@example.org/username')).status).toBe(404)
    expect((await register(at(), registration({ email: 'mover@example.org' }))).status).toBe(200)
  })

  it('return the server of a user', async () => {
    const post = (name: string): Promise<Answer> => request(`${at().url}reg/${name}/server`, { body: {} })
    expect(await post('alice')).toMatchObject({ status: 200, body: { server: at().url, alias: 'alice', meta: {} } })
    expect(await post('Alice')).toMatchObject({ status: 200, body: { alias: 'alice' } })
    expect(await post('nobody')).toMatchObject({ status: 404, body: { error: { id: 'unknown-user' }, meta: {} } })
  })

  it('redirect to the server of a user', async () => {
    const response = await fetch(`${at().url}reg/alice/server`, { redirect: 'manual' })
    expect(response.status).toBe(302)
    expect(response.headers.get('location')).toBe(`${at().url}?username=alice`)
    expect(response.headers.get('api-version')).not.toBeNull()
    expect(await response.json()).toMatchObject({ alias: 'alice', meta: {} })
    expect((await fetch(`${at().url}reg/alice/server`)).status).toBe(200)
    expect(await get('reg/nobody/server')).toMatchObject({ status: 404, body: { error: { id: 'unknown-user' } } })
  })

  it.each(['username', 'email'])('refuse the removed method POST /reg/%s/check', async (name) => {
    const answer = await request(`${at().url}reg/${name}/check`, { body: {} })
    expect(answer).toMatchObject({ status: 410, body: { error: { id: 'removed-method' } } })
  })
})

describe('reserved usernames', () => {
  it('include the first segments of all platform paths', () => {
    const paths = methods.filter(({ scope }) => scope === 'platform').flatMap(({ http }) => [http.path, ...(http.aliases ?? [])])
    const words = paths.map((path) => path.split('/')[1] ?? '').filter(isUsername)
    expect(words).toContain('users')
    expect(words.filter((word) => !isReservedUsername(loadConfig(), word))).toEqual([])
  })
})

describe('the look-up of a core', () => {
  const at = withNode()
  beforeAll(async () => {
    await registerUser(at(), 'alice')
  })
  const cores = (query: string): Promise<Answer> => request(`${at().url}reg/cores${query}`)

  it.each(['?username=alice', '?username=ALICE', '?email=alice@example.org', '?email=nobody@example.org', '?email='])('returns the core for %s', async (query) => {
    expect(await cores(query)).toMatchObject({ status: 200, body: { core: { url: at().url }, meta: {} } })
  })
  it.each(['', '?username=alice&email=a@b', '?other=1'])('refuses %j', async (query) => {
    expect(await cores(query)).toMatchObject({ status: 400, body: { error: { id: 'invalid-parameters-format' } } })
  })
  it('fails for unknown users', async () => {
    expect(await cores('?username=nobody')).toMatchObject({ status: 404, body: { error: { id: 'unknown-resource' } } })
  })
})

describe('disabled look-ups by e-mail address', () => {
  const at = withNode({ 'account.lookUpByEmail': false })
  it('are not available', async () => {
    await registerUser(at(), 'alice')
    for (const kind of ['username', 'uid']) {
      for (const email of ['alice@example.org', 'nobody@example.org']) {
        const answer = await request(`${at().url}reg/${email}/${kind}`)
        expect(answer).toMatchObject({ status: 451, body: { error: { id: 'unavailable-method' } } })
      }
    }
    expect((await request(`${at().url}reg/alice@example.org/check_email`)).body).toMatchObject({ exists: true })
  })
})

describe('hostings', () => {
  const at = withNode()
  it.each(['hostings', 'reg/hostings'])('are listed at /%s with the core of the node', async (path) => {
    const { status, body } = await request(`${at().url}${path}`)
    expect(status).toBe(200)
    interface Leaf {
      name: unknown
      available: unknown
      availableCore: unknown
    }
    const regions = body['regions'] as Record<string, { zones: Record<string, { hostings: Record<string, Leaf> }> }>
    const leaves = Object.values(regions).flatMap(({ zones }) =>
      Object.values(zones).flatMap(({ hostings }) => Object.values(hostings)),
    )
    expect(leaves).toEqual([expect.objectContaining({ name: 'coffer', available: true, availableCore: at().url })])
  })
})

describe('hostings of the operator', () => {
  const hosting = (name: string): object => ({ name, description: 'a place', url: 'https://example.org/' })
  const regions = {
    europe: {
      name: 'Europe',
      localizedName: { fr: 'Europe' },
      zones: { ch: { name: 'Switzerland', hostings: { geneva: hosting('Geneva'), zurich: hosting('Zurich') } } },
    },
  }
  const open = withNode({ hostings: { regions } })
  const one = withNode({ hostings: { regions }, 'core.hosting': 'geneva' })
  const none = { available: false, availableCore: '' }

  it('are all available on a node without a hosting', async () => {
    const core = { available: true, availableCore: open().url }
    const { body } = await request(`${open().url}reg/hostings`)
    expect(body['regions']).toEqual({
      europe: {
        ...regions.europe,
        zones: { ch: { name: 'Switzerland', hostings: { geneva: { ...hosting('Geneva'), ...core }, zurich: { ...hosting('Zurich'), ...core } } } },
      },
    })
  })
  it('are available only for the hosting of the node', async () => {
    const { body } = await request(`${one().url}hostings`)
    expect(body['regions']).toMatchObject({
      europe: { zones: { ch: { hostings: { geneva: { available: true, availableCore: one().url }, zurich: none } } } },
    })
  })
})

describe('the directory of applications', () => {
  const entry = { displayName: 'Heart Watch', description: { en: 'Pulse', fr: 'Pouls' }, support: ['a@b'], active: true, extra: { a: 1 } }
  const at = withNode({ appList: { 'heart-watch': entry, 'a.b-c_d': {} } })
  const withoutApps = withNode()

  it('lists the applications of the settings', async () => {
    for (const path of ['apps', 'reg/apps', 'apps/']) {
      const { status, body } = await request(`${at().url}${path}`)
      expect(status).toBe(200)
      expect(body).toMatchObject({ apps: [{ id: 'a.b-c_d' }, { id: 'heart-watch', ...entry }] })
    }
    expect((await request(`${withoutApps().url}apps`)).body).toMatchObject({ apps: [] })
  })
  it('returns a single application', async () => {
    expect((await request(`${at().url}apps/heart-watch`)).body).toMatchObject({ app: { id: 'heart-watch', ...entry } })
    for (const id of ['other', '__proto__', 'constructor', 'Heart-Watch', '%20']) {
      expect(await request(`${at().url}apps/${id}`)).toMatchObject({ status: 404, body: { error: { id: 'unknown-resource' } } })
    }
  })
})
