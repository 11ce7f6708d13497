/** Delivery of webhook calls: timing, contents, retries (docs/interface/webhooks.md#delivery). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createControl } from '../../../src/server/control/control.js'
import { operatorMethods } from '../../../src/server/control/operatorMethods.js'
import { startReceiver, type Receiver } from '../../support/services/webhookReceiver.js'
import { startTestNode, type TestNode } from '../../support/nodes/node.js'
import { withNode } from '../../support/nodes/started.js'
import { hookOn, until, type Hook } from './support.js'

const INTERVAL = 60
let node: TestNode
const receivers: Receiver[] = []
beforeAll(async () => {
  node = await startTestNode({ 'webhooks.minIntervalMs': INTERVAL, 'webhooks.maxRetries': 2, 'webhooks.runsSize': 3, 'webhooks.requestTimeoutMs': 600 })
})
afterAll(async () => {
  await Promise.all(receivers.map((receiver) => receiver.stop()))
  await node.stop()
})

async function hook(answer: Receiver['answer'] = 200): Promise<Hook> {
  const receiver = await startReceiver(answer)
  receivers.push(receiver)
  return hookOn(node, receiver)
}

describe('a webhook', () => {
  it('is called immediately when an event is created, with messages and meta, and records the run', async () => {
    const { receiver, stage, addEvent, runs, read } = await hook()
    await addEvent()
    const [call] = await receiver.calls(1)
    expect(call).toMatchObject({ method: 'POST', url: '/', messages: ['eventsChanged'] })
    expect(call?.headers).toMatchObject({ 'content-type': 'application/json' })
    expect(call?.headers).not.toHaveProperty('authorization')
    expect(JSON.stringify(call)).not.toContain(stage.username)
    const { meta } = await stage.arrange('getAccessInfo', {})
    expect(Object.keys(call?.meta ?? {})).toEqual(['apiVersion', 'serverTime', 'serial'])
    expect(call?.meta).toMatchObject({ apiVersion: (meta as Record<string, unknown>)['apiVersion'] })
    await runs(1)
    const { lastRun, runs: list, ...rest } = await read()
    expect(rest).toMatchObject({ runCount: 1, failCount: 0, currentRetries: 0, state: 'active' })
    expect(list).toEqual([lastRun])
    expect(lastRun).toMatchObject({ status: 200 })
    expect(Math.abs((lastRun as { timestamp: number }).timestamp - Date.now() / 1000)).toBeLessThan(10)
  })

  it('stops after too many failures, preserves the latest runs, and continues when it is activated', async () => {
    const { receiver, stage, addEvent, runs, set, read } = await hook(503)
    await addEvent()
    const stopped = await until(read, ({ state }) => state === 'inactive')
    expect(stopped).toMatchObject({ runCount: 3, failCount: 3, currentRetries: 3, maxRetries: 2 })
    const attention = (): Promise<unknown> => createControl(node.node, [], operatorMethods).call('node.attention', {}, {})
    const { user, id, runs: list } = { user: stage.username, id: stopped['id'], runs: stopped['runs'] as { timestamp: number }[] }
    const host = new URL(receiver.url).host
    expect(await attention()).toMatchObject({ stoppedWebhooks: expect.arrayContaining([{ user, id, host, failed: 3, since: list[2]?.timestamp }]) })
    await addEvent()
    await new Promise((resolve) => setTimeout(resolve, 4 * INTERVAL))
    expect(receiver.received).toHaveLength(3)
    receiver.answer = 200
    expect(await set('active')).toMatchObject({ state: 'active', currentRetries: 0 })
    expect(JSON.stringify(await attention())).not.toContain(String(id))
    await receiver.calls(4)
    expect(receiver.messages[3]).toEqual(['eventsChanged'])
    expect(await runs(4)).toMatchObject({ currentRetries: 0, runs: [{ status: 200 }, { status: 503 }, { status: 503 }] })
    await addEvent()
    await receiver.calls(5)
  })
})

describe('messages within the minimum interval', () => {
  const LONG = 700
  const at = withNode({ 'webhooks.minIntervalMs': LONG, 'webhooks.requestTimeoutMs': 600 })
  const slow = async (answer: Receiver['answer'] = 200): Promise<Hook> => {
    const receiver = await startReceiver(answer)
    receivers.push(receiver)
    return hookOn(at(), receiver)
  }

  it('are collected and sent together', async () => {
    const { receiver, stage, addEvent, runs } = await slow()
    await addEvent()
    await runs(1)
    const event = { streamIds: ['diary'], type: 'note/txt', content: 'x' }
    await stage.arrange('callBatch', [
      { method: 'events.create', params: event },
      { method: 'streams.create', params: { name: 'another' } },
      { method: 'events.create', params: event },
    ])
    const [second, first] = (await runs(2)).runs
    expect((second?.timestamp ?? 0) - (first?.timestamp ?? 0)).toBeGreaterThan(LONG / 1000 - 0.02)
    expect(receiver.messages).toEqual([['eventsChanged'], ['eventsChanged', 'streamsChanged']])
  })

  it('are sent after a slow call in progress', async () => {
    const { receiver, stage, addEvent, runs } = await slow('hang')
    await addEvent()
    await receiver.calls(1)
    receiver.answer = 200
    await stage.arrange('streams.create', { name: 'another' })
    expect(receiver.messages).toEqual([['eventsChanged']])
    await receiver.calls(2)
    expect(receiver.received[0]?.isOver).toBe(true)
    expect(receiver.messages[1]).toEqual(['eventsChanged', 'streamsChanged'])
    const { failCount, currentRetries } = await runs(2)
    expect({ failCount, currentRetries }).toEqual({ failCount: 1, currentRetries: 0 })
  })

  it('are added to the retry of a failed call, and a success resets the retries', async () => {
    const { receiver, stage, addEvent, runs } = await slow(503)
    await addEvent()
    expect(await runs(1)).toMatchObject({ failCount: 1, currentRetries: 1, lastRun: { status: 503 } })
    receiver.answer = 204
    await stage.arrange('streams.create', { name: 'another' })
    await receiver.calls(2)
    expect(receiver.messages).toEqual([['eventsChanged'], ['eventsChanged', 'streamsChanged']])
    expect(await runs(2)).toMatchObject({ failCount: 1, currentRetries: 0, runs: [{ status: 204 }, { status: 503 }] })
    await new Promise((resolve) => setTimeout(resolve, 2 * LONG))
    expect(receiver.messages).toHaveLength(2)
  })
})

describe('the answer of a receiver', () => {
  it.each([
    ['a redirect is a failure and is not followed', 'redirect', 307],
    ['no answer is a failure', 'hang', 0],
    ['a closed connection is a failure', 'close', 0],
    ['an endless head is a failure', 'drip head', 0],
    ['an endless body is aborted, and the status counts', 'drip body', 200],
    ['any 2xx status is a success', 299, 299],
    ['a server error is a failure', 500, 500],
  ] as const)('%s', async (_, answer, status) => {
    const { receiver, addEvent, runs } = await hook(answer)
    await addEvent()
    await receiver.calls(1)
    const isFailure = status < 200 || status > 299
    // On a busy machine a retry may happen before this check.
    const after = await runs(1)
    const failed = isFailure ? after['runCount'] : 0
    expect(after).toMatchObject({ lastRun: { status }, failCount: failed, currentRetries: failed })
    expect(receiver.received.map(({ url }) => url)).not.toContain('/elsewhere')
    await until(() => Promise.resolve(receiver.received[0]), (call) => call?.isOver === true)
  })

  it('an unreachable receiver has status 0', async () => {
    const { receiver, addEvent, runs } = await hook()
    await receiver.stop()
    await addEvent()
    expect(await runs(1)).toMatchObject({ lastRun: { status: 0 }, failCount: 1, currentRetries: 1 })
    await receiver.start()
    await receiver.calls(1)
    expect(receiver.messages[0]).toEqual(['eventsChanged'])
  })
})
