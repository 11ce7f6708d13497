/**
 * Presence of this core: a key with a lease of a few seconds, renewed while the process runs. Others see a core as live while
 * the key exists, and claims of names compare it, so that a core that is out of touch claims nothing.
 */
import { performance } from 'node:perf_hooks'
import type { Log } from '../../../base/log.js'
import type { EtcdClient } from './api.js'
import { valueOf, type LiveValue } from './keys.js'

/** Seconds that a lease lasts without renewal. */
const LEASE_SECONDS = 10
/** Renewals in one lease. */
const RENEWALS = 3
/** Seconds by which the lease is taken to end earlier than etcd counts. */
const MARGIN_SECONDS = 2

interface Presence {
  /** Revision of the key of this process; undefined while it has none. */
  revision(): number | undefined
  /**
   * Checks whether the lease has certainly not ended: counted on a monotonic clock from the sending of the latest answered renewal, so
   * that jumps of the system clock do not matter.
   */
  isGood(): boolean
  /** Resolves when the key was written once. */
  readonly begun: Promise<void>
  stop(): Promise<void>
}

interface Parts {
  client: EtcdClient
  key: string
  boot: string
  log: Log
  /** Time in seconds since 1970. */
  now(): number
  leaseSeconds?: number
}

/** Starts to renew the presence of a core, and begins anew when it was lost. */
export function createPresence({ client, key, boot, log, now, leaseSeconds = LEASE_SECONDS }: Parts): Presence {
  const renewMs = (leaseSeconds * 1000) / RENEWALS
  const margin = Math.min(MARGIN_SECONDS, leaseSeconds / 4)
  const since = now()
  let lease: string | undefined
  let revision: number | undefined
  let goodUntil = 0
  let isStopped = false
  let timer: NodeJS.Timeout | undefined
  let isShown = false
  let resolveBegun = (): void => {}
  const begun = new Promise<void>((resolve) => (resolveBegun = resolve))
  const timeoutMs = Math.min(3000, renewMs)

  async function begin(): Promise<void> {
    const sent = performance.now()
    lease = await client.grant(leaseSeconds, { timeoutMs })
    const value: LiveValue = { boot, since }
    const { succeeded, revision: written, results } = await client.transaction(
      {
        if: [{ key, isAbsent: true }],
        then: [{ put: key, value: JSON.stringify(value), lease }],
        else: [{ range: { key } }],
      },
      { timeoutMs },
    )
    if (succeeded) {
      revision = written
    } else {
      const [found] = results
      const item = found !== undefined && 'items' in found ? found.items[0] : undefined
      if (item === undefined) return
      // An earlier attempt with an unknown outcome; its lease is not ours to renew.
      if (valueOf<LiveValue>(item.value).boot === boot && item.lease !== undefined) {
        lease = item.lease
        revision = item.revision
      } else {
        // A former process of this core, until its lease ends; or another node with the same id.
        if (!isShown && now() - since > 2 * leaseSeconds) {
          isShown = true
          log.error('another node runs as this core of the platform: the setting core.id must be unique', { key })
        }
        lease = undefined
        return
      }
    }
    goodUntil = sent + (leaseSeconds - margin) * 1000
    resolveBegun()
  }

  async function renew(): Promise<void> {
    if (lease === undefined || revision === undefined) return begin()
    const sent = performance.now()
    const seconds = await client.keepAlive(lease, { timeoutMs })
    if (seconds > 0) {
      goodUntil = sent + (Math.min(seconds, leaseSeconds) - margin) * 1000
      return
    }
    lease = undefined
    revision = undefined
    log.warn('this core was out of touch with the registry of the platform, and announces itself again')
    return begin()
  }

  function next(): void {
    renew()
      .catch((error: unknown) => log.debug('the presence of this core could not be renewed', { error: String(error) }))
      .finally(() => {
        if (!isStopped) timer = setTimeout(next, revision === undefined ? Math.min(1000, renewMs) : renewMs).unref()
      })
  }
  next()

  return {
    begun,
    revision: () => revision,
    isGood: () => performance.now() < goodUntil,
    async stop() {
      isStopped = true
      clearTimeout(timer)
      goodUntil = 0
      if (lease !== undefined) await client.revoke(lease, { timeoutMs: 1000 }).catch(() => {})
    },
  }
}
