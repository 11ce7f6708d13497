/** Messages that tell connected clients what changed: data supplement 9.1. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { registerUser, request, startTestNode, type TestNode } from '../../support/node.js'
import { connectSocket } from '../../support/socket.js'

let node: TestNode
let token: string
beforeAll(async () => {
  node = await startTestNode()
  token = await registerUser(node, 'alice')
  await request(`${node.url}alice/streams`, { token, body: { id: 'diary', name: 'Diary' } })
})
afterAll(() => node.stop())

describe('a websocket', () => {
  it('answers calls, and hears what others change', async () => {
    const socket = await connectSocket(node, 'alice', { token })
    const { error, result } = await socket.call('events.get', { streams: ['diary'] })
    expect(error).toBeNull()
    expect(result).toMatchObject({ events: [], meta: { serial: '1' } })
    await request(`${node.url}alice/events`, { token, body: { streamIds: ['diary'], type: 'note/txt', content: 'hi' } })
    await expect.poll(() => socket.received).toEqual([{ name: 'eventsChanged', content: [] }])
    socket.close()
  })
})
