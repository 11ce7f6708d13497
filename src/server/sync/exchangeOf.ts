/** The exchange of a node: merging keeps items as the node's own methods do. */
import { noteMissingFile } from '../../store/wantedFiles.js'
import { mergeAccess } from '../../sync/merge/accesses.js'
import type { Keeping } from '../../sync/merge/context.js'
import { createMerger } from '../../sync/merge/merge.js'
import { mergeSeries } from '../../sync/merge/series.js'
import type { Node } from '../node.js'
import { createExchange, type Exchange } from './exchange.js'

export function exchangeOf(node: Node): Exchange {
  const { store, config, log, clock, eventTypes, newId } = node
  const { seal, blobs } = store
  const now = (): number => clock.now()
  const keeping = (): Keeping => ({
    keepVersions: config.get('versioning.forceKeepHistory'),
    deletionMode: config.get('versioning.deletionMode'),
    ...(config.get('integrity.isActive.events') ? { integrity: config.get('integrity.algorithm') } : {}),
  })
  const merger = createMerger({
    store,
    types: {
      check: (type, content) => eventTypes.check(type, content)?.[0]?.message,
      seriesType: (type) => eventTypes.seriesType(type),
    },
    keeping,
    now,
    noteMissingFile: (t, digest, size) => noteMissingFile(t, blobs, digest, size),
    mergeAccess: (t, entry, from) => mergeAccess(t, seal, entry, from),
    mergeSeries: (t, entry, from) => mergeSeries(t, entry, from, (type) => eventTypes.seriesFields(type)),
  })
  return createExchange({ store, merger, config, log, now, newId })
}
