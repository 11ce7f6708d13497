import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { registerUser, request, startTestNode, type TestNode } from '../../../support/nodes/node.js'
import { newStage } from '../../../support/http/methodTable.js'

let node: TestNode
beforeAll(async () => {
  node = await startTestNode({ 'limits.batch.maxTotalItems': 3 })
})
afterAll(() => node.stop())

describe('account fields', () => {
  it('keeps a unique value when only the time of its event changes', async () => {
    const { owner, username } = await newStage(node)
    const { status, body } = await request(`${node.url}${username}/events/${encodeURIComponent(':system:email')}`, {
      method: 'PUT',
      token: owner,
      body: { time: 1000 },
    })
    expect(status).toBe(200)
    expect(body['event']).toMatchObject({ time: 1000, content: `${username}@example.org` })
    // The address is still reserved.
    const again = await request(`${node.url}users`, {
      body: { username: 'someone-else', password: 'secret1', email: `${username}@example.org`, appId: 'test-app' },
    })
    expect(again.status).toBe(409)
  })

  it('refuses an event in the root of the account streams as read-only', async () => {
    const { owner, username } = await newStage(node)
    const { status, body } = await request(`${node.url}${username}/events`, {
      token: owner,
      body: { streamIds: [':_system:account'], type: 'note/txt', content: 'x' },
    })
    expect(status).toBe(400)
    expect(body['error']).toMatchObject({ id: 'invalid-operation', data: { streamId: ':_system:account' } })
  })
})

describe('deleting an account', () => {
  it('leaves no data of concurrent writes', async () => {
    for (let round = 0; round < 5; round++) {
      const username = `racing-${round}`
      const token = await registerUser(node, username)
      await request(`${node.url}${username}/streams`, { token, body: { id: 'a', name: 'A' } })
      const prefix = (await node.node.accounts.find(username))?.account.prefix ?? ''
      const event = { streamIds: ['a'], type: 'note/txt', content: 'x' }
      const writes = Array.from({ length: 20 }, () => request(`${node.url}${username}/events`, { token, body: event }))
      const key = node.node.config.get('auth.adminAccessKey') ?? ''
      const deletion = request(`${node.url}users/${username}`, { method: 'DELETE', token: key })
      const late = Array.from({ length: 20 }, () => request(`${node.url}${username}/events`, { token, body: event }))
      expect((await deletion).status).toBe(200)
      await Promise.all([...writes, ...late])
      const remaining = node.node.store.db.keys({ gte: `${prefix}/`, lt: `${prefix}0` })
      expect(await remaining.next(10)).toEqual([])
      await remaining.close()
    }
  })
})

describe('a batch', () => {
  it('refuses a complete list over the limit, such as the events of a deleted stream', async () => {
    const { owner, username, arrange } = await newStage(node)
    await arrange('streams.create', { id: 'full', name: 'Full' })
    for (let n = 0; n < 4; n++) await arrange('events.create', { streamIds: ['full'], type: 'note/txt', content: 'x' })
    await arrange('streams.delete', { id: 'full' })
    const { body } = await request(`${node.url}${username}`, {
      token: owner,
      body: [{ method: 'streams.delete', params: { id: 'full', mergeEventsWithParent: false } }],
    })
    expect(body['results']).toMatchObject([{ error: { id: 'too-many-results', data: { limit: 3 } } }])
  })
})
