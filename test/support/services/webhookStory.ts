/** A receiver that fails, hangs, redirects and recovers, while the node that calls it stops and starts. */
import { expect } from 'vitest'
import { request } from '../nodes/node.js'
import { startReceiver, type Answering } from './webhookReceiver.js'

export interface Teller {
  /** Starts the node; answers where it listens. */
  start(): Promise<string>
  /** Ends the node, in whatever way. */
  end(): Promise<void>
}

/** Retries soon, and does not give up during the story. */
export const storySettings = { 'webhooks.minIntervalMs': 40, 'webhooks.maxRetries': 50, 'webhooks.requestTimeoutMs': 800, 'webhooks.runsSize': 100 }

interface Seen {
  state: string
  runCount: number
  failCount: number
  currentRetries: number
  lastRun: { status: number }
  runs: { status: number; timestamp: number }[]
}

/** What happened, oldest first: statuses, each as often as it changed. */
const storyOf = ({ runs }: Seen): number[] =>
  runs.map(({ status }) => status).reverse().filter((status, n, all) => status !== all[n - 1])

/** Lives through the story, with an end of the node in each of its parts; checks what the webhook tells of it. */
export async function liveThrough({ start, end }: Teller): Promise<void> {
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
  const read = async (): Promise<Seen> => (await call(`alice/webhooks/${id}`, owner))['webhook'] as Seen
  const seenWith = async (status: number): Promise<Seen> => {
    for (let tries = 0; tries < 500; tries++) {
      const seen = await read()
      if (seen.lastRun.status === status) return seen
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
  const failed = await seenWith(503)
  expect(failed).toMatchObject({ state: 'active', failCount: failed.currentRetries, runCount: failed.currentRetries })

  await again('hang')
  const hung = await seenWith(0)
  expect(storyOf(hung)).toEqual([503, 0])
  expect(hung).toMatchObject({ failCount: hung.currentRetries, runCount: hung.currentRetries })
  expect(hung.currentRetries).toBeGreaterThan(failed.currentRetries)

  // In the middle of a call: it becomes none of the runs, and what it told is told again.
  await receiver.calls(receiver.received.length + 1)
  await again('redirect')
  const redirected = await seenWith(307)
  expect(storyOf(redirected)).toEqual([503, 0, 307])
  expect(redirected).toMatchObject({ failCount: redirected.currentRetries, runCount: redirected.currentRetries })
  expect(redirected.currentRetries).toBeGreaterThan(hung.currentRetries)

  await again(200)
  const recovered = await seenWith(200)
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
