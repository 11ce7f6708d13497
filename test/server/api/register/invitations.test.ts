/** Registration by invitation: docs/interface/registration.md#invitations, docs/interface/registration.md#look-ups. */
import { createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createInvitations, listInvitations, prepareInvitations } from '../../../../src/server/api/register/invitations.js'
import { initialise } from '../../../../src/server/launch/init.js'
import { placesOf, request, startTestNode, type Answer, type TestNode } from '../../../support/nodes/node.js'
import { register, registration } from '../../../support/people/registration.js'
import { withNode } from '../../../support/nodes/started.js'

const KEY = 'the admin key of the operator'
const refused = { status: 400, body: { error: { id: 'invalid-operation', message: expect.stringMatching(/invitation/i) as string } } }
const idOf = (token: string): string => createHash('sha256').update(token).digest('hex')

const admin = (node: TestNode, path: string): Promise<Answer> => request(`${node.url}${path}`, { token: KEY })

interface Entry {
  id: string
  createdAt: number
  createdBy: string
  description: string
  consumedAt?: number
  consumedBy?: string
}
async function list(node: TestNode): Promise<Entry[]> {
  return (await admin(node, 'reg/admin/invitations')).body['invitations'] as Entry[]
}
async function invite(node: TestNode, query = ''): Promise<Entry[]> {
  const { status, body } = await admin(node, `reg/admin/invitations/post${query}`)
  expect(status).toBe(200)
  return body['data'] as Entry[]
}
const check = async (node: TestNode, body: unknown, path = 'access/invitationtoken/check'): Promise<unknown> =>
  (await request(`${node.url}${path}`, { body })).body

describe('invitations of the settings', () => {
  const at = withNode({ invitationTokens: ['first', 'second', 'third'], 'auth.adminAccessKey': KEY })
  const checkToken = (token: unknown): Promise<unknown> => check(at(), { invitationtoken: token })

  it('permit one registration each', async () => {
    expect(await checkToken('first')).toBe(true)
    const input = registration({ invitationToken: 'first' })
    expect((await register(at(), input)).status).toBe(200)
    expect(await checkToken('first')).toBe(false)
    expect(await register(at(), registration({ invitationToken: 'first' }))).toMatchObject(refused)
    const entry = (await list(at())).find(({ id }) => id === idOf('first'))
    expect(entry).toMatchObject({ createdBy: 'settings', consumedBy: input['username'], consumedAt: expect.any(Number) as number })
  })

  it.each(['fourth', '', 'SECOND', undefined])('are refused with the token %j', async (invitationToken) => {
    expect(await register(at(), registration({ invitationToken }))).toMatchObject(refused)
  })

  it('are checked before the username', async () => {
    for (const username of ['coffer', 'person-1']) {
      expect(await register(at(), registration({ username, invitationToken: 'wrong' }))).toMatchObject(refused)
    }
  })

  it('are not consumed by a failed registration', async () => {
    const existing = registration({ invitationToken: 'second' })
    expect((await register(at(), existing)).status).toBe(200)
    const { username } = existing
    for (const more of [{ username }, { username: 'coffer' }, { password: 'short' }]) {
      expect((await register(at(), registration({ invitationToken: 'third', ...more }))).status).toBeGreaterThanOrEqual(400)
    }
    expect(await checkToken('third')).toBe(true)
  })

  it.each([{}, { invitationtoken: 5 }, { invitationtoken: null }, [], { other: 'third' }])('are reported invalid for %j', async (body) => {
    expect(await check(at(), body)).toBe(false)
  })

  it('are checked with a plain text response, also for a form', async () => {
    const response = await fetch(`${at().url}access/invitationtoken/check`, {
      method: 'POST',
      body: new URLSearchParams({ invitationtoken: 'third' }),
    })
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toMatch(/^text\/plain/)
    expect(await response.text()).toBe('true')
    expect(await check(at(), { invitationtoken: 'third' }, 'reg/access/invitationtoken/check')).toBe(true)
  })

  it('permit exactly one of 50 concurrent registrations', async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => register(at(), registration({ invitationToken: 'third' }))))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    for (const answer of answers) if (answer.status !== 200) expect(answer).toMatchObject(refused)
    const winner = answers.find(({ status }) => status === 200)?.body['username']
    expect((await list(at())).find(({ id }) => id === idOf('third'))).toMatchObject({ consumedBy: winner })
  })
})

describe('open registration', () => {
  const at = withNode({ 'auth.adminAccessKey': KEY })
  it('ignores tokens, and reports all as valid', async () => {
    const [created] = await invite(at())
    expect((await register(at(), registration({ invitationToken: created?.id }))).status).toBe(200)
    expect((await list(at()))[0]).not.toHaveProperty('consumedAt')
    for (const body of [{}, { invitationtoken: 'any' }]) expect(await check(at(), body)).toBe(true)
  })
})

