/** A node under mixed load for `SOAK_MINUTES`: its resources do not grow over time. Part of the long run: LONG=1. */
import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { nodeProcesses } from '../crash/process.js'
import { expectSound } from '../support/store/check.js'
import { homes } from '../support/nodes/home.js'
import { eventPart, filePart, sendParts } from '../support/http/multipart.js'
import { request, type TestNode } from '../support/nodes/node.js'
import { connectSocket } from '../support/http/socket.js'
import { LONG } from './support/needs.js'

const MINUTES = Number(process.env['SOAK_MINUTES'] ?? 15)
/** Maximum number of events; older ones are deleted. */
const MAX_EVENTS = 300
const KEY = 'a-key-of-the-operator'
const { home } = homes()
const startProcess = nodeProcesses()

interface Figures {
  residentMb: number
  descriptors: number
  files: number
  lagMs: number
}

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN

it.runIf(LONG && process.platform === 'linux')(`the resources of a node do not grow during ${MINUTES} minutes of load`, { timeout: (MINUTES + 2) * 60_000 }, async () => {
  const places = await home()
  const node = await startProcess(places.home, { 'auth.adminAccessKey': KEY })
  const { url = '' } = await node.open()
  const body = { username: 'alice', password: 'correct horse', email: 'alice@example.org', appId: 'test-app' }
  const token = String((await request(`${url}users`, { body })).body['token'])
  const call = async (method: string, path: string, sent?: unknown): Promise<Record<string, unknown>> => {
    const { status, body: answer } = await request(`${url}alice/${path}`, { token, method, ...(sent === undefined ? {} : { body: sent }) })
    expect(status, JSON.stringify(answer)).toBeLessThan(300)
    return answer
  }
  await call('POST', 'streams', { id: 's', name: 's' })

  const stage = { node: { url } as TestNode, username: 'alice', owner: token }
  /** Creates an event with a unique file. */
  const upload = async (): Promise<Record<string, unknown>> => {
    const parts = [eventPart({ streamIds: ['s'], type: 'a/b' }), filePart('f', randomBytes(30_000))]
    return (await sendParts(stage, '/events', parts)).body
  }
  const eventIds: string[] = []
  let isOver = false
  let calls = 0
  /** Creates and deletes events and files, connects sockets, and reads. */
  async function use(): Promise<void> {
    for (let n = 0; !isOver; n++) {
      const made = n % 20 === 0 ? await upload() : await call('POST', 'events', { streamIds: ['s'], type: 'test/text', content: 'x'.repeat(500) })
      eventIds.push((made['event'] as { id: string }).id)
      await call('GET', 'events?limit=50')
      if (n % 50 === 0) {
        const socket = await connectSocket({ url }, 'alice', { token })
        await socket.call('events.get', { limit: 5 })
        socket.close()
      }
      while (eventIds.length > MAX_EVENTS) {
        const id = eventIds.shift() ?? ''
        for (let times = 0; times < 2; times++) await call('DELETE', `events/${id}`)
      }
      calls += 1
    }
  }

  async function measure(): Promise<Figures> {
    // The time of a minimal call during the load shows delays of the event loop.
    const began = performance.now()
    await request(`${url}service/info`)
    const lagMs = performance.now() - began
    const resident = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${node.pid}/status`, 'utf8'))?.[1] ?? NaN)
    return {
      residentMb: resident / 1024,
      descriptors: readdirSync(`/proc/${node.pid}/fd`).length,
      files: readdirSync(join(places.store, 'db')).length,
      lagMs,
    }
  }

  const using = Promise.all([use(), use(), use()])
  const all: Figures[] = []
  for (const until = Date.now() + MINUTES * 60_000; Date.now() < until; ) {
    await pause(1000)
    all.push(await measure())
  }
  isOver = true
  await using
  // The first third is warm-up.
  const third = Math.floor(all.length / 3)
  const of = (name: keyof Figures): [number, number] => [
    median(all.slice(third, 2 * third).map((one) => one[name])),
    median(all.slice(2 * third).map((one) => one[name])),
  ]
  const slopes = { residentMb: of('residentMb'), descriptors: of('descriptors'), files: of('files'), lagMs: of('lagMs') }
  console.log(JSON.stringify({ calls, ...slopes }))
  expect(slopes.residentMb[1]).toBeLessThan(slopes.residentMb[0] * 1.25 + 20)
  expect(slopes.descriptors[1]).toBeLessThan(slopes.descriptors[0] * 1.25 + 10)
  expect(slopes.files[1]).toBeLessThan(slopes.files[0] * 1.5 + 10)
  await node.close()
  await node.kill()
  await expectSound(places)
})
