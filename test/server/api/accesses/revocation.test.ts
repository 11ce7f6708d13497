/** Revoked, expired or reduced rights have no effect on later answers, cached or not. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Permission } from '../../../../src/store/model/access.js'
import { authenticate } from '../../../../src/server/auth/authenticate.js'
import { createAccountCache } from '../../../../src/server/call/accountCache.js'
import { fakeClock } from '../../../support/nodes/clock.js'
import { registerUser, startTestNode, type TestNode } from '../../../support/nodes/node.js'
import { newStage, type Stage } from '../../../support/http/methodTable.js'
import { ask, errorOf, share, type Share } from '../../../support/people/shares.js'

const on = (streamId: string, level: string): Permission => ({ streamId, level }) as Permission
const clock = fakeClock()
let node: TestNode
let s: Stage
let app: Share
beforeAll(async () => {
  node = await startTestNode({}, { clock })
})
afterAll(() => node.stop())
beforeEach(async () => {
  s = await newStage(node)
  await s.arrange('streams.create', { id: 'heart', name: 'Heart' })
  await s.arrange('streams.create', { id: 'diary', name: 'Diary' })
  for (const streamId of ['heart', 'diary']) await s.arrange('events.create', { streamIds: [streamId], type: 'note/txt', content: 'x' })
  app = await share(s, { type: 'app', permissions: [on('*', 'manage')] })
})

const events = async (token: string): Promise<number | string> => {
  const answer = await ask(s, token, 'GET', '/events')
  return answer.status === 200 ? (answer.body['events'] as unknown[]).length : errorOf(answer).id
}
const write = (token: string): ReturnType<typeof ask> =>
  ask(s, token, 'POST', '/events', { streamIds: ['heart'], type: 'note/txt', content: 'x' })
const remove = (id: string, token = s.owner): ReturnType<typeof ask> => ask(s, token, 'DELETE', `/accesses/${id}`)

describe('a revoked or reduced access', () => {
  it('gets no cached answer after it is deleted', async () => {
    expect([await events(app.token), await events(app.token)]).toEqual([2, 2])
    await remove(app.id)
    expect(await events(app.token)).toBe('invalid-access-token')
  })

  it('gets no cached answer after its permissions are reduced or extended', async () => {
    const { id, token } = app
    expect([await events(token), await events(token)]).toEqual([2, 2])
    // The clock does not advance: only the version distinguishes the answers.
    await s.arrange('accesses.update', { id, update: { permissions: [on('heart', 'read')] } })
    expect([await events(token), await events(token)]).toEqual([1, 1])
    expect((await write(token)).status).toBe(403)
    await s.arrange('accesses.update', { id: `${id}:1`, update: { permissions: [on('*', 'manage')] } })
    expect(await events(token)).toBe(2)
    expect((await write(token)).status).toBe(201)
  })

  it('expires in time, with cached answers', async () => {
    const expiring = await share(s, { permissions: [on('*', 'read')], expireAfter: 10 })
    expect([await events(expiring.token), await events(expiring.token)]).toEqual([2, 2])
    clock.pass(10)
    const answer = await ask(s, expiring.token, 'GET', '/events')
    expect([answer.status, errorOf(answer)]).toEqual([403, { id: 'forbidden', message: 'Access has expired.' }])
    expect(answer.headers.get('svc-access-id')).toBe(expiring.id)
  })

  it('ends with its app, by expiry and by deletion', async () => {
    const parent = await share(s, { type: 'app', permissions: [on('*', 'read')] })
    const managed = await share(s, { permissions: [on('*', 'read')] }, parent.token)
    const { account } = (await node.node.accounts.find(s.username)) ?? {}
    if (account === undefined) throw new Error('no account')
    expect(await events(managed.token)).toBe(2)
    // Written directly: the API lets no app expire before its shares, but another node can send such an access.
    const key = (await import('../../../../src/store/engine/keys.js')).accountKeys.access(account.prefix, parent.id)
    const record = JSON.parse(account.db.get(key) ?? '') as object
    await account.write((t) => {
      t.put(key, JSON.stringify({ ...record, expires: clock.now() + 5 }))
      t.journal('access', 'update', parent.id)
    })
    expect(await events(managed.token)).toBe(2)
    clock.pass(5)
    expect(await events(managed.token)).toBe('forbidden')
    await account.write((t) => {
      t.delete(key)
      t.journal('access', 'delete', parent.id)
    })
    expect(await events(managed.token)).toBe('forbidden')
  })

  it('is refused to the next calls of the same batch', async () => {
    const before = Number(await events(s.owner))
    const { body } = await ask(s, app.token, 'POST', '', [
      { method: 'events.create', params: { streamIds: ['heart'], type: 'note/txt', content: 'x' } },
      { method: 'accesses.delete', params: { id: app.id } },
      { method: 'events.create', params: { streamIds: ['heart'], type: 'note/txt', content: 'x' } },
      { method: 'events.get', params: {} },
    ])
    const results = body['results'] as { error?: { id: string } }[]
    expect(results.map(({ error }) => error?.id)).toEqual([
      undefined,
      undefined,
      'invalid-access-token',
      'invalid-access-token',
    ])
    expect(await events(s.owner)).toBe(before + 1)
  })

  it('writes nothing after its deletion is answered', async () => {
    for (let round = 0; round < 10; round++) {
      const racing = await share(s, { type: 'app', permissions: [on('*', 'manage')] })
      let isDeleted = false
      const loaded = await node.node.accounts.find(s.username)
      const late: string[] = []
      const stop = node.node.store.follow((entries) => {
        for (const { account, kind, action, id } of entries) {
          if (account !== loaded?.account.prefix) continue
          if (kind === 'access' && action === 'delete') isDeleted = true
          else if (kind === 'event' && isDeleted) late.push(id)
        }
      })
      const before = Array.from({ length: round }, () => write(racing.token))
      const deletion = remove(racing.id)
      const after = Array.from({ length: 20 }, () => write(racing.token))
      expect((await deletion).status).toBe(200)
      const late403 = await write(racing.token)
      expect(errorOf(late403).id).toBe('invalid-access-token')
      for (const { status } of await Promise.all([...before, ...after])) expect([201, 403]).toContain(status)
      stop()
      expect(late).toEqual([])
    }
  })

  it('shares no permission that it lost concurrently', async () => {
    const { id, token } = app
    const narrowing = s.arrange('accesses.update', { id, update: { permissions: [on('heart', 'read')] } })
    const sharing = Array.from({ length: 20 }, (_, n) =>
      ask(s, token, 'POST', '/accesses', { name: `s${n}`, permissions: [on('diary', 'read')] }),
    )
    const answers = await Promise.all(sharing)
    // Shares before the update make it fail, and shares after it are refused.
    const outcome = await narrowing.then(
      () => 'narrowed',
      () => 'refused',
    )
    const { accesses } = await s.arrange('accesses.get', {})
    const shared = (accesses as Share[]).filter(({ type }) => type === 'shared')
    if (outcome === 'narrowed') expect(shared).toEqual([])
    for (const { status } of answers) expect([201, 403, 409]).toContain(status)
  })

  it('is not cached by an evicted account that a call still references', async () => {
    const directory = createAccountCache(node.node.store, 2)
    const evicted = await directory.find(s.username)
    if (evicted === undefined) throw new Error('no account')
    authenticate(node.node, evicted, app.token)
    expect(evicted.tokens.size).toBe(1)
    for (const letter of ['a', 'b', 'c']) {
      await registerUser(node, `${s.username}-${letter}`)
      await directory.find(`${s.username}-${letter}`)
    }
    authenticate(node.node, evicted, app.token)
    expect(evicted.tokens.size).toBe(0)
    expect(directory.peek(s.username)).toBeUndefined()
    await remove(app.id)
    expect(() => authenticate(node.node, evicted, app.token)).toThrow('Cannot find access from token.')
    expect(await directory.find(s.username)).not.toBe(evicted)
  })
})
