/** Tests of copies of keys when the cluster behind them was replaced by another one. */
import { expect, it } from 'vitest'
import { createLog } from '../../../../../src/server/base/log.js'
import type { KeyValue, WatchListener } from '../../../../../src/server/platform/registry/etcd/api.js'
import { createMirror, type Mirror } from '../../../../../src/server/platform/registry/etcd/mirror.js'

/** A cluster with these keys, and the mirror of it. */
async function mirrored(items: KeyValue[], revision: number): Promise<{ mirror: Mirror; replaceCluster(items: KeyValue[], revision: number): Promise<void> }> {
  let cluster = { items, revision }
  let listener: WatchListener | undefined
  const mirror = createMirror(
    {
      range: () => Promise.resolve({ items: cluster.items, count: cluster.items.length, revision: cluster.revision }),
      watch(_prefix, _after, given) {
        listener = given
        return () => {}
      },
    },
    'core/',
    createLog('error', () => 0, () => {}),
  )
  await mirror.ready
  return {
    mirror,
    async replaceCluster(next, at) {
      cluster = { items: next, revision: at }
      await listener?.lost()
    },
  }
}

it('a replaced cluster, which counts from an earlier revision, replaces all keys', async () => {
  const { mirror, replaceCluster } = await mirrored([{ key: 'core/a', value: 'old', revision: 90 }, { key: 'core/b', value: 'old', revision: 80 }], 100)
  const seen: string[] = []
  mirror.follow((key, item) => seen.push(`${key} ${item?.value ?? 'removed'}`))
  await replaceCluster([{ key: 'core/a', value: 'new', revision: 3 }], 5)
  expect(mirror.list('core/')).toEqual([{ key: 'core/a', value: 'new', revision: 3 }])
  expect(seen).toEqual(['core/a new', 'core/b removed'])
  expect(mirror.revision).toBe(5)
  mirror.applied('core/c', 6, { key: 'core/c', value: 'own', revision: 6 })
  expect(mirror.get('core/c')?.value).toBe('own')
})

it('keys that were read again at a later revision of the same cluster are not notified again', async () => {
  const { mirror, replaceCluster } = await mirrored([{ key: 'core/a', value: 'old', revision: 90 }], 100)
  const seen: string[] = []
  mirror.follow((key) => seen.push(key))
  await replaceCluster([{ key: 'core/a', value: 'old', revision: 90 }, { key: 'core/b', value: 'new', revision: 110 }], 120)
  expect(seen).toEqual(['core/b'])
})
