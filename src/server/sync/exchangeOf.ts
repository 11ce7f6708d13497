/** The exchange of a node: applies merged items with the same rules as the API methods. */
import { recordMissingBlob } from '../../store/blobs/missingBlobs.js'
import { mergeAccess } from '../../sync/merge/accesses.js'
import { createMerger } from '../../sync/merge/merge.js'
import { mergeSeries } from '../../sync/merge/series.js'
import type { Context } from '../call/context.js'
import { createExchange, type Exchange } from './exchange.js'

export function exchangeOf(node: Context): Exchange {
  const { store, config, log, clock, eventTypes } = node
  const now = (): number => clock.now()
  const hasIntegrity = config.get('integrity.isActive.events')
  const retention = {
    ...(hasIntegrity ? { integrity: config.get('integrity.algorithm') } : {}),
    deletionMode: config.get('versioning.deletionMode'),
  }
  const merger = createMerger({
    store,
    types: {
      check: (type, content) => eventTypes.check(type, content)?.map(({ message }) => message).join(' '),
      seriesType: (type) => eventTypes.seriesType(type),
    },
    keeping: () => retention,
    now,
    noteMissingFile: (t, digest, size) => recordMissingBlob(t, store.blobs, digest, size),
    mergeAccess: (t, entry, from) => mergeAccess(t, store.seal, entry, from, now()),
    mergeSeries: (t, entry, from) => mergeSeries(t, entry, from, (type) => eventTypes.seriesFields(type)),
  })
  return createExchange({ store, merger, config, log, now })
}
