/** Faults of a platform, in an order from a seed: killed and frozen members and cores, and clocks that jump. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { EtcdClient } from '../../../../src/server/platform/registry/etcd/api.js'
import type { TestEtcd } from '../../../support/services/etcd.js'
import type { CoreProcess } from './coreProcess.js'

const THREE_DAYS = 3 * 86_400
const COMPACTION_MS = 1000

export interface ClaimFaults {
  /** Injects faults for some milliseconds; then everything runs again. */
  run(ms: number): Promise<void>
  /** Numbers of faults by kind. */
  readonly counts: Record<string, number>
}

interface Parts {
  etcd: TestEtcd
  client: EtcdClient
  cores: readonly CoreProcess[]
  leaseSeconds: number
  random(limit: number): number
}

export function createClaimFaults({ etcd, client, cores, leaseSeconds, random }: Parts): ClaimFaults {
  const counts: Record<string, number> = {}
  const members = etcd.endpoints.map((_, index) => index)
  const between = (low: number, high: number): number => low + random(high - low)
  const leaseMs = leaseSeconds * 1000
  const anyCore = (): CoreProcess => cores[random(cores.length)] as CoreProcess

  const kinds: Record<string, () => Promise<void>> = {
    async 'killed member'() {
      const member = random(members.length)
      await etcd.kill(member)
      await sleep(between(200, 3000))
      await etcd.restart(member)
    },
    async 'killed majority'() {
      const spared = random(members.length)
      const killed = members.filter((member) => member !== spared)
      await Promise.all(killed.map((member) => etcd.kill(member)))
      await sleep(between(200, 4000))
      await etcd.restart(...killed)
    },
    async 'frozen member'() {
      const member = random(members.length)
      etcd.freeze(member)
      await sleep(between(500, leaseMs + 2000))
      etcd.thaw(member)
    },
    async 'killed core'() {
      const core = anyCore()
      await core.kill()
      await sleep(random(1000))
      await core.start()
    },
    async 'frozen core'() {
      const core = anyCore()
      core.freeze()
      await sleep(between(500, leaseMs + 3000))
      core.thaw()
    },
    async 'clock jump'() {
      const jumps = [-THREE_DAYS, 0, THREE_DAYS]
      await anyCore().ask({ what: 'faults', clockOffset: jumps[random(jumps.length)] ?? 0 }).catch(() => {})
    },
  }

  return {
    counts,
    async run(ms) {
      const until = performance.now() + ms
      const compaction = setInterval(() => {
        const compact = async (): Promise<void> => {
          const { revision } = await client.range({ key: 'none', countOnly: true })
          await client.compact(revision)
          counts['compaction'] = (counts['compaction'] ?? 0) + 1
        }
        compact().catch(() => {})
      }, COMPACTION_MS)
      const names = Object.keys(kinds)
      while (performance.now() < until) {
        await sleep(between(100, 1500))
        const name = names[random(names.length)] ?? ''
        await kinds[name]?.()
        counts[name] = (counts[name] ?? 0) + 1
      }
      clearInterval(compaction)
    },
  }
}
