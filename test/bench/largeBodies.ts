/** Measures the delay of calls of one account while another client sends bodies of up to 10 MB in turn. */
import { Agent, get } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { createStreams, register, streamIdOf, type Owner } from './account.js'
import { callApi, percentile } from './client.js'
import type { Measured } from './measure.js'
import { processorSeconds, startNode, type Server } from './processes.js'

export const largeBodyRows = ['wait-text', 'wait-objects', 'wait-keys', 'wait-rename', 'wait-batch', 'wait-points'] as const
export type LargeBodyRow = (typeof largeBodyRows)[number]

/** Maximum delay of a call by the body of another. */
const MAX_WAIT_MS = 50
const MB = 1024 * 1024
const BODY_BYTES = 9.9 * MB
/** Pause between two calls of the delayed client. */
const EVERY_MS = 5

interface Load {
  label: string
  /** Prepares data; returns requests that are sent in turn. */
  requests(node: Server, owner: Owner): Promise<{ verb: string; path: string; body: string }[]>
}

/** Joins items by commas up to a size. */
function joined(bytes: number, item: (i: number) => string): string {
  const items: string[] = []
  for (let size = 0, i = 0; size < bytes; i++) {
    const text = item(i)
    items.push(text)
    size += text.length + 1
  }
  return items.join(',')
}

const event = (content: string): string => `{"streamIds":["${streamIdOf(0)}"],"type":"bench/free","content":${content}}`
const objects = (bytes: number): string => `[${joined(bytes, (i) => `{"id":${i},"name":"n${i}","values":[1,2.5,3]}`)}]`

/** Load that sends one body repeatedly. */
const repeating = (label: string, body: () => string): Load => ({
  label,
  requests: (_, { username }) => Promise.resolve([{ verb: 'POST', path: `${username}/events`, body: body() }]),
})

const loads: Record<LargeBodyRow, Load> = {
  'wait-text': repeating('a text of 10 MB', () => event(`"${'x'.repeat(BODY_BYTES)}"`)),
  'wait-objects': repeating('10 MB of objects', () => event(objects(BODY_BYTES))),
  'wait-keys': repeating('an object of 100,000 keys', () => event(`{${joined(1.6 * MB, (i) => `"k${i}":${i}`)}}`)),
  'wait-rename': {
    label: 'renaming an event of 10 MB',
    async requests(node, { username, token }) {
      const created = await callApi(node, { verb: 'POST', path: `${username}/events`, token, body: event(objects(BODY_BYTES)) })
      const path = `${username}/events/${(created['event'] as { id: string }).id}`
      return ['one', 'two'].map((description) => ({ verb: 'PUT', path, body: JSON.stringify({ description }) }))
    },
  },
  'wait-batch': {
    label: 'a batch of 10 MB',
    requests: (_, { username }) => {
      const call = (): string => `{"method":"events.create","params":${event(objects(BODY_BYTES / 1000))}}`
      return Promise.resolve([{ verb: 'POST', path: username, body: `[${joined(BODY_BYTES, call)}]` }])
    },
  },
  'wait-points': {
    label: '10 MB of points of a series',
    async requests(node, { username, token }) {
      const seriesEvent = JSON.stringify({ streamIds: [streamIdOf(0)], type: 'series:mass/kg' })
      const created = await callApi(node, { verb: 'POST', path: `${username}/events`, token, body: seriesEvent })
      const path = `${username}/events/${(created['event'] as { id: string }).id}/series`
      const points = `[${joined(BODY_BYTES, (i) => `[${i},${(70 + (i % 100) / 10).toFixed(1)}]`)}]`
      return [{ verb: 'POST', path, body: `{"format":"flatJSON","fields":["deltaTime","value"],"points":${points}}` }]
    },
  },
}

/** Measures the selected rows, in a separate home. */
export async function measureLargeBodies(
  home: string,
  isSelected: (id: LargeBodyRow) => boolean,
  seconds: number,
  record: (measured: Measured) => void,
): Promise<void> {
  const node = await startNode(home)
  const sender = await register(node, 'large-sender')
  const other = await register(node, 'other-person')
  for (const owner of [sender, other]) await createStreams(node, owner)
  for (const id of largeBodyRows) if (isSelected(id)) record(await measureWaits(id, node, sender, other, seconds))
  await node.stop()
}

async function measureWaits(id: LargeBodyRow, node: Server, sender: Owner, other: Owner, seconds: number): Promise<Measured> {
  const { label, requests } = loads[id]
  const sent = await requests(node, sender)
  const send = async ({ verb, path, body }: (typeof sent)[number]): Promise<void> => {
    const response = await fetch(node.url + path, { method: verb, body, headers: { authorization: sender.token, 'content-type': 'application/json' } })
    await response.arrayBuffer()
    if (!response.ok) throw new Error(`${id}: ${response.status}`)
  }
  for (const one of sent) await send(one)
  const waits: number[] = []
  let isDone = false
  const agent = new Agent({ keepAlive: true })
  const waiting = (async () => {
    while (!isDone) {
      waits.push(await wait(node, other, agent))
      await sleep(EVERY_MS)
    }
  })()
  const before = processorSeconds(node.pid)
  let bodies = 0
  // A body takes a second; percentiles need more calls.
  for (const until = performance.now() + Math.max(seconds, 6) * 1000; performance.now() < until; bodies++) {
    const one = sent[bodies % sent.length]
    if (one !== undefined) await send(one)
  }
  const after = processorSeconds(node.pid)
  isDone = true
  await waiting
  agent.destroy()
  const sorted = Float64Array.from(waits).sort()
  const p99 = percentile(sorted, 0.99)
  return {
    id,
    label: `others wait during ${label}`,
    figure: p99,
    unit: 'ms',
    p50: percentile(sorted, 0.5),
    p99,
    processor: before === undefined || after === undefined ? undefined : ((after - before) * 1e6) / bodies,
    target: `< ${MAX_WAIT_MS} ms`,
    met: p99 !== undefined && p99 < MAX_WAIT_MS,
  }
}

/** Reads the streams of an account; returns the milliseconds until the complete response. */
const wait = (node: Server, { username, token }: Owner, agent: Agent): Promise<number> =>
  new Promise((resolve, reject) => {
    const began = performance.now()
    get(`${node.url}${username}/streams`, { agent, headers: { authorization: token } }, (answer) => {
      answer.resume()
      answer.on('end', () => resolve(performance.now() - began))
    }).on('error', reject)
  })
