/** Records of a platform in etcd. */
import { randomBytes } from 'node:crypto'
import pLimit, { type LimitFunction } from 'p-limit'
import { Failure } from '../../../../store/model/failure.js'
import { platformUnavailable, type Records } from '../port.js'
import { EtcdError, type EtcdClient, type KeyValue } from './api.js'
import { conditionOf } from './claims.js'
import { MIRRORED, valueOf, type PlatformKeys, type RecordValue } from './keys.js'
import { readAll, type Mirror } from './mirror.js'
import { AGAIN, orUnavailable, repeated } from './outcome.js'

/** Attempts of a change while other cores change the same record. */
const MAX_ATTEMPTS = 16
/** Records that expire in the same minute, or hour if that is more than a day ahead, share a lease. */
const MINUTE = 60
const HOUR = 3600
const DAY = 86_400
/** Seconds that a lease lasts beyond the expiry of its records. */
const LEASE_EXTRA = 60

interface Parts {
  client: EtcdClient
  keys: PlatformKeys
  /** Copy of the records of mirrored families. */
  mirror: Mirror
  /** Time in seconds since 1970. */
  now(): number
}

export interface EtcdRecords extends Records {
  /** Forgets leases whose records have expired. */
  sweep(): void
}

export function createEtcdRecords({ client, keys, mirror, now }: Parts): EtcdRecords {
  /** Leases by the end of the interval whose records they hold. */
  const leases = new Map<number, Promise<string>>()
  /** Changes of one record by this process run one after another. */
  const queues = new Map<string, LimitFunction>()

  function leaseFor(expires: number): Promise<string> {
    const interval = expires - now() > DAY ? HOUR : MINUTE
    const end = Math.ceil(expires / interval) * interval
    const known = leases.get(end)
    if (known !== undefined) return known
    const granted = client.grant(Math.max(Math.ceil(end - now()), 1) + LEASE_EXTRA)
    leases.set(end, granted)
    granted.catch(() => leases.delete(end))
    return granted
  }

  async function inTurn<T>(key: string, work: () => Promise<T>): Promise<T> {
    const queue = queues.get(key) ?? pLimit(1)
    queues.set(key, queue)
    try {
      return await queue(work)
    } finally {
      if (queue.activeCount === 0 && queue.pendingCount === 0) queues.delete(key)
    }
  }

  const isOver = ({ x }: RecordValue): boolean => x !== undefined && x <= now()

  function currentValue(item: KeyValue | undefined): unknown {
    if (item === undefined) return undefined
    const value = valueOf<RecordValue>(item.value)
    return isOver(value) ? undefined : value.v
  }

  async function read(key: string): Promise<KeyValue | undefined> {
    return (await client.range({ key })).items[0]
  }

  /**
   * Replaces a record if it is as it was read. Returns false when it was changed by others; `platform-unavailable` if it is unknown
   * whether that was before or after this change. A single-use record is not changed by others, so that this is known.
   */
  async function replace(key: string, item: KeyValue | undefined, next: { put?: unknown; expires?: number }, isSingleUse = false): Promise<boolean> {
    const condition = conditionOf(key, item)
    if (next.put === null) {
      if (item === undefined) return true
      // Not repeated: after an unknown outcome, an absent record may have been taken by another core.
      const { succeeded, revision } = await orUnavailable(client.transaction({ if: [condition], then: [{ delete: key }] }))
      if (succeeded && key.startsWith(keys.mirrored)) mirror.applied(key, revision, undefined)
      return succeeded
    }
    const stored: RecordValue = { v: next.put, o: randomBytes(9).toString('base64url'), ...(next.expires === undefined ? {} : { x: next.expires }) }
    const value = JSON.stringify(stored)
    const lease = next.expires === undefined ? {} : { lease: await orUnavailable(leaseFor(next.expires)) }
    let isUnsure = false
    return repeated(async (): Promise<boolean | typeof AGAIN> => {
      const result = await client.transaction({ if: [condition], then: [{ put: key, value, ...lease }], else: [{ range: { key } }] }).catch((error: unknown) => {
        isUnsure ||= error instanceof EtcdError && error.applied === 'maybe'
        throw error
      })
      if (result.succeeded) {
        if (key.startsWith(keys.mirrored)) mirror.applied(key, result.revision, { key, value, revision: result.revision })
        return true
      }
      const [found] = result.results
      const present = found !== undefined && 'items' in found ? found.items[0] : undefined
      if (present?.value === value) return true
      // An earlier attempt may have been applied, and its result changed since: a second application would count twice.
      if (isUnsure && !isSingleUse) throw platformUnavailable()
      return false
    })
  }

  return {
    async get(family, id) {
      const key = keys.record(family, id)
      if (MIRRORED.has(family) && mirror.isReady) return currentValue(mirror.get(key))
      return currentValue(await orUnavailable(read(key)))
    },

    async list(family) {
      const prefix = keys.records(family)
      const items = MIRRORED.has(family) && mirror.isReady ? mirror.list(prefix) : (await orUnavailable(readAll(client, prefix))).items
      return items
        .map((item) => ({ id: item.key.slice(prefix.length), value: currentValue(item) }))
        .filter(({ value }) => value !== undefined)
    },

    change(family, id, step) {
      const key = keys.record(family, id)
      return inTurn(key, async () => {
        for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
          const item = await orUnavailable(read(key))
          const { put, expires, result } = step(currentValue(item))
          if (put === undefined) return result
          if (await replace(key, item, { put, ...(expires === undefined ? {} : { expires }) })) return result
        }
        throw new Failure('platform-unavailable', 'Other cores are changing the same record; try again.', { retryAfterSeconds: 1 })
      })
    },

    claim(family, id, expires) {
      const key = keys.record(family, id)
      return inTurn(key, async () => {
        for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
          const item = await orUnavailable(read(key))
          if (currentValue(item) !== undefined) return false
          if (await replace(key, item, { put: true, expires }, true)) return true
        }
        return false
      })
    },

    watch(family, listener) {
      if (!MIRRORED.has(family)) throw new Error(`Records of ${family} are not mirrored, so that they cannot be watched.`)
      const prefix = keys.records(family)
      return mirror.follow((key) => {
        if (key.startsWith(prefix)) listener(key.slice(prefix.length))
      })
    },

    sweep() {
      for (const end of leases.keys()) if (end <= now()) leases.delete(end)
    },
  }
}
