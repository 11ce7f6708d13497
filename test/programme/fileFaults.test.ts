/**
 * Each system call that changes a file fails once during the same scenario. Acknowledged writes survive, others are applied
 * completely or not at all, the store is consistent, and no write is acknowledged after a failed commit. `LONG=1` tests all calls.
 */
import { cpSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { HomePlaces } from '../../src/server/launch/init.js'
import { readNodeKey } from '../../src/store/keyring/nodeKey.js'
import { openStore } from '../../src/store/engine/open.js'
import { createSeal, type Seal } from '../../src/store/keyring/seal.js'
import { DELETED, eventItem, streamItem } from '../crash/clients.js'
import { ABSENT, createLedger, type Ledger, type Step } from '../crash/ledger.js'
import { nodeProcesses, type NodeProcess } from '../crash/process.js'
import { readItems } from '../crash/workload.js'
import { checkOpened, markOf } from '../support/store/check.js'
import { homes } from '../support/nodes/home.js'
import { eventPart, filePart, sendParts } from '../support/http/multipart.js'
import { placesOf, registerUser, request, startTestNode, type Answer, type TestNode } from '../support/nodes/node.js'
import { createFileFaults, lacksFaults, type Fault, type FileFaults, type Kind } from './support/fileFaults.js'
import { LONG } from './support/needs.js'

const lack = lacksFaults()
/** Operator key, to read the metrics. */
const KEY = 'a-key-of-the-operator'
const { folder, home } = homes()
const env: Record<string, string> = {}
const startProcess = nodeProcesses({ program: fileURLToPath(new URL('support/diskChild.ts', import.meta.url)), env, silent: true })

let base: HomePlaces
let places: HomePlaces
let token: string
let seal: Seal
let faults: FileFaults
/** Process for the next run of the scenario, started in advance. */
let spare: Promise<NodeProcess>
/** Number of calls of each kind in the scenario. */
let calls: Record<Kind | 'failed', number>

describe.skipIf(lack !== undefined)(`a node with failing file operations${lack === undefined ? '' : `: ${lack}`}`, () => {
  beforeAll(async () => {
    base = await home()
    const node = await startTestNode({}, { home: base.home })
    token = await registerUser(node, 'alice')
    await node.stop()
    const key = await readNodeKey(base.key)
    if (key === undefined) throw new Error('no key')
    seal = await createSeal(key)
    places = placesOf(await folder())
    faults = createFileFaults(places.home)
    Object.assign(env, faults.env)
    spare = startProcess(places.home, { 'auth.adminAccessKey': KEY })
    calls = (await runScenario()).calls
  })
  afterAll(async () => {
    await (await spare).kill()
    faults.remove()
  })

  it('makes calls of each kind in the scenario', () => {
    for (const kind of ['write', 'sync', 'rename', 'open'] as const) expect(calls[kind], kind).toBeGreaterThan(2)
  })

  const usual: [Kind, Fault, boolean][] = [
    ['sync', 'EIO', true],
    ['write', 'EIO', false],
    ['write', 'short', false],
  ]
  const others: [Kind, Fault, boolean][] = [
    ['sync', 'EIO', false],
    ['write', 'ENOSPC', false],
    ['write', 'ENOSPC', true],
    ['rename', 'EIO', false],
    ['open', 'ENOSPC', false],
  ]
  it.each(LONG ? [...usual, ...others] : usual)('survives a failure of each %s: %s (all later calls too: %s)', { timeout: 600_000 }, async (kind, fault, onwards) => {
    const all = Array.from({ length: calls[kind] }, (_, i) => i + 1)
    // Without LONG one call in the middle of the scenario, among the commits.
    const numbers = LONG ? all : all.slice(Math.floor(all.length / 2)).slice(0, 1)
    let hits = 0
    for (const number of numbers) {
      const { calls: { failed } } = await runScenario(kind, number, fault, onwards)
      if (failed > 0) hits += 1
    }
    expect(hits).toBeGreaterThan(numbers.length / 2)
  })
})

interface ScenarioResult {
  calls: Record<Kind | 'failed', number>
}

/** Runs the scenario on a new copy of the home with a failing call; checks the store afterwards. */
async function runScenario(kind?: Kind, number = 0, fault: Fault = 'EIO', onwards = false): Promise<ScenarioResult> {
  const about = `${kind} ${number} ${fault}${onwards ? ' and all after it' : ''}`
  const node = await spare
  rmSync(places.home, { recursive: true, force: true })
  cpSync(base.home, places.home, { recursive: true })
  const ledger = createLedger()
  ledger.requested(new Map([['user alice', 'there']]))
  ledger.acknowledged(new Map([['user alice', 'there']]))
  faults.clear()
  if (kind !== undefined) faults.arm(kind, number, fault, onwards)
  let made: ScenarioResult['calls']
  try {
    const { url } = await node.open()
    if (url !== undefined) await performSteps(url, node, ledger, about)
    made = faults.counts()
  } finally {
    await node.kill()
    faults.clear()
    spare = startProcess(places.home, { 'auth.adminAccessKey': KEY })
  }
  const mark = await markOf(places.store)
  const opened = await openStore({ folder: places.store, now: () => Date.now() / 1000 }).catch((cause: unknown) => {
    throw new Error(`after ${about}`, { cause })
  })
  try {
    expect(ledger.settle(await readItems(opened, [])), about).toEqual([])
    expect((await checkOpened(opened, seal, mark)).problems, about).toEqual([])
  } finally {
    await opened.close()
  }
  return { calls: made }
}

const isDone = ({ status }: Answer): boolean => status < 300
const errorOf = ({ body }: Answer): unknown => (body['error'] as { id?: string } | undefined)?.id

async function performSteps(url: string, node: NodeProcess, ledger: Ledger, about: string): Promise<void> {
  /** State of the store after a failed commit. */
  let broken: 'read-only' | 'full' | undefined
  async function step(changes: Step, call: () => Promise<Answer>, hasFiles = false): Promise<void> {
    ledger.requested(changes)
    const answer = await call()
    if (isDone(answer)) {
      expect(broken, `acknowledged after a failed commit (${about})`).toBe(undefined)
      ledger.acknowledged(changes)
      return
    }
    expect(['read-only', 'storage-full', 'unexpected-error', 'unknown-referenced-resource', 'unknown-resource'], about).toContain(errorOf(answer))
    // A failed upload is not a failed commit.
    if (errorOf(answer) === 'read-only' && !hasFiles) broken = 'read-only'
    if (errorOf(answer) === 'storage-full' && !hasFiles) broken = 'full'
  }
  const to = (method: string, path: string, body?: unknown): Promise<Answer> =>
    request(`${url}alice${path}`, { method, token, ...(body === undefined ? {} : { body }) })
  let serial = 0
  const newEvent = (): { id: string; streamIds: string[]; type: string; content: string } => {
    serial += 1
    return { id: `ce${String(serial).padStart(23, '0')}`, streamIds: ['s'], type: 'test/text', content: 'v1' }
  }
  const item = (id: string): string => eventItem('alice', id)
  async function create(): Promise<string> {
    const event = newEvent()
    await step(new Map([[item(event.id), 'v1']]), () => to('POST', '/events', event))
    return event.id
  }
  async function upload(): Promise<string> {
    const event = newEvent()
    const parts = [eventPart(event), filePart('a.txt', `own ${event.id} `.repeat(5000))]
    const stage = { node: { url } as TestNode, username: 'alice', owner: token }
    await step(new Map([[item(event.id), 'v1']]), () => sendParts(stage, '/events', parts), true)
    return event.id
  }
  async function remove(id: string): Promise<void> {
    if (ledger.stateOf(item(id)) === ABSENT) return
    await step(new Map([[item(id), 'v1 (trashed)']]), () => to('DELETE', `/events/${id}`))
    if (ledger.stateOf(item(id)) === 'v1') return
    await step(new Map([[item(id), DELETED]]), () => to('DELETE', `/events/${id}`))
  }

  await step(new Map([[streamItem('alice', 's'), 'S']]), () => to('POST', '/streams', { id: 's', name: 'S' }))
  const first = await create()
  const second = await create()
  const withFile = await upload()
  await upload()
  if (ledger.stateOf(item(first)) === 'v1') {
    await step(new Map([[item(first), 'v2']]), () => to('PUT', `/events/${first}`, { content: 'v2' }))
  }
  await remove(second)
  await node.send('compact')
  await remove(withFile)
  for (let n = 0; n < 3; n++) await create()

  const read = await to('GET', '/events?limit=100&state=all')
  expect(read.status, about).toBe(200)
  const { text = '' } = (await request(`${url}metrics`, { token: KEY })).body as { text?: string }
  const state = /coffer_store_state\{state="([^"]+)"\} 1/.exec(text)?.[1]
  expect(state, about).toBe(broken ?? 'writable')
}
