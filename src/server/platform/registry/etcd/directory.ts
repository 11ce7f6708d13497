/** List of the cores of a platform, from copies in memory. */
import type { CoreDirectory, CoreRecord, CoreView } from '../port.js'
import type { EtcdClient, KeyValue } from './api.js'
import { conditionOf } from './claims.js'
import { valueOf, type PlatformKeys } from './keys.js'
import type { Mirror } from './mirror.js'
import { AGAIN, repeated } from './outcome.js'

interface Parts {
  client: EtcdClient
  keys: PlatformKeys
  mirrors: { cores: Mirror; live: Mirror }
}

export function createCoreDirectory({ client, keys, mirrors: { cores, live } }: Parts): CoreDirectory {
  /** Parsed records: the list is read for every name in DNS and for every call to an account of another core. */
  const parsed = new WeakMap<KeyValue, CoreRecord>()

  function recordOf(item: KeyValue): CoreRecord {
    const known = parsed.get(item)
    if (known !== undefined) return known
    const record = valueOf<CoreRecord>(item.value)
    parsed.set(item, record)
    return record
  }

  function viewOf(item: KeyValue): CoreView {
    const record = recordOf(item)
    return { ...record, isLive: live.get(keys.liveOf(record.id)) !== undefined }
  }

  return {
    list: () => cores.list(keys.cores).map(viewOf),
    get(id) {
      const item = cores.get(keys.core(id))
      return item === undefined ? undefined : viewOf(item)
    },
    async change(id, step) {
      const key = keys.core(id)
      let written: string | undefined
      await repeated(async (): Promise<true | typeof AGAIN> => {
        const [item] = (await client.range({ key })).items
        // An earlier attempt with an unknown outcome was applied.
        if (written !== undefined && item?.value === written) return true
        const next = step(item === undefined ? undefined : valueOf<CoreRecord>(item.value))
        if (next === undefined || (next === null && item === undefined)) return true
        const value = next === null ? undefined : JSON.stringify(next)
        written = value
        const { succeeded, revision } = await client.transaction({
          if: [conditionOf(key, item)],
          then: [value === undefined ? { delete: key } : { put: key, value }],
        })
        if (!succeeded) return AGAIN
        cores.applied(key, revision, value === undefined ? undefined : { key, value, revision })
        return true
      })
    },
    watch(listener) {
      const stops = [cores.follow(listener), live.follow(listener)]
      return () => {
        for (const stop of stops) stop()
      }
    },
  }
}
