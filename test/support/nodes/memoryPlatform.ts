/**
 * A platform of several cores in the memory of the test process: the nodes share names, homes, records and cores, as they do by
 * etcd. Each node's registry wraps its local one.
 */
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll } from 'vitest'
import { accountOfAlias } from '../../../src/store/accesses/accesses.js'
import { listUsernames, namesOf, readUser } from '../../../src/store/accounts/users.js'
import { createSeal } from '../../../src/store/keyring/seal.js'
import { Secret } from '../../../src/store/model/secret.js'
import { createLocalRegistry } from '../../../src/server/platform/registry/local.js'
import { MIRRORED } from '../../../src/server/platform/registry/etcd/keys.js'
import type { RegistryParts } from '../../../src/server/index.js'
import {
  nameKey,
  NamesTaken,
  platformUnavailable,
  type CoreRecord,
  type CoreView,
  type Holder,
  type Name,
  type NamesReport,
  type Records,
  type Registry,
  type Transfer,
} from '../../../src/server/platform/registry/port.js'
import { startTestNode, type TestNode } from './node.js'

/** Seconds for which a core remembers that nobody has a name. */
const ABSENCE_SECONDS = 2

/** Admin key of all cores. */
export const ADMIN_KEY = 'admin key of the platform'

export interface MemoryPlatform {
  /** Creates the registry of a node: the option `registry`. */
  registry(parts: RegistryParts): Registry
  /** Lets calls that need the platform fail with `platform-unavailable`; with false, they succeed again. */
  stopAnswering(isStopped?: boolean): void
  /** Sets whether a core counts as live; cores are live by default. */
  setLive(core: string, isLive: boolean): void
  /** Adds or changes the record of a core. */
  setCore(id: string, changes: Partial<CoreRecord>): void
  /** Assigns a name to an account of a core, whether or not a node of the test is that core. */
  setHolder(name: Name, holder: { core: string; account: string }): void
  /** Returns the holder of a name. */
  holderOf(name: Name): { core: string; account: string } | undefined
  /** Ids of the accounts of a core. */
  accountsOf(core: string): string[]
}

const seal = createSeal(new Secret(new Uint8Array(randomBytes(32))))

