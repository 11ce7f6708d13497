/** Returns the merger of a node, for tests. */
import type { Store } from '../../../src/store/index.js'
import { recordMissingBlob } from '../../../src/store/blobs/missingBlobs.js'
import { mergeAccess } from '../../../src/sync/merge/accesses.js'
import { createMerger } from '../../../src/sync/merge/merge.js'
import type { Merger } from '../../../src/sync/merge/context.js'
import { mergeSeries } from '../../../src/sync/merge/series.js'

export const mergerOf = (store: Store): Merger =>
  createMerger({
    store,
    types: { check: () => undefined, seriesType: () => undefined },
    keeping: () => ({ deletionMode: 'keep-nothing' }),
    now: () => Date.now() / 1000,
    noteMissingFile: (t, digest, size) => recordMissingBlob(t, store.blobs, digest, size),
    mergeAccess: (t, entry, from) => mergeAccess(t, store.seal, entry, from, Date.now() / 1000),
    mergeSeries: (t, entry, from) => mergeSeries(t, entry, from, () => undefined),
  })
