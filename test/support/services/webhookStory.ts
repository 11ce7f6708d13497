/** Receiver that fails, hangs, redirects and recovers, while the node that calls it stops and starts. */
import { expect } from 'vitest'
import { request } from '../nodes/node.js'
import { startReceiver, type Answering } from './webhookReceiver.js'

export interface NodeControl {
  /** Starts the node; returns its URL. */
  start(): Promise<string>
  /** Ends the node, in any way. */
  end(): Promise<void>
}

/** Retries soon, and does not give up during the test. */
export const storySettings = { 'webhooks.minIntervalMs': 40, 'webhooks.maxRetries': 50, 'webhooks.requestTimeoutMs': 800, 'webhooks.runsSize': 100 }

interface WebhookState {
  state: string
  runCount: number
  failCount: number
  currentRetries: number
  lastRun: { status: number }
  runs: { status: number; timestamp: number }[]
}

/** Returns the statuses of runs, oldest first, without repetitions. */
const storyOf = ({ runs }: WebhookState): number[] =>
  runs.map(({ status }) => status).reverse().filter((status, n, all) => status !== all[n - 1])

/** Runs the whole sequence, with an end of the node in each of its parts; checks the reported runs of the webhook. */
export async function runWebhookStory({ start, end }: NodeControl): Promise<void> {
  const receiver = await startReceiver(503)
  let url = await start()
  const call = async (path: string, token: string, body?: unknown): Promise<Record<string, unknown>> => {
    const answer = await request(`${url}${path}`, { token, ...(body === undefined ? {} : { body }) })
    expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300)
    return answer.body
  }
  const account = { username: 'alice', password: 'correct horse', email: 'alice@example.org', appId: 'test-app' }
  const owner = String((await request(`${url}users`, { body: account })).body['token'])
  await call('alice/streams', owner, { id: 'diary', name: 'Diary' })
  const permissions = [{ streamId: 'diary', level: 'read' }]
  const { access } = await call('alice/accesses', owner, { type: 'app', name: 'app', permissions })
  const { webhook } = await call('alice/webhooks', (access as { token: string }).token, { url: receiver.url })
  const { id } = webhook as { id: string }
  const read = async (): Promise<WebhookState> => (await call(`alice/webhooks/${id}`, owner))['webhook'] as WebhookState
  const stateWith = async (status: number): Promise<WebhookState> => {
    for (let tries = 0; tries < 500; tries++) {
      const state = await read()
      if (state.lastRun.status === status) return state
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
    throw new Error(`no run with status ${status}: ${JSON.stringify(await read())}`)
  }
  const again = async (answer: Answering): Promise<void> => {
    await end()
    receiver.answer = answer
    url = await start()
  }

  await call('alice/events', owner, { streamIds: ['diary'], type: 'note/txt', content: 'x' })
  const failed = await stateWith(503)
  expect(failed).toMatchObject({ state: 'active', failCount: failed.currentRetries, runCount: failed.currentRetries })

  await again('hang')
  const hung = await stateWith(0)
  expect(storyOf(hung)).toEqual([503, 0])
  expect(hung).toMatchObject({ failCount: hung.currentRetries, runCount: hung.currentRetries })
  expect(hung.currentRetries).toBeGreaterThan(failed.currentRetries)

  // The node ends during a call: it is not among the runs, and its messages are sent again.
  await receiver.calls(receiver.received.length + 1)
  await again('redirect')
  const redirected = await stateWith(307)
  expect(storyOf(redirected)).toEqual([503, 0, 307])
  expect(redirected).toMatchObject({ failCount: redirected.currentRetries, runCount: redirected.currentRetries })
  expect(redirected.currentRetries).toBeGreaterThan(hung.currentRetries)

  await again(200)
  const recovered = await stateWith(200)
  expect(storyOf(recovered)).toEqual([503, 0, 307, 200])
  expect(recovered).toMatchObject({ state: 'active', currentRetries: 0, failCount: recovered.runCount - 1 })
  const times = recovered.runs.map(({ timestamp }) => timestamp)
  expect(times).toEqual([...times].sort((a, b) => b - a))
  expect(new Set(receiver.messages.at(-1))).toEqual(new Set(['eventsChanged', 'systemBoot']))
  expect(receiver.received.map((one) => one.url)).not.toContain('/elsewhere')

  await again(200)
  await receiver.calls(receiver.received.length + 1)
  expect(receiver.messages.at(-1)).toEqual(['systemBoot'])
  await end()
  await receiver.stop()
}
