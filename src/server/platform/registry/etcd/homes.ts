/** Number and list of the accounts of each core, from keys of their own. */
import type { Homes } from '../port.js'
import type { EtcdClient } from './api.js'
import type { PlatformKeys } from './keys.js'
import { orUnavailable } from './outcome.js'

export function createHomes(client: Pick<EtcdClient, 'range'>, keys: PlatformKeys): Homes {
  return {
    async count(core) {
      const { count } = await orUnavailable(client.range({ key: keys.hosted(core), isPrefix: true, countOnly: true }))
      return count
    },
    async page(core, after, limit) {
      const prefix = keys.hosted(core)
      const from = after === undefined ? {} : { after: prefix + after }
      const { items } = await orUnavailable(client.range({ key: prefix, isPrefix: true, keysOnly: true, limit, ...from }))
      return items.map(({ key }) => key.slice(prefix.length))
    },
  }
}
