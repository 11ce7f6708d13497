/** A webhook with its receiver and its account. */
import { expect } from 'vitest'
import type { Webhook } from '../../../src/store/model/webhook.js'
import { grantAccess } from '../../support/people/access.js'
import type { TestNode } from '../../support/nodes/node.js'
import type { Receiver } from '../../support/services/webhookReceiver.js'
import { callThrough, newStage, type Stage } from '../../support/http/methodTable.js'

export type Seen = Webhook & {
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
  /** The access that made it. */
  access: { id: string; token: string }
  addEvent(): Promise<void>
  read(): Promise<Seen>
  /** The webhook once it has made so many calls. */
  runs(count: number): Promise<Seen>
  set(state: 'active' | 'inactive'): Promise<Seen>
}

/** Looks again and again until what is seen is so. */
export async function until<T>(look: () => Promise<T>, isSo: (seen: T) => boolean): Promise<T> {
  for (let tries = 0; tries < 500; tries++) {
    const seen = await look()
    if (isSo(seen)) return seen
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  throw new Error(`waited in vain: ${JSON.stringify(await look())}`)
}

/** A call that must succeed; answers its result. */
export async function succeeding(stage: Pick<Stage, 'node' | 'username'>, token: string, id: string, params: unknown): Promise<Record<string, unknown>> {
  const { status, body } = await callThrough('http', stage, token, id, params)
  expect({ status, error: body['error'] }).toEqual({ status: status < 300 ? status : 200, error: undefined })
  return body
}

/** Makes a webhook of an app in a fresh account, or in the account of `stage`. */
export async function hookOn(node: TestNode, receiver: Receiver, more: Record<string, unknown> = {}, on?: Stage): Promise<Hook> {
  const stage = on ?? (await newStage(node))
  if (on === undefined) await stage.arrange('streams.create', { id: 'diary', name: 'Diary' })
  const access = await grantAccess(node, stage.username, [{ streamId: '*', level: 'manage' }])
  const { webhook } = await succeeding(stage, access.token, 'webhooks.create', { url: receiver.url, ...more })
  const { id } = webhook as Webhook
  const read = async (): Promise<Seen> => (await stage.arrange('webhooks.getOne', { id }))['webhook'] as Seen
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
      return (await stage.arrange('webhooks.update', { id, update: { state } }))['webhook'] as Seen
    },
  }
}