/** Creates a platform. With `piiMode` `clear`, cores know the user names of all accounts. */
export async function createMemoryPlatform({ piiMode = 'hashed' }: { piiMode?: 'hashed' | 'clear' } = {}): Promise<MemoryPlatform> {
  const platformSeal = await seal
  const names = new Map<string, { core: string; account: string }>()
  const held = new Set<string>()
  const homes = new Map<string, string>()
  const families = new Map<string, Map<string, { value: unknown; expires?: number }>>()
  const watchers = new Map<string, Set<(id: string) => void>>()
  /** Nodes by core id. */
  const nodes = new Map<string, RegistryParts>()
  const coreRecords = new Map<string, CoreRecord>()
  const coreWatchers = new Set<() => void>()
  const down = new Set<string>()
  let isStopped = false

  function answering(): void {
    if (isStopped) throw platformUnavailable()
  }

  /** Waits as a call of another machine does. */
  async function asked(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve))
    answering()
  }

  function coreView(id: string): CoreView | undefined {
    const node = nodes.get(id)
    const described = { ...node?.core(), ...coreRecords.get(id) }
    return described.id === undefined ? undefined : { ...(described as CoreView), isLive: node !== undefined && !down.has(id) }
  }

  const recordsOf = (now: () => number): Records => {
    // A core that started before keeps a copy of these families, as with etcd.
    const hasCopies = !isStopped
    const askedFor = (family: string): Promise<void> => (hasCopies && MIRRORED.has(family) ? Promise.resolve() : asked())
    const live = (family: string, id: string): unknown => {
      const record = families.get(family)?.get(id)
      return record === undefined || (record.expires !== undefined && record.expires <= now()) ? undefined : record.value
    }
    return {
      async get(family, id) {
        await askedFor(family)
        return structuredClone(live(family, id))
      },
      async list(family) {
        await askedFor(family)
        const ids = [...(families.get(family)?.keys() ?? [])].sort()
        return ids.flatMap((id) => (live(family, id) === undefined ? [] : [{ id, value: structuredClone(live(family, id)) }]))
      },
      async change(family, id, step) {
        await asked()
        const { put, expires, result } = step(structuredClone(live(family, id)))
        const records = families.get(family) ?? new Map<string, { value: unknown; expires?: number }>()
        families.set(family, records)
        if (put === null) records.delete(id)
        else if (put !== undefined) records.set(id, { value: structuredClone(put), ...(expires === undefined ? {} : { expires }) })
        if (put !== undefined && expires === undefined) for (const listener of watchers.get(family) ?? []) listener(id)
        return result
      },
      async claim(family, id, expires) {
        return this.change(family, id, (now) => (now === undefined ? { put: true, expires, result: true } : { result: false }))
      },
      watch(family, listener) {
        const listeners = watchers.get(family) ?? new Set<(id: string) => void>()
        watchers.set(family, listeners.add(listener))
        return () => void listeners.delete(listener)
      },
    }
  }

  function registry(parts: RegistryParts): Registry {
    const { store, core, now } = parts
    const { id } = core()
    const local = createLocalRegistry(store, core, now)
    const cached = new Map<string, { core: string; account: string }>()
    /** Times until which names count as nobody's. */
    const absent = new Map<string, number>()
    const isAbsent = (name: Name): boolean => (absent.get(nameKey(name)) ?? 0) > now()
    nodes.set(id, parts)
    for (const listener of coreWatchers) listener()

    function holder({ core: at, account }: { core: string; account: string }): Holder {
      if (piiMode === 'hashed') return { core: at, account }
      const home = nodes.get(at)?.store.db
      const username = home === undefined ? undefined : [...names].find(([key, held]) => held.account === account && key.startsWith('username/'))?.[0].slice('username/'.length)
      return { core: at, account, ...(username === undefined ? {} : { username }) }
    }

    function aliasHolder(alias: string): { core: string; account: string } | undefined {
      for (const [at, { store: { db } }] of nodes) {
        const prefix = accountOfAlias(db, alias)
        const user = prefix === undefined ? undefined : readUser(db, prefix)
        if (user !== undefined) return { core: at, account: user.id }
      }
      return undefined
    }

    const known = (name: Name): { core: string; account: string } | undefined => (name.field === 'alias' ? aliasHolder(name.value) : names.get(nameKey(name)))

    async function hold<T>(wanted: readonly Name[], account: string | undefined, work: () => Promise<T>): Promise<T> {
      await asked()
      const keys = wanted.map(nameKey)
      const taken = wanted.filter((name) => held.has(nameKey(name)) || (known(name) !== undefined && known(name)?.account !== account))
      if (taken.length > 0) throw new NamesTaken(taken)
      for (const key of keys) held.add(key)
      try {
        return await work()
      } finally {
        for (const key of keys) held.delete(key)
      }
    }

    function settle({ account, by, take = [], leave = [] }: Transfer): void {
      for (const name of leave) if (names.get(nameKey(name))?.account === account) names.delete(nameKey(name))
      for (const name of take) names.set(nameKey(name), { core: id, account })
      if (by === 'creation') homes.set(account, id)
      if (by === 'erasure') homes.delete(account)
    }

    return {
      ...local,
      isShared: true,
      async lookUp(name, { isFresh } = {}) {
        const own = local.peek(name)
        if (own != null && isFresh !== true) return own
        const found = isFresh === true ? undefined : cached.get(nameKey(name))
        if (found !== undefined) return holder(found)
        if (isFresh !== true && isAbsent(name)) return undefined
        await asked()
        const asserted = known(name)
        absent.delete(nameKey(name))
        if (asserted === undefined) {
          absent.set(nameKey(name), now() + ABSENCE_SECONDS)
          return undefined
        }
        if (own?.account === asserted.account) return own
        cached.set(nameKey(name), asserted)
        return holder(asserted)
      },
      peek(name) {
        const own = local.peek(name)
        if (own != null) return own
        const found = cached.get(nameKey(name))
        if (found === undefined) return isAbsent(name) ? null : undefined
        return holder(found)
      },
      async transfer(input, work) {
        return hold(input.take ?? [], undefined, async () => {
          const result = await local.transfer(input, work)
          settle(input)
          return result
        })
      },
      hold: (wanted, work) => hold(wanted, undefined, () => local.hold(wanted, work)),
      records: recordsOf(now),
      ownRecords: local.records,
      platformSeal,
      platform: {
        id: 'memory',
        isReachable: () => !isStopped,
        members: () => Promise.resolve([]),
        revision: 0,
        unsettled: 0,
        settle: () => Promise.resolve(),
        async compareNames() {
          await asked()
          const report: NamesReport = { accounts: 0, names: 0, missing: 0, conflicts: [], absent: [], lacksCore: false }
          const ids = new Set<string>()
          for (const { account } of await listUsernames(store.db)) {
            const user = readUser(store.db, account)
            if (user === undefined) continue
            ids.add(user.id)
            report.accounts += 1
            const { usernames, unique } = namesOf(user)
            for (const name of [...usernames.map((value) => ({ field: 'username', value })), ...unique.map(([field, value]) => ({ field, value }))]) {
              report.names += 1
              const holder = names.get(nameKey(name))
              if (holder === undefined) report.missing += 1
              else if (holder.account !== user.id) report.conflicts.push({ username: user.username, name })
            }
          }
          report.absent = [...homes].flatMap(([account, home]) => (home === id && !ids.has(account) ? [account] : []))
          return report
        },
      },
      cores: {
        list: () => [...new Set([...nodes.keys(), ...coreRecords.keys()])].sort().flatMap((each) => coreView(each) ?? []),
        get: coreView,
        async change(of, step) {
          await asked()
          const next = step(coreView(of))
          if (next === null) coreRecords.delete(of)
          else if (next !== undefined) coreRecords.set(of, next)
          for (const listener of coreWatchers) listener()
        },
        watch(listener) {
          coreWatchers.add(listener)
          return () => void coreWatchers.delete(listener)
        },
      },
      homes: {
        async count(of) {
          await asked()
          return [...homes.values()].filter((home) => home === of).length
        },
        async page(of, after = '', limit) {
          await asked()
          return [...homes].flatMap(([account, home]) => (home === of && account > after ? [account] : [])).sort().slice(0, limit)
        },
      },
      async sweep() {
        for (const records of families.values()) {
          for (const [each, { expires = Infinity }] of records) if (expires <= now()) records.delete(each)
        }
        await local.sweep()
      },
      async close() {
        nodes.delete(id)
        await local.close()
      },
    }
  }

  return {
    registry,
    stopAnswering: (stopped = true) => void (isStopped = stopped),
    setLive: (core, isLive) => void (isLive ? down.delete(core) : down.add(core)),
    setCore: (id, changes) => void coreRecords.set(id, { ...(coreRecords.get(id) ?? ({ id } as CoreRecord)), ...changes }),
    setHolder(name, to) {
      names.set(nameKey(name), to)
      homes.set(to.account, to.core)
    },
    holderOf: (name) => names.get(nameKey(name)),
    accountsOf: (core) => [...homes].flatMap(([account, home]) => (home === core ? [account] : [])),
  }
}

