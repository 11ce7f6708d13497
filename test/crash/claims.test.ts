/**
 * Kills a core at each step of a claim of names: after its restart, the claim is complete or absent, in the store and in etcd
 * alike, and nothing is held.
 */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { EtcdClient } from '../../src/server/platform/registry/etcd/api.js'
import { createEtcdClient } from '../../src/server/platform/registry/etcd/client.js'
import type { NameValue } from '../../src/server/platform/registry/etcd/keys.js'
import type { NamesReport } from '../../src/server/platform/registry/port.js'
import { createLog } from '../../src/server/base/log.js'
import { homes } from '../support/nodes/home.js'
import { hasEtcd, startEtcd, titleWithEtcd, type TestEtcd } from '../support/services/etcd.js'
import { nodeProcesses } from './process.js'

/** Kills at each step of each kind of claim. */
const ROUNDS = Number(process.env['CLAIM_ROUNDS'] ?? (process.env['LONG'] === '1' ? 3 : 1))
const PLATFORM = 'crashes1'
const program = new URL('claimChild.ts', import.meta.url).pathname

describe.skipIf(!hasEtcd)(titleWithEtcd('a claim of names'), () => {
  const { home } = homes()
  let etcd: TestEtcd
  let client: EtcdClient
  let places: Awaited<ReturnType<typeof home>>
  const env: Record<string, string> = {}
  const startProcess = nodeProcesses({ program, env })

  beforeAll(async () => {
    etcd = await startEtcd({ members: 1 })
    client = createEtcdClient({ endpoints: etcd.endpoints, log: createLog('error', () => 0, () => {}) })
    env['CLAIMS'] = JSON.stringify({ endpoints: etcd.endpoints, platformId: PLATFORM })
    places = await home()
    const record = { id: 'one', url: null, ip: null, ipv6: null, cname: null, hosting: null, available: true, state: 'active', identity: null, settings: {}, version: null, added: 0 }
    await client.transaction({ then: [{ put: `/coffer/${PLATFORM}/core/one`, value: JSON.stringify(record) }] })
  })
  afterAll(async () => {
    client.close()
    await etcd.stop()
  })

  let running: Awaited<ReturnType<typeof startProcess>> | undefined
  afterEach(() => running?.kill())

  const start = async (): ReturnType<typeof startProcess> => {
    const node = (running = await startProcess(places.home, { 'core.id': 'one', 'core.url': 'http://127.0.0.1:9/' }))
    expect(await node.open()).toMatchObject({ url: expect.any(String) as string })
    return node
  }

  /** Returns the values of all names in etcd, and the number of operations. */
  async function inEtcd(): Promise<{ names: NameValue[]; operations: number }> {
    const names = await client.range({ key: `/coffer/${PLATFORM}/n/`, isPrefix: true })
    const operations = await client.range({ key: `/coffer/${PLATFORM}/o/`, isPrefix: true, countOnly: true })
    return { names: names.items.map(({ value }) => JSON.parse(value) as NameValue), operations: operations.count }
  }

  let count = 0
  const steps = ['before-hold', 'after-hold', 'before-confirm', 'after-confirm'] as const
  const isApplied = (step: string): boolean => step.endsWith('-confirm')
  for (const what of ['create', 'rename', 'delete'] as const) {
    it.each(steps)(`(${what}) survives a kill ${'%s'}`, async (step) => {
      for (let round = 0; round < ROUNDS; round++) {
        const username = `claimant-${++count}`
        let node = await start()
        if (what !== 'create') expect(await node.send(`claim create ${username} never`)).toEqual({ done: true })
        const names = (await inEtcd()).names.length
        await expect(node.send(`claim ${what} ${username} ${step}`)).rejects.toThrow('ended')
        await node.kill()
        node = await start()
        const { unsettled, report } = (await node.send('names')) as unknown as { unsettled: number; report: NamesReport }
        expect({ unsettled, ...report }).toMatchObject({ unsettled: 0, missing: 0, conflicts: [], absent: [] })
        const after = await inEtcd()
        expect(after.operations).toBe(0)
        expect(after.names.filter(({ h }) => h !== undefined)).toEqual([])
        const change = { create: 2, rename: 1, delete: -2 }[what]
        expect(after.names.length - names).toBe(isApplied(step) ? change : 0)
        // The next claim of the same names works, or is refused, as the outcome demands.
        if (what === 'create' && !isApplied(step)) expect(await node.send(`claim create ${username} never`)).toEqual({ done: true })
        await node.close()
        await node.kill()
      }
    }, ROUNDS * 60_000)
  }
})
