/** A webhook with its receiver and its account. */
import { expect } from 'vitest'
import type { Webhook } from '../../../src/store/model/webhook.js'
import { grantAccess } from '../../support/people/access.js'
import type { TestNode } from '../../support/nodes/node.js'
import type { Receiver } from '../../support/services/webhookReceiver.js'
import { callThrough, newStage, type Stage } from '../../support/http/methodTable.js'

export type WebhookWithRuns = Webhook & {
  runCount: number
  failCount: number
  currentRetries: number
  lastRun: { status: number; timestamp: number }
  runs: { status: number; timestamp: number }[]
}

export interface Hook {
  id: string
  receiver: Receiver
  stage: Stage
  /** The access that created it. */
  access: { id: string; token: string }
  addEvent(): Promise<void>
  read(): Promise<WebhookWithRuns>
  /** Waits for a number of runs; returns the webhook. */
  runs(count: number): Promise<WebhookWithRuns>
  set(state: 'active' | 'inactive'): Promise<WebhookWithRuns>
}

/** Polls until a condition holds; returns the last value. */
export async function until<T>(read: () => Promise<T>, holds: (value: T) => boolean): Promise<T> {
  for (let tries = 0; tries < 500; tries++) {
    const value = await read()
    if (holds(value)) return value
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  throw new Error(`The condition was not met in time: ${JSON.stringify(await read())}`)
}

/** Calls a method that must succeed; returns its result. */
export async function succeeding(stage: Pick<Stage, 'node' | 'username'>, token: string, id: string, params: unknown): Promise<Record<string, unknown>> {
  const { status, body } = await callThrough('http', stage, token, id, params)
  expect({ status, error: body['error'] }).toEqual({ status: status < 300 ? status : 200, error: undefined })
  return body
}

/** Creates a webhook of an app in a new account, or in the account of `on`. */
export async function hookOn(node: TestNode, receiver: Receiver, more: Record<string, unknown> = {}, on?: Stage): Promise<Hook> {
  const stage = on ?? (await newStage(node))
  if (on === undefined) await stage.arrange('streams.create', { id: 'diary', name: 'Diary' })
  const access = await grantAccess(node, stage.username, [{ streamId: '*', level: 'manage' }])
  const { webhook } = await succeeding(stage, access.token, 'webhooks.create', { url: receiver.url, ...more })
  const { id } = webhook as Webhook
  const read = async (): Promise<WebhookWithRuns> => (await stage.arrange('webhooks.getOne', { id }))['webhook'] as WebhookWithRuns
  return {
    id,
    receiver,
    stage,
    access,
    async addEvent() {
      await stage.arrange('events.create', { streamIds: ['diary'], type: 'note/txt', content: 'x' })
    },
    read,
    runs: (count) => until(read, ({ runCount }) => runCount >= count),
    async set(state) {
      return (await stage.arrange('webhooks.update', { id, update: { state } }))['webhook'] as WebhookWithRuns
    },
  }
}
