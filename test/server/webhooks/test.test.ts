/** Test calls of webhooks: docs/interface/webhooks.md#rules. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Delivery } from '../../../src/server/webhooks/feed.js'
import { grantAccess } from '../../support/people/access.js'
import { startTestNode, type TestNode } from '../../support/nodes/node.js'
import { startReceiver, type Receiver } from '../../support/services/webhookReceiver.js'
import { callThrough } from '../../support/http/methodTable.js'
import { hookOn, succeeding } from './support.js'

let node: TestNode
let receiver: Receiver
beforeAll(async () => {
  node = await startTestNode({ 'webhooks.requestTimeoutMs': 600 })
  receiver = await startReceiver()
})
afterAll(async () => {
  await node.stop()
  await receiver.stop()
})

describe('webhooks.test', () => {
  it('calls the webhook once, for the access that created it and for the owner, and records no run', async () => {
    const { id, stage, access, read } = await hookOn(node, receiver, { url: `${receiver.url}a/b?c=d` })
    for (const token of [access.token, stage.owner]) {
      const { webhook } = await succeeding(stage, token, 'webhooks.test', { id })
      expect(webhook).toMatchObject({ id, runCount: 0, runs: [] })
    }
    expect(receiver.messages).toEqual([['test'], ['test']])
    expect(receiver.received[0]).toMatchObject({ url: '/a/b?c=d', meta: { apiVersion: expect.any(String) as string } })
    expect(await read()).toMatchObject({ runCount: 0, currentRetries: 0 })
  })

  it('sends a name and a password in the url as Basic authentication', async () => {
    const { id, stage } = await hookOn(node, receiver, { url: receiver.url.replace('//', '//me:p%40ss@') })
    await stage.arrange('webhooks.test', { id })
    expect(receiver.received.at(-1)?.headers['authorization']).toBe(`Basic ${Buffer.from('me:p@ss').toString('base64')}`)
  })

  it('refuses another access and unknown ids without a call', async () => {
    const { id, stage } = await hookOn(node, receiver)
    const before = receiver.received.length
    const other = await grantAccess(node, stage.username, [{ streamId: '*', level: 'manage' }])
    expect((await callThrough('http', stage, other.token, 'webhooks.test', { id })).status).toBe(403)
    expect((await callThrough('http', stage, stage.owner, 'webhooks.test', { id: 'nope' })).status).toBe(404)
    expect(receiver.received.slice(before).map(({ messages }) => messages)).not.toContainEqual(['test'])
  })

  it.each([
    ['a status', 503, undefined],
    ['a redirect', 'redirect', 'redirect'],
    ['a timeout', 'hang', 'timeout'],
    ['a closed connection', 'close', 'closed'],
  ] as const)('reports %s', async (_, answer, error) => {
    const one = await startReceiver(answer)
    const { id, stage, access } = await hookOn(node, one)
    const deliveries: Delivery[] = []
    const { account } = (await node.node.accounts.find(stage.username)) ?? {}
    const stop = node.node.webhooks.follow(account?.prefix, (delivery) => deliveries.push(delivery))
    const { status, body } = await callThrough('http', stage, stage.owner, 'webhooks.test', { id })
    expect({ status, body }).toMatchObject({ status: 400, body: { error: { id: 'unknown-referenced-resource', data: { url: one.url } } } })
    stop()
    const tested = deliveries.filter(({ messages }) => messages.includes('test'))
    expect(tested).toMatchObject([{ webhookId: id, accessId: access.id, url: one.url, messages: ['test'] }])
    expect(tested[0]?.error).toBe(error)
    await one.stop()
  })

  it.each([
    ['http://no-such-host.invalid/', 'unknown host'],
    ['http://10.1.2.3/', 'private address'],
    ['http://169.254.169.254/latest/meta-data', 'private address'],
    ['https://[fd00::1]/', 'private address'],
    ['http://[::ffff:10.0.0.1]/', 'private address'],
    ['http://0x0a000001/', 'private address'],
    ['http://0/', 'private address'],
  ])('does not call %s', async (url, cause) => {
    const { id, stage } = await hookOn(node, receiver, { url })
    const { body } = await callThrough('http', stage, stage.owner, 'webhooks.test', { id })
    expect(body['error']).toMatchObject({ id: 'unknown-referenced-resource', data: { url } })
    expect((body['error'] as Error).message).toContain(cause)
  })

  it('writes no query of a url to the log or the audit', async () => {
    const { id, stage } = await hookOn(node, receiver, { url: 'http://10.1.2.3/?key=sesame' })
    await callThrough('http', stage, stage.owner, 'webhooks.test', { id })
    await callThrough('http', stage, stage.owner, 'webhooks.create', { url: 'nonsense?key=sesame' })
    const { events } = await stage.arrange('events.get', { streams: [':_audit:accesses'], limit: 100 })
    expect(JSON.stringify(events)).not.toContain('sesame')
    expect(JSON.stringify(events)).toContain('webhooks.test')
    expect(node.logged.join('')).not.toContain('sesame')
  })
})