type Settings = Record<string, unknown>
type Options = Omit<NonNullable<Parameters<typeof startTestNode>[1]>, 'registry'>

/** The nodes of a platform, by core id. */
export interface TestCores {
  readonly platform: MemoryPlatform
  /** Returns the node of a core. */
  node(id: string): TestNode
  /** Starts another node. */
  start(id: string, settings?: Settings, options?: Options): Promise<TestNode>
  /** Stops all nodes. */
  stop(): Promise<void>
}

/** Starts a platform with the given cores: their settings by id. `shared` are settings of all. */
export async function startCores(
  cores: Readonly<Record<string, Settings>>,
  { shared = {}, piiMode, options = {} }: { shared?: Settings; piiMode?: 'hashed' | 'clear'; options?: Options } = {},
): Promise<TestCores> {
  const platform = await createMemoryPlatform(piiMode === undefined ? {} : { piiMode })
  const nodes = new Map<string, TestNode>()
  async function start(id: string, settings: Settings = {}, more: Options = options): Promise<TestNode> {
    const all = { 'auth.adminAccessKey': ADMIN_KEY, 'core.id': id, ...shared, ...settings }
    const node = await startTestNode(all, { ...more, registry: (parts) => platform.registry(parts) })
    nodes.set(id, node)
    return node
  }
  for (const [id, settings] of Object.entries(cores)) await start(id, settings)
  return {
    platform,
    start,
    node(id) {
      const node = nodes.get(id)
      if (node === undefined) throw new Error(`no core ${id}`)
      return node
    },
    stop: async () => void (await Promise.all([...nodes.values()].map((node) => node.stop()))),
  }
}

/** Starts a platform for the tests of a block; returns a function that returns it. */
export function withCores(...parameters: Parameters<typeof startCores>): () => TestCores {
  let cores: TestCores | undefined
  beforeAll(async () => {
    cores = await startCores(...parameters)
  })
  afterAll(() => cores?.stop())
  return () => {
    if (cores === undefined) throw new Error('the cores have not started')
    return cores
  }
}
