/**
 * Overloaded nodes with few descriptors or little memory: they refuse or close connections, lose no acknowledged write, and
 * recover. Part of the long run: LONG=1.
 */
import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { nodeProcesses, type NodeProcess } from '../crash/process.js'
import { createWorkload, type Workload } from '../crash/workload.js'
import { readNodeKey } from '../../src/store/keyring/nodeKey.js'
import { openStore } from '../../src/store/engine/open.js'
import { createSeal } from '../../src/store/keyring/seal.js'
import type { HomePlaces } from '../../src/server/launch/init.js'
import { seeded } from '../store/leveldb/fixtures.js'
import { checkOpened, markOf } from '../support/store/check.js'
import { homes } from '../support/nodes/home.js'
import { request } from '../support/nodes/node.js'
import { LONG, lacks } from './support/needs.js'

const lack = LONG ? lacks('linux', 'prlimit') : 'LONG=1 runs it'
const { home } = homes()
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** Compares the store of a killed node with the acknowledged writes. */
async function expectNoLoss(work: Workload, places: HomePlaces): Promise<void> {
  const key = await readNodeKey(places.key)
  if (key === undefined) throw new Error('no key')
  const mark = await markOf(places.store)
  const opened = await openStore({ folder: places.store, now: () => Date.now() / 1000 })
  try {
    expect(await work.settle(opened)).toEqual([])
    expect((await checkOpened(opened, await createSeal(key), mark)).problems).toEqual([])
  } finally {
    await opened.close()
  }
}

const residentMb = (pid: number): number => Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? NaN) / 1024

describe.skipIf(lack !== undefined)(`a node with few resources${lack === undefined ? '' : `: ${lack}`}`, () => {
  const startFew = nodeProcesses({ under: ['prlimit', '--nofile=96:96'], silent: true })
  const startSmall = nodeProcesses({ under: ['env', 'NODE_OPTIONS=--max-old-space-size=96'], silent: true })

  it('recovers from a lack of descriptors', { timeout: 120_000 }, async () => {
    const places = await home()
    const node = await startFew(places.home)
    const { url = '', refused, message } = await node.open()
    expect({ refused, message }).toEqual({})
    const work = createWorkload(seeded(1))
    await work.begin(url)
    const { hostname, port } = new URL(url)
    // More connections than descriptors; the excess is closed.
    const sockets: Socket[] = Array.from({ length: 200 }, () => connect(Number(port), hostname).on('error', () => {}))
    await pause(3000)
    for (const socket of sockets) socket.destroy()
    await pause(500)
    const token = work.tokenOf('alice')
    expect((await request(`${url}alice/events?limit=1`, { token })).status).toBe(200)
    await writeFor(work, node, url, 3000)
    await expectNoLoss(work, places)
  })

  it('stays within its memory limit under load', { timeout: 120_000 }, async () => {
    const places = await home()
    const node = await startSmall(places.home)
    const { url = '', refused, message } = await node.open()
    expect({ refused, message }).toEqual({})
    const work = createWorkload(seeded(2))
    await work.begin(url)
    const token = work.tokenOf('alice')
    let answered = 0
    const large = async (): Promise<void> => {
      for (let n = 0; n < 40; n++) {
        const body = { streamIds: ['base'], type: 'test/text', content: 'x'.repeat(3_000_000) }
        const { status, body: answer } = await request(`${url}barbara/events`, { token: work.tokenOf('barbara'), body })
        expect([201, 413, 503, 507], JSON.stringify(answer).slice(0, 200)).toContain(status)
        const { status: read } = await request(`${url}alice/events?limit=1`, { token })
        expect(read).toBe(200)
        answered += 1
        await request(`${url}barbara/events/${(answer['event'] as { id: string }).id}`, { token: work.tokenOf('barbara'), method: 'DELETE' })
        await request(`${url}barbara/events/${(answer['event'] as { id: string }).id}`, { token: work.tokenOf('barbara'), method: 'DELETE' })
      }
    }
    await Promise.all([large(), large()])
    expect(answered).toBe(80)
    const peak = residentMb(node.pid)
    console.log(JSON.stringify({ peakMb: Math.round(peak) }))
    expect(peak).toBeLessThan(500)
    await node.kill()
  })
})

/** Lets the clients write for a time, then kills the node. */
async function writeFor(work: Workload, node: NodeProcess, url: string, ms: number): Promise<void> {
  const writing = work.writeUntilGone(url)
  await pause(ms)
  await node.kill()
  expect(await writing).toEqual([])
  expect(work.ledger.counts.acknowledged).toBeGreaterThan(20)
}