describe('invitations of the operator', () => {
  const at = withNode({ invitationTokens: [], 'auth.adminAccessKey': KEY })

  it('are required when the list of the settings is empty', async () => {
    for (const more of [{}, { invitationToken: 'any' }, { invitationToken: '' }]) {
      expect(await register(at(), registration(more))).toMatchObject(refused)
    }
    const [created] = await invite(at(), '?message=for%20Ana')
    expect(created).toMatchObject({ createdBy: 'admin', description: 'for Ana', createdAt: expect.any(Number) as number })
    const token = String(created?.id)
    expect(token).toMatch(/^[0-9a-f]{32}$/)
    expect(await check(at(), { invitationtoken: token })).toBe(true)
    const { id: _, ...rest } = created ?? { id: '' }
    expect(await list(at())).toContainEqual({ ...rest, id: idOf(token) })
    expect((await register(at(), registration({ invitationToken: token }))).status).toBe(200)
  })

  it.each([['', 1], ['?count=3', 3], ['?count=many', 1], ['?count=', 1], ['?count=1000', 1000]])('are created in the requested number: %s', async (query, count) => {
    const created = await invite(at(), query)
    expect(new Set(created.map(({ id }) => id)).size).toBe(count)
  })
  it.each(['0', '-1', '1001', '1.5', '1e9', 'Infinity'])('are refused for a count of %s', async (count) => {
    expect(await admin(at(), `admin/invitations/post?count=${count}`)).toMatchObject({ status: 400, body: { error: { id: 'invalid-parameters-format' } } })
  })

  it('are stored and logged without their tokens', async () => {
    const [created] = await invite(at())
    const token = String(created?.id)
    const { body } = await register(at(), registration({ invitationToken: token }))
    const loaded = await at().node.accounts.find(String(body['username']))
    expect(loaded?.user.hidden).toMatchObject({ invitationToken: idOf(token) })
    expect(JSON.stringify([await at().node.registry.records.list('invitation'), loaded?.user])).not.toContain(token)
    expect(at().logged.join('\n')).not.toContain(token)
  })

  it.each(['reg/admin/invitations', 'admin/invitations', 'reg/admin/invitations/post', 'admin/invitations/post'])('require the admin key at /%s', async (path) => {
    expect((await admin(at(), path)).status).toBe(200)
    for (const token of [undefined, '', 'wrong', `Bearer ${KEY}`]) {
      const answer = await request(`${at().url}${path}`, token === undefined ? {} : { token })
      expect(answer).toMatchObject({ status: 404, body: { error: { id: 'unknown-resource' } } })
    }
  })
})

describe('invitations after a restart', () => {
  const settings = { invitationTokens: ['listed'], 'auth.adminAccessKey': KEY }

  async function withHome(work: (start: () => Promise<TestNode>) => Promise<void>): Promise<void> {
    const home = await mkdtemp(join(tmpdir(), 'coffer-invited-'))
    try {
      await initialise(placesOf(home))
      await work(() => startTestNode(settings, { home }))
    } finally {
      await rm(home, { recursive: true, force: true })
    }
  }

  it('remain consumed', () =>
    withHome(async (start) => {
      const first = await start()
      expect((await register(first, registration({ invitationToken: 'listed' }))).status).toBe(200)
      await first.stop()
      const second = await start()
      expect(await register(second, registration({ invitationToken: 'listed' }))).toMatchObject(refused)
      expect(await list(second)).toHaveLength(1)
      await second.stop()
    }))

  it('that a crash left reserved are consumed if the account exists, and released otherwise', () =>
    withHome(async (start) => {
      const node = await start()
      const { records, core } = node.node.registry
      const [unused, created] = await createInvitations(node.node, 2, '')
      if (unused === undefined || created === undefined) throw new Error('no invitations')
      const input = registration({ invitationToken: created.token })
      expect((await register(node, input)).status).toBe(200)
      // Simulates crashes before the creation of the account, and after it.
      const reserve = (id: string, username: string): Promise<void> =>
        records.change('invitation', id, (now) => {
          const { consumedAt: _, consumedBy: __, ...rest } = now as Entry
          return { put: { ...rest, reserved: { core, username } }, result: undefined }
        })
      await reserve(unused.id, 'never-made')
      await reserve(created.id, String(input['username']))
      for (const { token } of [unused, created]) expect(await register(node, registration({ invitationToken: token }))).toMatchObject(refused)
      await node.stop()
      const again = await start()
      const settled = await listInvitations(again.node)
      expect(settled.find(({ id }) => id === created.id)).toMatchObject({ consumedBy: input['username'] })
      expect(await register(again, registration({ invitationToken: created.token }))).toMatchObject(refused)
      // The released invitation is accepted, also for the same username.
      expect((await register(again, registration({ username: 'never-made', invitationToken: unused.token }))).status).toBe(200)
      await prepareInvitations(again.node)
      expect((await listInvitations(again.node)).filter(({ consumedAt }) => consumedAt === undefined).map(({ id }) => id)).toEqual([idOf('listed')])
      await again.stop()
    }))
})
