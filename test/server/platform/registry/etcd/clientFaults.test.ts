/** The client of etcd while members of a cluster of three are killed and frozen. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { EtcdError, type EtcdClient } from '../../../../../src/server/platform/registry/etcd/api.js'
import { hasEtcd, startEtcd, titleWithEtcd, type TestEtcd } from '../../../../support/services/etcd.js'
import { clients, collectChanges, failureOf } from './clients.js'

const TIMEOUT_MS = 4000
/** What a call may take beyond its timeout on a busy machine. */
const TOLERANCE_MS = 1000

describe.skipIf(!hasEtcd)(titleWithEtcd('etcd client with failing members'), () => {
  let etcd: TestEtcd
  let series = 0
  const { connect, closeAll } = clients()
  const down = new Set<number>()
  const frozen = new Set<number>()

  beforeAll(async () => void (etcd = await startEtcd({ members: 3 })))
  afterEach(async () => {
    closeAll()
    for (const index of frozen) etcd.thaw(index)
    frozen.clear()
    if (down.size > 0) await etcd.restart(...down)
    down.clear()
    // The next test begins when all members agree on a leader.
    const client = connect(etcd)
    await expect.poll(async () => (await client.status()).filter(({ isLeader, problem }) => problem === undefined || isLeader).length, { timeout: 30_000 }).toBe(3)
    await expect.poll(async () => client.transaction({ then: [] }).catch(() => undefined), { timeout: 30_000 }).toBeDefined()
  })
  afterAll(async () => {
    closeAll()
    await etcd?.stop()
  })

  const kill = async (index: number): Promise<void> => {
    down.add(index)
    await etcd.kill(index)
  }
  const freeze = (index: number): void => {
    frozen.add(index)
    etcd.freeze(index)
  }
  const thaw = (index: number): void => {
    frozen.delete(index)
    etcd.thaw(index)
  }

  /** Returns the indexes of the leader and of the followers. */
  async function roles(): Promise<{ leader: number; followers: [number, number] }> {
    const states = await connect(etcd).status()
    const leader = states.findIndex(({ isLeader }) => isLeader)
    const [first, second] = [0, 1, 2].filter((index) => index !== leader)
    if (first === undefined || second === undefined) throw new Error('There is no leader')
    return { leader, followers: [first, second] }
  }
  /** Creates a client that asks some members in this order. */
  const connectTo = (...indexes: number[]): EtcdClient => connect({ endpoints: indexes.map((index) => etcd.endpoints[index] ?? ''), ...(etcd.tls && { tls: etcd.tls }) }, { timeoutMs: TIMEOUT_MS })

  interface Outcome {
    key: string
    result: 'applied' | 'none' | 'maybe'
    ms: number
  }

  /** Claims keys, one after the other, until it is stopped: `next` resolves after some more of them succeeded. */
  function claimKeys(client: EtcdClient): { prefix: string; outcomes: Outcome[]; next(count: number): Promise<void>; stop(): Promise<void> } {
    const prefix = `claims/${++series}/`
    const outcomes: Outcome[] = []
    const waiting = new Set<() => void>()
    let isStopped = false
    const succeeded = (): number => outcomes.filter(({ result }) => result === 'applied').length
    async function claim(): Promise<void> {
      for (let index = 0; !isStopped; index++) {
        const key = `${prefix}${String(index).padStart(6, '0')}`
        const start = performance.now()
        const result = await client.transaction({ if: [{ key, isAbsent: true }], then: [{ put: key, value: 'claimed' }] }).then(
          ({ succeeded }) => {
            // Only a repetition of the client itself could find the key there.
            if (!succeeded) throw new Error(`${key} was claimed twice`)
            return 'applied' as const
          },
          (error: unknown) => {
            if (!(error instanceof EtcdError) || !error.isUnavailable) throw error
            return error.applied
          },
        )
        outcomes.push({ key, result, ms: performance.now() - start })
        for (const each of [...waiting]) each()
      }
    }
    const running = claim()
    return {
      prefix,
      outcomes,
      next(count) {
        const goal = succeeded() + count
        return new Promise((resolve) => {
          const look = (): void => {
            if (succeeded() < goal) return
            waiting.delete(look)
            resolve()
          }
          waiting.add(look)
          look()
        })
      },
      async stop() {
        isStopped = true
        await running
      },
    }
  }

  /** Expects that what was reported is what etcd holds, and that no call took longer than its timeout. */
  async function expectTrue(client: EtcdClient, { prefix, outcomes }: { prefix: string; outcomes: Outcome[] }): Promise<void> {
    const { items } = await client.range({ key: prefix, isPrefix: true })
    const there = new Set(items.map(({ key }) => key))
    expect(outcomes.filter(({ key, result }) => result === 'applied' && !there.has(key))).toEqual([])
    expect(outcomes.filter(({ key, result }) => result === 'none' && there.has(key))).toEqual([])
    expect(outcomes.filter(({ ms }) => ms > TIMEOUT_MS + TOLERANCE_MS)).toEqual([])
  }

  type Roles = Awaited<ReturnType<typeof roles>>
  it.each<[string, (of: Roles) => number[], (of: Roles) => Promise<void> | void]>([
    ['the leader, which it asks, is killed', ({ leader, followers }) => [leader, ...followers], ({ leader }) => kill(leader)],
    ['the leader, which it does not ask, is killed', ({ leader, followers }) => [...followers, leader], ({ leader }) => kill(leader)],
    ['the leader, which it asks, is frozen', ({ leader, followers }) => [leader, ...followers], ({ leader }) => freeze(leader)],
    ['the leader, which it does not ask, is frozen', ({ leader, followers }) => [...followers, leader], ({ leader }) => freeze(leader)],
    ['a follower, which it asks, is frozen', ({ leader, followers }) => [...followers, leader], ({ followers }) => freeze(followers[0])],
    ['a follower, which it asks, is killed', ({ leader, followers }) => [...followers, leader], ({ followers }) => kill(followers[0])],
  ])('goes on when %s, and reports each outcome as it is', async (_, order, fail) => {
    const of = await roles()
    const client = connectTo(...order(of))
    const claims = claimKeys(client)
    await claims.next(20)
    await fail(of)
    await claims.next(50)
    for (const index of [...frozen]) thaw(index)
    await claims.next(20)
    await claims.stop()
    await expectTrue(client, claims)
    // Reads are repeated at the other members: they do not fail while a majority is there.
    await client.range({ key: claims.prefix, isPrefix: true, countOnly: true })
  })

  it('repeats reads at other members when the one in use is frozen', async () => {
    const { leader, followers } = await roles()
    const client = connectTo(...followers, leader)
    await client.range({ key: 'a' })
    freeze(followers[0])
    const results = await Promise.all(Array.from({ length: 20 }, () => client.range({ key: 'a' })))
    expect(results).toHaveLength(20)
  })

  it('keeps leases while the leader is killed', async () => {
    const { leader, followers } = await roles()
    const client = connectTo(leader, ...followers)
    const lease = await client.grant(10)
    await kill(leader)
    expect(await client.keepAlive(lease)).toBe(10)
    const second = await client.grant(10)
    expect(await client.keepAlive(second)).toBe(10)
  })

  it('rejects calls within their time without a majority, reads from single members, and recovers', async () => {
    const { leader, followers } = await roles()
    const client = connectTo(followers[0], leader, followers[1])
    const key = `majority/${++series}`
    await client.transaction({ then: [{ put: key, value: 'x' }] })
    freeze(leader)
    freeze(followers[1])
    const calls = Array.from({ length: 5 }, async (_, index) => {
      const start = performance.now()
      const failed = await failureOf(index === 0 ? client.range({ key }) : client.transaction({ if: [{ key: `${key}/${index}`, isAbsent: true }], then: [{ put: `${key}/${index}`, value: '' }] }))
      return { ...failed, ms: performance.now() - start }
    })
    for (const { isUnavailable, ms } of await Promise.all(calls)) {
      expect(isUnavailable).toBe(true)
      expect(ms).toBeLessThan(TIMEOUT_MS + TOLERANCE_MS)
    }
    expect((await client.range({ key, isSerializable: true })).items[0]?.value).toBe('x')
    thaw(leader)
    thaw(followers[1])
    await expect.poll(() => client.transaction({ then: [{ put: key, value: 'y' }] }).then(() => 'applied', () => 'failed'), { timeout: 20_000 }).toBe('applied')
  })

  it.each<[string, (index: number) => Promise<void> | void, boolean]>([
    ['is frozen', freeze, true],
    ['is killed', kill, false],
  ])('delivers all changes in order when the member that a watch uses %s', async (_, fail) => {
    const { leader, followers } = await roles()
    const watching = connectTo(followers[0], leader, followers[1])
    const writing = connectTo(leader, followers[1])
    const prefix = `watch/${++series}/`
    const { revision } = await writing.transaction({ then: [{ put: `${prefix}0`, value: '' }] })
    const changes = collectChanges()
    watching.watch(prefix, revision - 1, changes.listener)
    await changes.until((events) => events.length === 1)
    await fail(followers[0])
    for (let index = 1; index <= 30; index++) await writing.transaction({ then: [{ put: `${prefix}${index}`, value: '' }] })
    await changes.until((events) => events.length >= 31)
    thaw(followers[0])
    await writing.transaction({ then: [{ put: `${prefix}31`, value: '' }] })
    await changes.until((events) => events.length >= 32)
    expect(changes.events.map(({ key }) => key)).toEqual(Array.from({ length: 32 }, (_, index) => `${prefix}${index}`))
  })

  it('lets keys be read again whose changes were compacted while a watch could not be resumed', async () => {
    const { leader, followers } = await roles()
    const [used] = followers
    const watching = connectTo(used)
    const writing = connectTo(leader, followers[1])
    const prefix = `lost/${++series}/`
    const { revision } = await writing.transaction({ then: [{ put: `${prefix}0`, value: '' }] })
    let found: string[] | undefined
    const changes = collectChanges(async () => {
      const result = await watching.range({ key: prefix, isPrefix: true })
      found = result.items.map(({ key }) => key)
      return result.revision
    })
    watching.watch(prefix, revision - 1, changes.listener)
    await changes.until((events) => events.length === 1)
    await kill(used)
    await writing.transaction({ then: [{ put: `${prefix}1`, value: '' }] })
    const last = await writing.transaction({ then: [{ delete: `${prefix}0` }] })
    await writing.compact(last.revision)
    await etcd.restart(used)
    down.delete(used)
    await expect.poll(() => found, { timeout: 20_000 }).toEqual([`${prefix}1`])
    await writing.transaction({ then: [{ put: `${prefix}2`, value: '' }] })
    await changes.until((events) => events.some(({ key }) => key === `${prefix}2`))
    expect(changes.events.map(({ key }) => key)).toEqual([`${prefix}0`, `${prefix}2`])
    expect(changes.losses).toBe(1)
  })

  it('answers at once when all members are gone, and again when they are back', async () => {
    const client = connectTo(0, 1, 2)
    await client.range({ key: 'a' })
    for (const index of [0, 1, 2]) await kill(index)
    const start = performance.now()
    expect(await failureOf(client.range({ key: 'a' }))).toMatchObject({ applied: 'none', isUnavailable: true })
    expect(performance.now() - start).toBeLessThan(TIMEOUT_MS + TOLERANCE_MS)
    const again = performance.now()
    for (let count = 0; count < 10; count++) {
      expect(await failureOf(client.transaction({ then: [{ put: 'a', value: '' }] }))).toEqual({ message: 'etcd does not answer', applied: 'none', isUnavailable: true })
    }
    expect(performance.now() - again).toBeLessThan(1000)
    await etcd.restart(0, 1, 2)
    down.clear()
    await expect.poll(() => client.range({ key: 'a' }).then(() => 'read', () => 'failed'), { timeout: 20_000 }).toBe('read')
  })
})
