/** Smallest histories of faults that the history checker of names found (test/programme/claims.test.ts). */
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { createLog } from '../../../../../src/server/base/log.js'
import { EtcdError, type EtcdClient, type RangeResult } from '../../../../../src/server/platform/registry/etcd/api.js'
import { createEtcdClient } from '../../../../../src/server/platform/registry/etcd/client.js'
import { platformKeysOf } from '../../../../../src/server/platform/registry/etcd/keys.js'
import { createMirror } from '../../../../../src/server/platform/registry/etcd/mirror.js'
import { createNameLookups } from '../../../../../src/server/platform/registry/etcd/names.js'
import { createEtcdRecords, type EtcdRecords } from '../../../../../src/server/platform/registry/etcd/records.js'
import { hasEtcd, startEtcd, titleWithEtcd, type TestEtcd } from '../../../../support/services/etcd.js'

describe.skipIf(!hasEtcd)(titleWithEtcd('a lost answer of etcd'), () => {
  const log = createLog('error', () => 0, () => {})
  let etcd: TestEtcd
  let client: EtcdClient
  let count = 0
  beforeAll(async () => {
    etcd = await startEtcd()
    client = createEtcdClient({ endpoints: etcd.endpoints, log })
  })
  afterAll(async () => {
    client.close()
    await etcd.stop()
  })

  /** Opens the records of a platform for two cores; the answer to the first change of the first core is lost, after `meanwhile`. */
  async function twoCores(meanwhile: (other: EtcdRecords) => Promise<unknown>): Promise<EtcdRecords[]> {
    const keys = platformKeysOf(`lost${(count += 1)}`, { digest: (text) => text }, true)
    const mirror = createMirror(client, keys.mirrored, log)
    const now = (): number => 1e9
    const other = createEtcdRecords({ client, keys, mirror, now })
    let isLost = false
    const losing: EtcdClient = {
      ...client,
      async transaction(request, options) {
        const result = await client.transaction(request, options)
        if (isLost) return result
        isLost = true
        await meanwhile(other)
        throw new EtcdError('the answer was lost', 'maybe', true)
      },
    }
    await mirror.ready
    mirror.stop()
    return [createEtcdRecords({ client: losing, keys, mirror, now }), other]
  }
  const increment = (records: EtcdRecords): Promise<void> =>
    records.change('counter', 'visits', (now) => ({ put: Number(now ?? 0) + 1, result: undefined }))

  it('does not repeat a change of a record that another core changed after it', async () => {
    const [one, two] = (await twoCores(increment)) as [EtcdRecords, EtcdRecords]
    await expect(increment(one)).rejects.toMatchObject({ id: 'platform-unavailable' })
    expect(await two.get('counter', 'visits')).toBe(2)
  })

  it('is recognised while the record is as it was written', async () => {
    const [one, two] = (await twoCores(() => Promise.resolve())) as [EtcdRecords, EtcdRecords]
    await increment(one)
    expect(await two.get('counter', 'visits')).toBe(1)
  })

  it('leaves a single-use id to the core that wrote it', async () => {
    const [one, two] = (await twoCores((other) => other.claim('once', 'x', 2e9))) as [EtcdRecords, EtcdRecords]
    expect(await one.claim('once', 'x', 2e9)).toBe(true)
    expect(await two.claim('once', 'x', 2e9)).toBe(false)
  })

  it('of a hold by another account is not answered as a holder', async () => {
    const keys = platformKeysOf(`lost${(count += 1)}`, { digest: (text) => text }, true)
    const names = createNameLookups(client, keys)
    const name = { field: 'username', value: 'renamed' }
    await client.transaction({
      then: [
        { put: keys.account('aid'), value: JSON.stringify({ c: 'one', e: 1, o: 'birth' }) },
        { put: keys.name(name), value: JSON.stringify({ a: 'aid', h: 'operation', k: 'one' }) },
      ],
    })
    expect(await names.lookUp(name, true)).toBeUndefined()
    expect(await createNameLookups(client, keys).lookUp(name, false)).toBeUndefined()
  })
})

describe('the absence of a name', () => {
  afterEach(() => void vi.restoreAllMocks())

  it('is as old as the start of its look-up, although the process was stopped before it read the answer', async () => {
    const clock = vi.spyOn(performance, 'now').mockReturnValue(1000)
    const answers: ((result: RangeResult) => void)[] = []
    const range = (): Promise<RangeResult> => new Promise((resolve) => answers.push(resolve))
    const names = createNameLookups({ range }, platformKeysOf('stopped', { digest: (text) => text }, true))
    const name = { field: 'username', value: 'nobody-yet' }
    const empty: RangeResult = { items: [], count: 0, revision: 1 }
    const answer = async (): Promise<void> => {
      answers.shift()?.(empty)
      await new Promise((resolve) => setImmediate(resolve))
    }
    const first = names.lookUp(name, false)
    await answer()
    // A name that the member does not know is asked again, exactly.
    expect(answers).toHaveLength(1)
    clock.mockReturnValue(6000)
    // What is asked for so long is not joined.
    const second = names.lookUp(name, false)
    expect(answers).toHaveLength(2)
    await answer()
    expect(await first).toBeUndefined()
    expect(names.peek(name)).toBeUndefined()
    await answer()
    await answer()
    expect(await second).toBeUndefined()
    expect(names.peek(name)).toBeNull()
  })
})
