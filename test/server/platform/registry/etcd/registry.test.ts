/** The registry in etcd fulfils the contract, also between two cores, and settles what a crash interrupted. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { listNameMarks } from '../../../../../src/store/accounts/nameMarks.js'
import { nodeKeys } from '../../../../../src/store/engine/keys.js'
import { accountOfUsername, putUser, readUser } from '../../../../../src/store/accounts/users.js'
import { createSeal } from '../../../../../src/store/keyring/seal.js'
import { Secret } from '../../../../../src/store/model/secret.js'
import { coreOfSettings } from '../../../../../src/server/platform/cores/ownCore.js'
import { EtcdError, type EtcdClient, type TransactionRequest } from '../../../../../src/server/platform/registry/etcd/api.js'
import { createEtcdClient } from '../../../../../src/server/platform/registry/etcd/client.js'
import { createEtcdRegistry } from '../../../../../src/server/platform/registry/etcd/index.js'
import { createLocalRegistry } from '../../../../../src/server/platform/registry/local.js'
import { NamesTaken, type CoreRecord, type Name, type Registry } from '../../../../../src/server/platform/registry/port.js'
import { startTestNode, type TestNode } from '../../../../support/nodes/node.js'
import { hasEtcd, startEtcd, titleWithEtcd, type TestEtcd } from '../../../../support/services/etcd.js'
import { describeRegistry, type Platform } from '../contract.js'
import { accountsOf } from '../support.js'

/** A core: its registry, and functions that create and change accounts of its store. */
interface TestCore extends Platform {
  client: EtcdClient
  node: TestNode
  setSeconds(now: number): void
}

