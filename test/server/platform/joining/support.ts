/** A registry in memory with several cores, for tests of joining. */
import type { CoreRecord, CoreView, Records, Registry } from '../../../../src/server/platform/registry/port.js'

export interface FakeRegistry {
  registry: Pick<Registry, 'core' | 'isShared' | 'records' | 'cores' | 'homes'>
  /** Records of the cores, by id. */
  cores: Map<string, CoreRecord>
  /** Number of accounts, by core. */
  accounts: Map<string, number>
  /** Sets the clock by which records expire, in seconds. */
  at(seconds: number): void
  /** Makes the next changes of cores fail. */
  failCores(error: Error | undefined): void
}

export const coreRecord = (id: string, more: Partial<CoreRecord> = {}): CoreRecord => ({
  id,
  url: `https://${id}.example.org/`,
  ip: null,
  ipv6: null,
  cname: null,
  hosting: null,
  available: true,
  state: 'active',
  identity: null,
  settings: {},
  version: '0.1.0',
  added: 0,
  ...more,
})

/** Creates the registry of `core-a`. Changes are applied after a turn of the event loop, one at a time, like those of etcd. */
export function fakeRegistry(...others: CoreRecord[]): FakeRegistry {
  const stored = new Map<string, { value: unknown; expires?: number }>()
  const cores = new Map([coreRecord('core-a'), ...others].map((core) => [core.id, core]))
  const accounts = new Map<string, number>()
  let now = 0
  let failure: Error | undefined
  const live = (key: string): unknown => {
    const found = stored.get(key)
    return found === undefined || (found.expires !== undefined && found.expires <= now) ? undefined : found.value
  }
  const view = (core: CoreRecord): CoreView => ({ ...core, isLive: core.state === 'active' })
  const records: Records = {
    get: (family, id) => Promise.resolve(live(`${family}/${id}`)),
    list: (family) =>
      Promise.resolve([...stored.keys()].filter((key) => key.startsWith(`${family}/`) && live(key) !== undefined).sort().map((key) => ({ id: key.slice(family.length + 1), value: live(key) }))),
    async change(family, id, step) {
      await Promise.resolve()
      const { put, expires, result } = step(live(`${family}/${id}`))
      if (put === null) stored.delete(`${family}/${id}`)
      else if (put !== undefined) stored.set(`${family}/${id}`, expires === undefined ? { value: put } : { value: put, expires })
      return result
    },
    claim: () => Promise.resolve(true),
    watch: () => () => {},
  }
  return {
    cores,
    accounts,
    at: (seconds) => void (now = seconds),
    failCores: (error) => void (failure = error),
    registry: {
      core: 'core-a',
      isShared: true,
      records,
      cores: {
        list: () => [...cores.values()].map(view),
        get: (id) => {
          const core = cores.get(id)
          return core === undefined ? undefined : view(core)
        },
        async change(id, step) {
          await Promise.resolve()
          const next = step(cores.get(id))
          if (next === undefined) return
          if (failure !== undefined) throw failure
          if (next === null) cores.delete(id)
          else cores.set(id, next)
        },
        watch: () => () => {},
      },
      homes: { count: (id) => Promise.resolve(accounts.get(id) ?? 0), page: () => Promise.resolve([]) },
    },
  }
}