describe.skipIf(!hasEtcd)(titleWithEtcd('the registry in etcd'), () => {
  let etcd: TestEtcd
  let seal: Awaited<ReturnType<typeof createSeal>>
  let count = 0
  const nodes: TestNode[] = []
  const opened: Registry[] = []

  beforeAll(async () => {
    etcd = await startEtcd({ members: 1 })
    seal = await createSeal(new Secret(new Uint8Array(32).fill(7)))
    nodes.push(await startTestNode({ 'core.id': 'one' }), await startTestNode({ 'core.id': 'two' }))
  })
  afterEach(async () => {
    for (const registry of opened.splice(0)) await registry.close()
  })
  afterAll(async () => {
    for (const node of nodes) await node.stop()
    await etcd.stop()
  })

  /** Opens the registry of a core on a platform; `wrap` may fail calls. */
  async function open(platformId: string, index: number, options: { wrap?(client: EtcdClient): EtcdClient; isClear?: boolean } = {}): Promise<TestCore> {
    const node = nodes[index]
    if (node === undefined) throw new Error('no such node')
    const { store, config, log } = node.node
    let seconds = 1e9
    const now = (): number => seconds
    const own = coreOfSettings(config, `http://${config.get('core.id')}.example.org`)
    const client = createEtcdClient({ endpoints: etcd.endpoints, log })
    const { isLive: _, ...record } = own
    await client.transaction({ then: [{ put: `/coffer/${platformId}/core/${own.id}`, value: JSON.stringify(record satisfies CoreRecord) }] })
    const registry = await createEtcdRegistry({
      client: options.wrap?.(client) ?? client,
      local: createLocalRegistry(store, () => own, now),
      ...{ store, platformId, seal, isClear: options.isClear ?? false, log, now },
      leaseSeconds: 2,
    })
    opened.push(registry)
    await registry.platform?.settle(() => Promise.reject(new Error('nothing is lost here')))
    return { registry, client, node, pass: (by) => void (seconds += by), setSeconds: (to) => void (seconds = to), ...accountsOf(store, registry) }
  }
  const platformId = (): string => `platform${++count}`

  describe('of one core', () => {
    let platform: TestCore
    beforeAll(async () => {
      platform = await open(platformId(), 0)
      opened.length = 0
    })
    afterAll(() => platform.registry.close())
    describeRegistry('fulfils the contract', () => {
      platform.setSeconds(1e9)
      return platform
    })

    it('leaves no marks and no operations', async () => {
      await platform.node.node.store.settled()
      expect(await listNameMarks(platform.node.node.store.db)).toEqual([])
      const { items } = await platform.client.range({ key: '/coffer/platform1/o/', isPrefix: true })
      expect(items).toEqual([])
    })

    it('counts and pages the accounts of cores', async () => {
      const { homes } = platform.registry
      const total = await homes.count('one')
      expect(total).toBeGreaterThan(3)
      const first = await homes.page('one', undefined, 2)
      expect(first).toHaveLength(2)
      expect(await homes.page('one', first[1], 100)).toHaveLength(total - 2)
      expect(await homes.count('two')).toBe(0)
    })
  })

  it('finds the accounts of other cores, without their user names unless names are in clear', async () => {
    for (const isClear of [false, true]) {
      const id = platformId()
      const [one, two] = [await open(id, 0, { isClear }), await open(id, 1, { isClear })]
      const username = `finder${count}`
      const email = { field: 'email', value: `${username}@example.org` }
      await one.make(username, [email])
      const holder = { core: 'one', account: username, ...(isClear ? { username } : {}) }
      expect(two.registry.peek({ field: 'username', value: username })).toBeUndefined()
      expect(await two.registry.lookUp({ field: 'username', value: username })).toEqual(holder)
      expect(two.registry.peek({ field: 'username', value: username })).toEqual(holder)
      expect(await two.registry.lookUp(email)).toEqual(holder)
      expect(await one.registry.lookUp(email)).toEqual({ core: 'one', account: username, username })
      const stored = await one.client.range({ key: `/coffer/${id}/`, isPrefix: true })
      expect(stored.items.some(({ key, value }) => `${key}${value}`.includes(`${username}%40`) || `${key}${value}`.includes(`${username}@`))).toBe(isClear)
    }
  })

  it('gives a name to exactly one of two cores', async () => {
    const id = platformId()
    const cores = [await open(id, 0), await open(id, 1)]
    for (let round = 0; round < 20; round++) {
      const username = `contested${count}x${round}`
      const outcomes = await Promise.allSettled(cores.map(({ make }) => make(username)))
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
      for (const outcome of outcomes) if (outcome.status === 'rejected') expect(outcome.reason).toBeInstanceOf(NamesTaken)
      const winner = outcomes.findIndex(({ status }) => status === 'fulfilled')
      expect((await cores[1 - winner]?.registry.lookUp({ field: 'username', value: username }, { isFresh: true }))?.core).toBe(['one', 'two'][winner])
    }
  })

  it('holds names against other cores while the work runs, and releases them', async () => {
    const id = platformId()
    const [one, two] = [await open(id, 0), await open(id, 1)]
    const name = { field: 'username', value: `reserved${count}` }
    await one.registry.hold([name], async () => {
      await expect(two.make(name.value)).rejects.toBeInstanceOf(NamesTaken)
      await expect(two.registry.hold([name], () => Promise.resolve())).rejects.toBeInstanceOf(NamesTaken)
    })
    await two.make(name.value)
  })

  it('shows cores with their presence, and changes between cores', async () => {
    const id = platformId()
    const [one, two] = [await open(id, 0), await open(id, 1)]
    await expect.poll(() => one.registry.cores.list().map(({ id: core, isLive }) => [core, isLive])).toEqual([['one', true], ['two', true]])
    const seen = new Promise<void>((resolve) => {
      const stop = one.registry.cores.watch(() => {
        if (one.registry.cores.get('two')?.available !== false) return
        stop()
        resolve()
      })
    })
    await two.registry.cores.change('two', (now) => (now === undefined ? undefined : { ...now, available: false }))
    expect(two.registry.cores.get('two')?.available).toBe(false)
    await seen
    await two.registry.close()
    await expect.poll(() => one.registry.cores.get('two')?.isLive).toBe(false)
    await one.registry.cores.change('two', () => null)
    expect(one.registry.cores.get('two')).toBeUndefined()
  })

  it('claims nothing for a core that was removed from the platform', async () => {
    const id = platformId()
    const one = await open(id, 0)
    await one.registry.cores.change('one', () => null)
    await expect(one.make(`removed${count}`)).rejects.toMatchObject({ id: 'platform-unavailable' })
  })

  it('delivers changes of mirrored records to other cores, in order', async () => {
    const id = platformId()
    const [one, two] = [await open(id, 0), await open(id, 1)]
    const seen: unknown[] = []
    const stop = two.registry.records.watch('app', (app) => {
      void two.registry.records.get('app', app).then((value) => seen.push(value))
    })
    for (let n = 0; n < 5; n++) await one.registry.records.change('app', 'x', () => ({ put: n, result: undefined }))
    expect(await one.registry.records.get('app', 'x')).toBe(4)
    await expect.poll(() => seen.at(-1)).toBe(4)
    expect(await two.registry.records.list('app')).toEqual([{ id: 'x', value: 4 }])
    stop()
  })

  it('compares names with the accounts of the core, and claims missing ones', async () => {
    const id = platformId()
    const one = await open(id, 0)
    const username = `compared${count}`
    await one.make(username, [{ field: 'email', value: `${username}@example.org` }])
    for (const family of ['n', 'a', 'c']) await one.client.transaction({ then: [{ delete: `/coffer/${id}/${family}/`, isPrefix: true }] })
    await one.client.transaction({ then: [{ put: `/coffer/${id}/c/one/nobody`, value: '' }] })
    await expect.poll(() => one.registry.platform?.isReachable()).toBe(true)
    const { registry } = one
    const found = await registry.platform?.compareNames(false)
    expect(found?.missing).toBeGreaterThanOrEqual(3)
    expect(found?.absent).toEqual(['nobody'])
    await expect.poll(() => registry.platform?.compareNames(true).catch((error: unknown) => String(error)), { timeout: 10_000 }).toMatchObject({ conflicts: [] })
    expect(await registry.platform?.compareNames(false)).toMatchObject({ missing: 0, conflicts: [] })
    const two = await open(id, 1)
    expect(await two.registry.lookUp({ field: 'username', value: username })).toMatchObject({ core: 'one' })
    expect(accountOfUsername(one.node.node.store.db, username)).toBeDefined()
  })

  const isConfirmation = ({ then }: TransactionRequest): boolean => then.some((operation) => 'delete' in operation && operation.delete.includes('/o/'))
  const username = (value: string): Name => ({ field: 'username', value })

  it('claims missing aliases, and the names of accounts with more of them than a transaction holds', async () => {
    const id = platformId()
    const one = await open(id, 0)
    const { store } = one.node.node
    const name = `many${count}`
    await one.make(name)
    const account = await store.account(accountOfUsername(store.db, name) ?? '')
    const unique = Object.fromEntries(Array.from({ length: 150 }, (_, at) => [`field${at}`, `value ${count}`]))
    await account.write((t) => {
      const user = readUser(t, t.account)
      if (user !== undefined) putUser(t, { ...user, unique }, 'update')
      t.put(nodeKeys.alias(`r-alias${count}`), `${t.account}/access`)
    })
    expect((await one.registry.platform?.compareNames(false))?.missing).toBeGreaterThanOrEqual(151)
    expect(await one.registry.platform?.compareNames(true)).toMatchObject({ conflicts: [] })
    expect(await one.registry.platform?.compareNames(false)).toMatchObject({ missing: 0, conflicts: [] })
    const two = await open(id, 1)
    for (const each of [{ field: 'alias', value: `r-alias${count}` }, { field: 'field149', value: `value ${count}` }]) {
      expect(await two.registry.lookUp(each)).toMatchObject({ core: 'one', account: name })
    }
    await account.write((t) => t.delete(nodeKeys.alias(`r-alias${count}`)))
  })

  it('confirms a change of names before the next one of the same account', async () => {
    const id = platformId()
    let isAway = false
    const one = await open(id, 0, {
      wrap: (client) => ({
        ...client,
        transaction: (request, options) =>
          isAway && isConfirmation(request) ? Promise.reject(new EtcdError('etcd does not answer', 'none', true)) : client.transaction(request, options),
      }),
    })
    const { store } = one.node.node
    const [name, next] = [`erased${count}`, `erased${count}-next`]
    await one.make(name)
    isAway = true
    const rename = one.registry.transfer({ account: name, take: [username(next)] }, (enter) => one.change(name, enter))
    await expect(rename).rejects.toMatchObject({ id: 'platform-unavailable' })
    isAway = false
    const account = await store.account(accountOfUsername(store.db, name) ?? '')
    await one.registry.transfer({ account: name, by: 'erasure', leave: [username(name), username(next)] }, (enter) =>
      store.eraseAccount(account, () => Promise.resolve(enter)),
    )
    await expect.poll(() => one.registry.platform?.unsettled).toBe(0)
    // The renaming would be confirmed again after two seconds.
    await new Promise((resolve) => setTimeout(resolve, 2500))
    expect((await one.client.range({ key: `/coffer/${id}/n/`, isPrefix: true })).items).toEqual([])
  })

  it('does not answer a former account of this core from memory', async () => {
    const id = platformId()
    let isSlow = false
    let arrived = (): void => {}
    let go = (): void => {}
    const one = await open(id, 0, {
      wrap: (client) => ({
        ...client,
        async range(request, options) {
          const result = await client.range(request, options)
          if (!isSlow || !request.key.includes('/a/')) return result
          isSlow = false
          arrived()
          await new Promise<void>((resolve) => (go = resolve))
          return result
        },
      }),
    })
    const { store } = one.node.node
    const name = `former${count}`
    await one.make(name)
    const account = await store.account(accountOfUsername(store.db, name) ?? '')
    // The answer to a look-up arrives after the end of the account.
    let looking: Promise<unknown> | undefined
    await one.registry.transfer({ account: name, by: 'erasure', leave: [username(name)] }, async (enter) => {
      await store.eraseAccount(account, () => Promise.resolve(enter))
      isSlow = true
      const reached = new Promise<void>((resolve) => (arrived = resolve))
      looking = one.registry.lookUp(username(name))
      await reached
    })
    go()
    await looking
    expect(one.registry.peek(username(name)) ?? null).toBeNull()
    expect(await one.registry.lookUp(username(name))).toBeUndefined()
  })

  it('undoes a change whose name another account has after its caller released the account', async () => {
    const id = platformId()
    const [name, next] = [`undone${count}`, `undone${count}-next`]
    let isTaking = false
    const one = await open(id, 0, {
      wrap: (client) => ({
        ...client,
        async transaction(request, options) {
          const taken = isConfirmation(request) ? request.then.find((operation) => 'put' in operation && operation.put.includes('/n/')) : undefined
          const operation = request.if?.find((condition) => 'isPresent' in condition && condition.key.includes('/o/'))?.key
          // As if this core had been away for a minute, and another one had claimed the name meanwhile.
          if (isTaking && taken !== undefined && 'put' in taken && operation !== undefined) {
            await client.transaction({ then: [{ delete: operation }, { put: taken.put, value: JSON.stringify({ a: 'another' }) }] })
          }
          return client.transaction(request, options)
        },
      }),
    })
    const { store } = one.node.node
    await one.make(name)
    const account = await store.account(accountOfUsername(store.db, name) ?? '')
    await store.settled()
    const undone: string[] = []
    await one.registry.platform?.settle(({ prefix }) => account.exclusively(() => Promise.resolve(void undone.push(prefix))))
    isTaking = true
    const renaming = account.exclusively((write) =>
      one.registry.transfer({ account: name, take: [username(next)] }, (enter) => write((t) => enter(t))),
    )
    await expect(renaming).rejects.toBeInstanceOf(NamesTaken)
    await expect.poll(() => undone, { timeout: 10_000 }).toEqual([account.prefix])
    await expect.poll(() => one.registry.platform?.unsettled, { timeout: 10_000 }).toBe(0)
  })

  it('undoes a refused change after a crash, although its name is free again', async () => {
    const id = platformId()
    const [name, next] = [`refused${count}`, `refused${count}-next`]
    let isTaking = false
    const other = JSON.stringify({ a: 'another' })
    const one = await open(id, 0, {
      wrap: (client) => ({
        ...client,
        async transaction(request, options) {
          const taken = isConfirmation(request) ? request.then.find((operation) => 'put' in operation && operation.put.includes('/n/')) : undefined
          const operation = request.if?.find((condition) => 'isPresent' in condition && condition.key.includes('/o/'))?.key
          if (isTaking && taken !== undefined && 'put' in taken && operation !== undefined) {
            await client.transaction({ then: [{ delete: operation }, { put: taken.put, value: other }] })
          }
          return client.transaction(request, options)
        },
      }),
    })
    const { store } = one.node.node
    await one.make(name)
    const account = await store.account(accountOfUsername(store.db, name) ?? '')
    // The process ends before it can undo anything.
    await one.registry.platform?.settle(() => new Promise(() => {}))
    isTaking = true
    await expect(one.registry.transfer({ account: name, take: [username(next)] }, (enter) => account.write((t) => enter(t)))).rejects.toBeInstanceOf(NamesTaken)
    await one.registry.close()
    const client = createEtcdClient({ endpoints: etcd.endpoints, log: one.node.node.log })
    const held = (await client.range({ key: `/coffer/${id}/n/`, isPrefix: true })).items.filter(({ value }) => value === other)
    expect(held).toHaveLength(1)
    for (const { key } of held) await client.transaction({ then: [{ delete: key }] })
    client.close()
    const again = await open(id, 0)
    const undone: string[] = []
    await again.registry.platform?.settle(({ prefix }) => Promise.resolve(void undone.push(prefix)))
    expect(undone).toEqual([account.prefix])
    expect(await again.registry.lookUp(username(next), { isFresh: true })).toBeUndefined()
  })
})
